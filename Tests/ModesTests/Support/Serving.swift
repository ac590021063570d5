// SPDX-License-Identifier: Apache-2.0

import Foundation
import Origin
import OriginTLS
import Runs
import Synchronization

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

/// Serves this project's assets to a test that has a folder of its own, in which `ca.pem` is where TLS is spoken.
func withOrigin(
    http2: Bool = false,
    _ body: (_ origin: OriginServer, _ library: AssetLibrary, _ folder: String) async throws -> Void
) async throws {
    try await withTemporaryFolder { folder in
        let library = AssetLibrary(cacheDirectory: folder + "/cache")
        let security = http2 ? try OriginSecurity.made(offeringHTTP2: true) : nil
        let origin = try await OriginServer.start(
            OriginConfiguration(rate: .unlimited, library: library, security: security))
        do {
            if let authority = origin.certificateAuthorityPEM {
                try Data(authority.utf8).write(to: URL(fileURLWithPath: folder + "/ca.pem"))
            }
            try await body(origin, library, folder)
        } catch {
            try await origin.stop()
            throw error
        }
        try await origin.stop()
    }
}

/// Serves `/body`, from which redirects lead within its origin, to another one by `departure`, and back.
func withJourney(
    _ departure: String,
    _ body: (_ server: LoopbackServer, _ other: LoopbackServer, _ folder: String) async throws -> Void
) async throws {
    let back = Mutex("")
    let other: LoopbackServer.Script = { request in
        request.contains(" /elsewhere ") ? .redirect(302, to: back.withLock { $0 }) : TestBody.whole
    }
    try await withServer(other) { other, folder in
        let away = departure.replacing("PORT", with: "\(other.port)")
        let script: LoopbackServer.Script = { request in
            if request.contains(" /body ") { return .redirect(307, to: "/again") }
            return request.contains(" /again ") ? .redirect(302, to: away) : TestBody.whole
        }
        try await withServer(script) { server, _ in
            back.withLock { $0 = "//127.0.0.1:\(server.port)/back" }
            try await body(server, other, folder)
        }
    }
}
