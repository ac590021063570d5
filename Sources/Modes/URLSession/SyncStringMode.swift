// SPDX-License-Identifier: Apache-2.0

import Foundation
import TrialKit

struct SyncStringMode: FetchMode {
    let name = "sync-string"
    let summary = "String(contentsOf:encoding:), blocking: the whole body as String"
    let caveat: String? = BlockingFetcher.caveat + "; text in UTF-8 only"
    let abilities: Set<ModeAbility> = [.concurrency, .gzip, .http2]
    let need: AssetNeed? = .text

    func makeFetcher(_ settings: FetchSettings) -> any Fetcher {
        BlockingFetcher { url in
            do {
                let body = TextBody(try String(contentsOf: url, encoding: .utf8))
                return FetchedBody(content: .memory(body), byteCount: body.byteCount)
            } catch let error as CocoaError where error.code == .fileReadCorruptFile {
                throw FetchFailure(.other, "the body is not valid UTF-8")
            }
        }
    }
}

/// The UTF-8 storage of a string, without a copy.
struct TextBody: ContiguousBytes, Sendable {
    private let text: String

    /// Makes the string contiguous, which on Linux it always is.
    init(_ text: consuming String) {
        text.makeContiguousUTF8()
        self.text = text
    }

    var byteCount: Int { text.utf8.count }

    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        // Shares the bytes: a contiguous string is not copied here.
        var text = text
        return try text.withUTF8 { try body(UnsafeRawBufferPointer($0)) }
    }
}
