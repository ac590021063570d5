// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import TrialKit

/// A client that, beside its body, holds memory in a known course: ten steps of 8 MiB, nothing, and the steps again.
struct StepsMode: FetchMode {
    let name = "steps"
    let summary = "a client that allocates 10 steps of 8 MiB, frees them, and allocates them again"

    func makeFetcher(_ settings: FetchSettings) -> any Fetcher { StepsFetcher() }
}

private final class StepsFetcher: Fetcher, @unchecked Sendable {
    private static let count = 10
    private static let size = 8 << 20
    /// Long enough for several readings, which come every 5 ms.
    private static let microseconds: UInt32 = 50_000

    private let client = OwnClient(.nothing)
    private var blocks: [UnsafeMutableRawPointer] = []

    init() {
        blocks.reserveCapacity(Self.count)
    }

    func fetch(_ request: FetchRequest) async throws(FetchFailure) -> FetchedBody {
        let body = try await DetachedThread.value { [self] () throws(FetchFailure) in
            let body = try client.body(of: request.url)
            // The warm-up has another path.
            if request.url.path.hasPrefix("/bytes") {
                usleep(Self.microseconds)
                climb()
                free()
                usleep(Self.microseconds)
                climb()
            }
            return body
        }
        return FetchedBody(content: .memory(body), byteCount: body.count)
    }

    func invalidate() async {
        free()
    }

    private func climb() {
        for _ in 0..<Self.count {
            let block = UnsafeMutableRawPointer.allocate(byteCount: Self.size, alignment: 16)
            memset(block, 1, Self.size)
            blocks.append(block)
            usleep(Self.microseconds)
        }
    }

    private func free() {
        for block in blocks { block.deallocate() }
        blocks.removeAll(keepingCapacity: true)
    }
}
