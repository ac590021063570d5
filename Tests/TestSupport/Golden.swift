// SPDX-License-Identifier: Apache-2.0

import Foundation
package import Testing

/// The texts that renderers are compared with; `make golden` writes them.
package enum Golden {
    /// Compares a text with the stored one beside the test, and names the first line that differs.
    package static func compare(
        _ text: String, with name: String, besides test: String = #filePath,
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        let file = URL(fileURLWithPath: test).deletingLastPathComponent().appending(path: "Golden/" + name)
        if ProcessInfo.processInfo.environment["FETCHBENCH_WRITE_GOLDEN"] == "1" {
            return try Data(text.utf8).write(to: file)
        }
        let stored = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        let pairs = zip(lines(of: text), lines(of: stored)).enumerated()
        let difference = pairs.first { $0.element.0 != $0.element.1 }
        #expect(
            text == stored,
            "\(name), line \(difference.map { "\($0.offset + 1): \($0.element.0)" } ?? "count"): `make golden` rewrites it",
            sourceLocation: location)
    }

    private static func lines(of text: String) -> [Substring] {
        text.split(separator: "\n", omittingEmptySubsequences: false)
    }
}
