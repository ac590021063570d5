// SPDX-License-Identifier: Apache-2.0

import Foundation

/// How the program that runs these tests is started again for one of them.
package struct TestCommand: Sendable {
    /// The program: this process's own, even where its file has been replaced meanwhile.
    package static let executable = "/proc/self/exe"

    /// The arguments of this process, its name first.
    package let own: [String]

    /// That of this process; `nil` where there is no `/proc`.
    package init?() {
        guard let data = FileManager.default.contents(atPath: "/proc/self/cmdline"), !data.isEmpty else { return nil }
        self.init(
            own: data.split(separator: 0, omittingEmptySubsequences: false).dropLast().map {
                String(decoding: $0, as: UTF8.self)
            })
    }

    package init(own: [String]) { self.own = own }

    /// The arguments that run one test alone and write what happens into a folder.
    ///
    /// Of this process's own arguments the bundle's path alone is kept: filters, repetitions and streams of the whole
    /// run are none of the child's.
    package func arguments(running test: String, in folder: ChildFolder) -> [String] {
        let bundle = own.firstIndex(of: "--test-bundle-path").map { Array(own[$0...].prefix(2)) } ?? []
        return own.prefix(1) + bundle + [
            "--testing-library", "swift-testing", "--filter", Self.pattern(of: test), "--no-parallel",
            // The child prints what the test prints, and nothing of its own.
            "--verbosity", "\(Int.min)",
            "--event-stream-output-path", folder.events, "--event-stream-version", "0",
            "--attachments-path", folder.attachments,
        ]
    }

    /// A regular expression of the one identifier.
    package static func pattern(of test: String) -> String {
        let escaped = test.unicodeScalars.reduce(into: "") { text, scalar in
            if "\\^$.|?*+()[]{}/".unicodeScalars.contains(scalar) { text += "\\" }
            text.unicodeScalars.append(scalar)
        }
        return "^\(escaped)$"
    }
}
