// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// A kind of thing that can be named on the command line.
enum ListTopic: String, CaseIterable {
    case modes, renders, scenarios, loaders, allocators, assets, dimensions, suites, metrics, formats
}

extension CompletionKind {
    /// The names that `fetchbench list` prints at the time of completion.
    static func listed(_ topic: ListTopic) -> CompletionKind {
        .shellCommand("fetchbench list --names \(topic.rawValue)")
    }
}
