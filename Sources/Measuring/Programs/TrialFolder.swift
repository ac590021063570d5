// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The folder of a trial, which exists while it runs.
package enum TrialFolder {
    /// The digits of the trial's number in the name.
    private static let digits = 6

    static func path(_ prefix: String, _ number: Int, in parent: String) -> String {
        let text = String(number)
        return parent + "/" + prefix + String(repeating: "0", count: max(0, digits - text.count)) + text
    }

    /// Runs `body` with the path of a new folder, and removes it afterwards.
    ///
    /// All paths have the same length, because they are part of the environment of the process.
    package static func with<Result>(
        _ prefix: String, _ number: Int, in parent: String, _ body: (_ path: String) async throws -> Result
    ) async throws -> Result {
        let path = path(prefix, number, in: parent)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: path) }
        return try await body(path)
    }
}
