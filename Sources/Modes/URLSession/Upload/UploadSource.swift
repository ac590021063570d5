// SPDX-License-Identifier: Apache-2.0

import Foundation
import RawModes
import TrialKit

struct UploadSource: Sendable {
    enum Kind: Sendable {
        case memory
        case file
    }

    enum Content: Sendable {
        case data(Data)
        case file(URL)
    }

    let content: Content
    let byteCount: Int

    /// Fetches the asset to a file beside the request's destination, and reads it into memory for that kind.
    static func make(
        _ kind: Kind, for request: FetchRequest, _ settings: FetchSettings
    ) async throws(FetchFailure) -> UploadSource {
        let path = request.destination + ".source"
        let byteCount = try await fetch(request.url, to: path, settings)
        let url = URL(fileURLWithPath: path)
        guard kind == .memory else { return UploadSource(content: .file(url), byteCount: byteCount) }
        defer { try? FileManager.default.removeItem(at: url) }
        guard let data = try? Data(contentsOf: url), data.count == byteCount else {
            throw FetchFailure(.file, "the upload source cannot be read")
        }
        return UploadSource(content: .data(data), byteCount: byteCount)
    }

    func remove() {
        if case .file(let url) = content { try? FileManager.default.removeItem(at: url) }
    }

    /// Fetches with one small buffer, or over TLS with a session that is released afterwards.
    private static func fetch(
        _ url: URL, to path: String, _ settings: FetchSettings
    ) async throws(FetchFailure) -> Int {
        let settings = FetchSettings(verification: .length, idleTimeoutSeconds: settings.idleTimeoutSeconds)
        let fetcher: any Fetcher =
            if url.scheme?.lowercased() == "http" {
                RawFetcher(mode: "upload", keepsBody: true, settings)
            } else {
                DownloadMode().makeFetcher(settings)
            }
        let result: Result<FetchedBody, FetchFailure>
        do throws(FetchFailure) {
            result = .success(try await fetcher.fetch(FetchRequest(url: url, destination: path)))
        } catch {
            result = .failure(error)
        }
        await fetcher.invalidate()
        return try result.get().byteCount
    }
}
