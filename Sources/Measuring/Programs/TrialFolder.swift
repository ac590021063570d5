// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The folder that a trial gets of its own, there while it runs and gone afterwards.
package enum TrialFolder {
    /// How many digits the number of a trial has in its folder's name.
    private static let digits = 6

    /// Makes the folder of a trial, does `body` with its path, and removes it whatever happens.
    ///
    /// The length of the path is the same for every trial: it is part of the environment of the process.
    /// - Parameters:
    ///   - prefix: what the folder's name begins with.
    ///   - number: the number of the trial.
    ///   - parent: the folder in which it is made.
    package static func with<Result>(
        _ prefix: String, _ number: Int, in parent: String, _ body: (_ path: String) async throws -> Result
    ) async throws -> Result {
        let text = String(number)
        let path = parent + "/" + prefix + String(repeating: "0", count: max(0, digits - text.count)) + text
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: path) }
        return try await body(path)
    }
}
