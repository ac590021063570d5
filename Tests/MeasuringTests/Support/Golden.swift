// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The texts that renderers are compared with; `make golden` writes them.
enum Golden {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Golden")

    /// Compares a text with the stored one, and names the first line that differs.
    static func compare(_ text: String, with name: String, _ location: SourceLocation = #_sourceLocation) throws {
        let file = folder.appending(path: name)
        if ProcessInfo.processInfo.environment["FETCHBENCH_WRITE_GOLDEN"] == "1" {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
            return
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
