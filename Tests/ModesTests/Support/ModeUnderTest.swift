// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TrialKit

/// One of the modes that fetch, as the catalogue has it.
struct ModeUnderTest: Sendable, CustomTestStringConvertible {
    let mode: any FetchMode

    var testDescription: String { mode.name }

    /// Every mode that fetches what any origin serves; the tests' bodies are text, of which no picture can be made.
    ///
    /// Without the one that blocks threads of the pool on which the tests' own tasks run: `GCDDataTests` tests it.
    static let all = ModeCatalog.all.filter {
        !["none", "gcd-data"].contains($0.name) && [nil, .text, .image].contains($0.need)
    }.map(ModeUnderTest.init)

    /// Those that send to the origin's sink.
    static let uploading = ModeCatalog.all.filter { $0.need == .sink }.map(ModeUnderTest.init)

    /// Those that can be told how to fetch: the blocking initialisers take a URL and nothing else.
    static let configurable = all.filter { !$0.blocks }

    /// Those that speak TLS.
    static let overTLS = all.filter { $0.mode.schemes.contains("https") }

    /// Whether it trusts the authority that its settings name in any process, not in trial programs alone.
    var trustsByName: Bool { ["ahc-", "nio-", "curl-"].contains { mode.name.hasPrefix($0) } }

    /// Those that follow redirects.
    static let redirected = overTLS.filter { $0.mode.name != "nio-stream" }

    /// Those that speak HTTP themselves, over a plain socket.
    static let raw = all.filter { !$0.mode.schemes.contains("https") }

    /// Those that write the body to its file themselves, or have it moved there.
    static let toFile = able(to: .file)

    /// Those that have an ability.
    static func able(to ability: ModeAbility) -> [ModeUnderTest] {
        all.filter { $0.mode.abilities.contains(ability) }
    }

    /// Whether it is one of Foundation's blocking initialisers.
    var blocks: Bool { mode.name.hasPrefix("sync-") }

    /// Whether the body ends up in a file.
    var fetchesToFile: Bool { mode.abilities.contains(.file) }

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
            let result = await Self.result(of: fetcher, fetching: request)
            await fetcher.invalidate()
            return result
        } catch {
            return .failure(error)
        }
    }

    private static func result(
        of fetcher: any Fetcher, fetching request: FetchRequest
    ) async -> Result<FetchedBody, FetchFailure> {
        do throws(FetchFailure) {
            return .success(try await fetcher.fetch(request))
        } catch {
            return .failure(error)
        }
    }

    /// The body of a fetch that should succeed.
    func fetch(
        _ url: URL, to folder: String, method: FetchRequest.Method = .get, verification: Verification = .sha256
    ) async throws -> FetchedBody {
        try await result(of: url, to: folder, method: method, verification: verification).get()
    }

    /// The failure of a fetch, or `nil` where it succeeds.
    func failure(fetching url: URL, to folder: String, idleTimeoutSeconds: Int = 200) async -> FetchFailure? {
        switch await result(of: url, to: folder, idleTimeoutSeconds: idleTimeoutSeconds) {
        case .success: nil
        case .failure(let failure): failure
        }
    }
}

extension FetchedBody {
    /// All bytes, from wherever they are.
    func bytes() throws -> [UInt8] {
        switch content {
        case .nothing, .consumed: []
        case .memory(let bytes): bytes.withUnsafeBytes { Array($0) }
        case .file(let path): Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        }
    }

    /// The path of the file that holds the bytes, or `nil` where none does.
    var filePath: String? {
        if case .file(let path) = content { path } else { nil }
    }
}
