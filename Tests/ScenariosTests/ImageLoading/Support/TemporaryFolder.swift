// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Lends a folder that is gone afterwards.
func withTemporaryFolder<R>(_ body: (String) async throws -> R) async throws -> R {
    let folder = FileManager.default.temporaryDirectory.appending(path: "images-\(UUID())").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    return try await body(folder)
}

/// Waits until something is so, a minute at most.
func eventually(_ condition: () async throws -> Bool) async throws -> Bool {
    for _ in 0..<6000 {
        if try await condition() { return true }
        try await Task.sleep(for: .milliseconds(10))
    }
    return try await condition()
}
