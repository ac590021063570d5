// SPDX-License-Identifier: Apache-2.0

import Synchronization
import TrialKit

/// What a loader has done: its own count, beside the origin's.
package struct LoaderCounts: Hashable, Sendable {
    /// Askers who were answered from memory.
    package var memoryHits = 0
    /// Images that came from the file cache without a request.
    package var fileHits = 0
    /// Images of the file cache of which the origin said that they still hold.
    package var revalidated = 0
    /// Fetches that were begun.
    package var requests = 0
    /// The same by URL.
    package var requestsByURL: [String: Int] = [:]
    /// Fetches that brought a whole body, by URL.
    package var completedByURL: [String: Int] = [:]
    /// Bytes that fetches brought.
    package var fetchedByteCount = 0
    /// The same of fetches that ended after everyone who asked had left.
    package var abandonedByteCount = 0
    /// Fetches that go on now.
    package var running = 0
    /// The most fetches at one time.
    package var mostRunning = 0
    package var decodes = 0
    /// Decodes that go on now.
    package var decoding = 0
    /// The most decodes at one time.
    package var mostDecoding = 0
    /// What the decodes that go on now hold beside what comes of them, by the laws of the decoders, in bytes.
    package var decodingBytes = 0
    /// The most of that at one time.
    package var mostDecodingBytes = 0
    /// The most that one picture's decode holds where it is scaled to its view, whatever the policy does: no loader that
    /// shows that picture holds less, by the laws of the decoders, in bytes.
    package var mostForOnePicture = 0
    /// Images that could not be decoded.
    package var undecodable = 0
    /// Fetches that failed, without those that were cancelled.
    package var failures = 0
    /// How the first of them failed.
    package var firstFailure: String?

    package init() {}
}

package final class LoaderJournal: Sendable {
    private let state = Mutex(LoaderCounts())

    package init() {}

    /// The counts now.
    package var counts: LoaderCounts { state.withLock { $0 } }

    func note(_ change: (inout LoaderCounts) -> Void) {
        state.withLock { change(&$0) }
    }

    func beganFetching(_ url: String) {
        note { counts in
            counts.requests += 1
            counts.requestsByURL[url, default: 0] += 1
            counts.running += 1
            counts.mostRunning = max(counts.mostRunning, counts.running)
        }
    }

    func failed(_ failure: FetchFailure) {
        note { counts in
            counts.failures += 1
            counts.firstFailure = counts.firstFailure ?? "\(failure.code.rawValue): \(failure.detail)"
        }
    }

    func beganDecoding() {
        note { counts in
            counts.decoding += 1
            counts.mostDecoding = max(counts.mostDecoding, counts.decoding)
        }
    }

    func holdsWhileDecoding(_ byteCount: Int) {
        note { counts in
            counts.decodingBytes += byteCount
            counts.mostDecodingBytes = max(counts.mostDecodingBytes, counts.decodingBytes)
        }
    }
}
