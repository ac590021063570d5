// SPDX-License-Identifier: Apache-2.0

import Foundation
import TrialKit

/// Makes a folder for the time of a test, and removes it whatever happens.
@discardableResult
func withTemporaryFolder<Result>(_ body: (_ path: String) async throws -> Result) async throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appending(path: "fetchbench-tests-\(UUID())").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    return try await body(folder)
}

/// Serves a script to a test that has a folder of its own.
@discardableResult
func withServer<Result>(
    _ script: @escaping LoopbackServer.Script,
    _ body: (_ server: LoopbackServer, _ folder: String) async throws -> Result
) async throws -> Result {
    try await withTemporaryFolder { folder in
        try await LoopbackServer.serving(script) { try await body($0, folder) }
    }
}

/// Serves one answer, whatever is asked, to a test that has a folder of its own.
@discardableResult
func withServer<Result>(
    answering response: LoopbackServer.Response,
    _ body: (_ server: LoopbackServer, _ folder: String) async throws -> Result
) async throws -> Result {
    try await withServer({ _ in response }, body)
}

/// Serves a script for requests with bodies to a test that has a folder of its own.
@discardableResult
func withServer<Result>(
    uploads script: @escaping LoopbackServer.UploadScript,
    _ body: (_ server: LoopbackServer, _ folder: String) async throws -> Result
) async throws -> Result {
    try await withTemporaryFolder { folder in
        try await LoopbackServer.serving(uploads: script) { try await body($0, folder) }
    }
}
