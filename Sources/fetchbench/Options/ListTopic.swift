// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The kinds of things that can be named on the command line, and are listed.
enum ListTopic: String, CaseIterable {
    case modes, renders, scenarios, loaders, allocators, assets, dimensions, suites, metrics, formats
}

extension CompletionKind {
    /// What the command itself lists, asked for when somebody completes: what is there then, in any shell.
    static func listed(_ topic: ListTopic) -> CompletionKind {
        .shellCommand("fetchbench list --names \(topic.rawValue)")
    }
}
