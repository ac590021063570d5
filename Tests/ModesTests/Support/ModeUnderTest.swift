// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClientModes
import CurlModes
import Foundation
import NIOModes
import OpenCombineModes
import RawModes
import Rendering
import Testing
import TrialKit
import URLSessionModes

struct ModeUnderTest: Sendable, CustomTestStringConvertible {
    let mode: any FetchMode

    var testDescription: String { mode.name }

    /// Every mode that fetches what any origin serves; the tests' bodies are text, of which no picture can be made.
    ///
    /// Without the one that blocks threads of the pool on which the tests' own tasks run: `GCDDataTests` tests it.
    static let all = ModeCatalog.all.filter {
        !["none", "gcd-data"].contains($0.name) && [nil, .text, .image].contains($0.need)
    }.map(ModeUnderTest.init)

    static let uploading = ModeCatalog.all.filter { $0.need == .sink }.map(ModeUnderTest.init)

    /// Those that can be told how to fetch: the blocking initialisers take a URL and nothing else.
    static let configurable = all.filter { !$0.blocks }

    static let overTLS = all.filter { $0.mode.schemes.contains("https") }

    /// Whether it trusts the authority that its settings name in any process, not in trial programs alone.
    var trustsByName: Bool { ["ahc-", "nio-", "curl-"].contains { mode.name.hasPrefix($0) } }

    static let redirected = overTLS.filter { $0.mode.name != "nio-stream" }

    /// Those that speak HTTP themselves, over a plain socket.
    static let raw = all.filter { !$0.mode.schemes.contains("https") }

    /// Those that write the body to its file themselves, or have it moved there.
    static let toFile = able(to: .file)

    static func able(to ability: ModeAbility) -> [ModeUnderTest] {
        all.filter { $0.mode.abilities.contains(ability) }
    }

    var blocks: Bool { mode.name.hasPrefix("sync-") }

    var fetchesToFile: Bool { mode.abilities.contains(.file) }

    static func named(_ name: String) throws -> any FetchMode {
        try #require(ModeCatalog.all.first { $0.name == name })
    }

    /// Fetches with a fetcher of its own, to the file `body` of a folder.
    func result(
        of url: URL, to folder: String, method: FetchRequest.Method = .get, verification: Verification = .sha256,
        idleTimeoutSeconds: Int = 200
    ) async -> Result<FetchedBody, FetchFailure> {
        Leftovers.removeAtExit()
        let settings = FetchSettings(verification: verification, idleTimeoutSeconds: idleTimeoutSeconds)
        do throws(FetchFailure) {
            let fetcher = try mode.makeFetcher(settings)
            let request = FetchRequest(url: url, method: method, destination: folder + "/body")
            let result = await fetcher.result(of: request)
            await fetcher.invalidate()
            return result
        } catch {
            return .failure(error)
        }
    }

    func fetch(
        _ url: URL, to folder: String, method: FetchRequest.Method = .get, verification: Verification = .sha256
    ) async throws -> FetchedBody {
        try await result(of: url, to: folder, method: method, verification: verification).get()
    }

    func failure(fetching url: URL, to folder: String, idleTimeoutSeconds: Int = 200) async -> FetchFailure? {
        switch await result(of: url, to: folder, idleTimeoutSeconds: idleTimeoutSeconds) {
        case .success: nil
        case .failure(let failure): failure
        }
    }
}

extension FetchedBody {
    func bytes() throws -> [UInt8] {
        switch content {
        case .nothing, .consumed: []
        case .memory(let bytes): bytes.withUnsafeBytes { Array($0) }
        case .file(let path): Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        }
    }

    var filePath: String? {
        if case .file(let path) = content { path } else { nil }
    }
}

/// Every mode of this project, whatever program it is in.
enum ModeCatalog {
    static let all: [any FetchMode] =
        [NoneMode()] + URLSessionCatalog.all + OpenCombineCatalog.all(decodingWith: DecodingModel.imageView())
        + AsyncHTTPClientCatalog.all + NIOCatalog.all
        + CurlCatalog.all + RawCatalog.all
}

extension FetchSettings {
    static func test(_ change: (inout FetchSettings) -> Void = { _ in }) -> FetchSettings {
        var settings = FetchSettings(verification: .sha256, idleTimeoutSeconds: 200)
        change(&settings)
        return settings
    }
}

extension FetchMode {
    /// Gives a fetcher to a test, and lets go of it whatever happens.
    func withFetcher<Result>(
        _ settings: FetchSettings = .test(), _ body: (any Fetcher) async throws -> Result
    ) async throws -> Result {
        Leftovers.removeAtExit()
        let fetcher = try makeFetcher(settings)
        do {
            let result = try await body(fetcher)
            await fetcher.invalidate()
            return result
        } catch {
            await fetcher.invalidate()
            throw error
        }
    }
}

extension Fetcher {
    /// The length of what a fetch left behind.
    ///
    /// A function of its own because the optimiser of Swift 6.3.1 crashes on a typed throw within some async closures.
    func byteCount(of request: FetchRequest) async throws -> Int {
        try await fetch(request).byteCount
    }

    /// A fetch that may fail; a function of its own for the same reason.
    func result(of request: FetchRequest) async -> Result<FetchedBody, FetchFailure> {
        do throws(FetchFailure) {
            return .success(try await fetch(request))
        } catch {
            return .failure(error)
        }
    }

    func failure(of request: FetchRequest) async -> FetchFailure? {
        switch await result(of: request) {
        case .success: nil
        case .failure(let failure): failure
        }
    }
}

/// A body longer than three of the fetchers' buffers, and not a multiple of one; it is ASCII, so that every mode takes it.
enum TestBody {
    /// The part of a body that arrives before a fetch fails; ``Leftovers`` searches for these bytes.
    static let unfinished = Array("what arrives of a body whose fetch fails in a test of fetchbench".utf8)

    static let bytes = (0..<200_003).map { UInt8($0 % 127) }

    /// An answer with the whole body, and one that promises more than the unfinished part, after which it ends or stalls.
    static let whole = LoopbackServer.Response("200 OK", ["Content-Length: \(bytes.count)"], body: bytes)
    static let cut = LoopbackServer.Response("200 OK", ["Content-Length: 1000"], body: unfinished)
    static let stalled: LoopbackServer.Response = {
        var response = cut
        response.stalls = true
        return response
    }()

    /// Printed by `python3 -c 'import sys; sys.stdout.buffer.write(bytes(i % 127 for i in range(200003)))' | sha256sum`.
    static let sha256 = "2b780c8fc619d325d4a07fff7e133aa1bb82945b8b1fd0e4ba52e2b45406b1db"

    static func sha256(of bytes: [UInt8]) -> String? {
        var hash = StreamedHash(.sha256)
        bytes.withUnsafeBytes { hash.update($0) }
        return hash.finish()
    }
}
