// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Makes a folder for the time of a test, and removes it whatever happens.
@discardableResult
package func withTemporaryFolder<Result>(_ body: (_ path: String) throws -> Result) throws -> Result {
    let folder = try madeFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    return try body(folder)
}

/// The same for what waits.
@discardableResult
package func withTemporaryFolder<Result>(_ body: (_ path: String) async throws -> Result) async throws -> Result {
    let folder = try madeFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    return try await body(folder)
}

private func madeFolder() throws -> String {
    let folder = FileManager.default.temporaryDirectory.appending(path: "fetchbench-tests-\(UUID())").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    return folder
}
