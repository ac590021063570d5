// SPDX-License-Identifier: Apache-2.0

package import Rendering
import Synchronization
package import TrialKit

package struct LoaderCounts: Hashable, Sendable {
    package var memoryHits = 0
    package var fileHits = 0
    /// Images of the file cache that the origin confirmed as unchanged.
    package var revalidated = 0
    package var requests = 0
    package var requestsByURL: [String: Int] = [:]
    /// Fetches that returned a whole body, by URL.
    package var completedByURL: [String: Int] = [:]
    package var fetchedByteCount = 0
    /// Fetches that ended whole after they were cancelled.
    package var ranOn = 0
    package var running = 0
    package var mostRunning = 0
    package var decodes = 0
    package var decoding = 0
    package var mostDecoding = 0
    /// The memory that the running decodes require beside their results, by the decoders' rules.
    package var decodingBytes = 0
    package var mostDecodingBytes = 0
    /// The maximum of bytes that decoding one picture at its view's size requires, whatever the policy.
    package var mostForOnePicture = 0
    package var undecodable = 0
    /// Fetches that failed, without those that were cancelled.
    package var failures = 0
    package var firstFailure: String?

    package init() {}
}

package final class LoaderJournal: Sendable {
    private let state = Mutex(LoaderCounts())

    package init() {}

    package var counts: LoaderCounts { state.withLock { $0 } }

    func note(_ change: (inout LoaderCounts) -> Void) { state.withLock { change(&$0) } }

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

package struct LoaderWorld: Sendable {
    /// The existing folder for files, which contains the file cache's folder.
    package var folder: String
    package var limits: RenderSettings
    package var ledger: BitmapLedger
    package var machine: LoaderPolicy.Machine
    package var fileLimit: Int?
    /// True if pictures are also verified by bytes and pixels, which costs a hash for each decode.
    package var checksContent = false
    package var now: @Sendable () -> Duration

    package init(
        folder: String, limits: RenderSettings = RenderSettings(), ledger: BitmapLedger = .process,
        fileLimit: Int? = nil, now: @escaping @Sendable () -> Duration = { .zero }
    ) {
        (self.folder, self.limits, self.ledger) = (folder, limits, ledger)
        (self.fileLimit, self.now) = (fileLimit, now)
        machine = LoaderPolicy.Machine(screenByteCount: 4 * limits.viewWidth * limits.viewHeight)
    }
}
