// SPDX-License-Identifier: Apache-2.0

import Foundation
import MemProbe

/// The command that starts the test program again for a single test.
package struct TestCommand: Sendable {
    /// This process's own program, even if its file has been replaced.
    package static let executable = "/proc/self/exe"

    /// The arguments of this process, including its name.
    package let own: [String]

    /// Creates the command of this process; `nil` if there is no `/proc`.
    package init?() {
        guard let data = FileManager.default.contents(atPath: "/proc/self/cmdline"), !data.isEmpty else { return nil }
        self.init(
            own: data.split(separator: 0, omittingEmptySubsequences: false).dropLast().map {
                SystemText.string(of: $0)
            })
    }

    package init(own: [String]) { self.own = own }

    /// Returns the arguments that run one test alone and write its results into a folder.
    ///
    /// Of this process's own arguments only the bundle's path is kept: filters, repetitions and streams of the whole
    /// run do not apply to the child.
    package func arguments(running test: String, in folder: ChildFolder) -> [String] {
        let bundle = own.firstIndex(of: "--test-bundle-path").map { Array(own[$0...].prefix(2)) } ?? []
        return own.prefix(1) + bundle + [
            "--testing-library", "swift-testing", "--filter", Self.pattern(of: test), "--no-parallel",
            // The child prints the test's output and nothing of its own.
            "--verbosity", "\(Int.min)",
            "--event-stream-output-path", folder.events, "--event-stream-version", "0",
            "--attachments-path", folder.attachments,
        ]
    }

    /// Returns a regular expression that matches the identifier only.
    package static func pattern(of test: String) -> String {
        let escaped = test.unicodeScalars.reduce(into: "") { text, scalar in
            if "\\^$.|?*+()[]{}/".unicodeScalars.contains(scalar) { text += "\\" }
            text.unicodeScalars.append(scalar)
        }
        return "^\(escaped)$"
    }
}
