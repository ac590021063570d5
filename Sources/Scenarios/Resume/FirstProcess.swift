// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import MemProbe
import TrialKit

/// The process that fetches a part of a body and is killed while more of it arrives.
///
/// It is stopped before it is killed, so that the bytes under way can be counted: it has read what the origin has sent
/// without them.
struct FirstProcess {
    struct End {
        let keptByteCount: Int
        /// The bytes of the body read from the connection, or `nil` if they cannot be counted.
        let receivedByteCount: Int?
    }

    /// The time that received bytes may take to be acknowledged, in nanoseconds.
    private static let acknowledgementNanoseconds = 300_000_000

    let stage: ScenarioStage
    let download: ResumableDownload
    let cut: ResumeCut

    /// Runs the process, and kills it when the cut's offset is on disk.
    ///
    /// Blocks this thread, with whose end the process ends, too.
    func run(_ part: ScenarioPart) throws -> End {
        // Over TLS, the connection's bytes differ from the body's.
        let origin = stage.target.scheme == "http" ? stage.target.port : nil
        let before = try origin.map { try OriginCount.now(at: $0).byteCountSent } ?? 0
        var request = stage.request
        request.scenarioPart = part
        let process = try PartProcess(request)
        defer { process.kill() }
        try process.wait(atMost: stage.patienceSeconds) { download.partialByteCount >= cut.offset }
        try process.freeze()
        let kept = download.partialByteCount
        let received = try origin.flatMap { try receivedByteCount(process, keeping: kept, from: $0, before) }
        process.kill()
        return End(keptByteCount: kept, receivedByteCount: received)
    }

    /// Returns the number of the body's bytes that a stopped process has read: at least those that it has on disk.
    private func receivedByteCount(
        _ process: PartProcess, keeping kept: Int, from port: Int, _ before: Int
    ) throws -> Int? {
        let sent = cut.sentByteCount
        try process.wait(atMost: stage.patienceSeconds) {
            try OriginCount.now(at: port).byteCountSent - before >= sent
        }
        let inodes = SocketTable.inodes(of: process.identifier)
        let begin = MonotonicClock.now()
        while true {
            guard let underway = SocketTable(ofServerAt: port).underway(to: inodes) else { return nil }
            let received = sent - underway.unreadByteCount - underway.unacknowledgedByteCount
            if underway.unacknowledgedByteCount == 0 { return received }
            // Bytes that a full socket cannot take are never acknowledged. Bytes that have arrived and are not acknowledged
            // yet are counted at both ends: on a busy machine for so long that less seems to be read than is on disk.
            let waited = MonotonicClock.now() - begin
            if waited > Self.acknowledgementNanoseconds, received >= kept { return received }
            guard waited < stage.patienceSeconds * 1_000_000_000 else { return nil }
            usleep(1000)
        }
    }

    struct Addresses {
        /// The URL that sends the body to shortly after the cut, then stalls.
        let first: URL
        let second: URL

        init(
            _ target: URL, of variant: ResumeScenario.Variant?, byteCount: Int, _ cut: ResumeCut
        ) throws(FetchFailure) {
            // Another version is simulated by another body, whose part on disk is attributed to the asset.
            first =
                variant == .changed
                ? try Self.url(
                    target, path: "/bytes/\(byteCount)", [URLQueryItem(name: "seed", value: "4711")] + cut.query)
                : try Self.url(target, cut.query)
            second = variant == .noRanges ? try Self.url(target, [URLQueryItem(name: "ranges", value: "none")]) : target
        }

        private static func url(
            _ target: URL, path: String? = nil, _ items: [URLQueryItem]
        ) throws(FetchFailure) -> URL {
            var components = URLComponents(url: target, resolvingAgainstBaseURL: true)
            let kept = components?.queryItems?.filter { item in !items.contains { $0.name == item.name } } ?? []
            components?.queryItems = kept + items
            if let path { components?.path = path }
            guard let url = components?.url else { throw FetchFailure(.other, "the origin's stall has no address") }
            return url
        }
    }
}

/// The point at which a download is cut, and the origin's sending until then.
package struct ResumeCut: Hashable, Sendable {
    package let offset: Int
    /// The bytes that the origin sends before it stalls: more than the offset if the body is cut while it flows.
    package let sentByteCount: Int
    /// The rate of these bytes per second, or `nil` for the default.
    package let bytesPerSecond: Int?

    /// The bytes sent beyond the cut: as many as sockets hold for a stopped process.
    package static let mostUnderwayByteCount = 128 * 1024
    /// A rate at which the body still flows when the cut is due.
    private static let usualBytesPerSecond = 16 << 20
    /// The maximum duration of the longest body.
    private static let longestSeconds = 8

    package init(flowing byteCount: Int, at offset: Int) {
        self.offset = offset
        sentByteCount = min(offset + Self.mostUnderwayByteCount, byteCount - 1)
        bytesPerSecond = max(Self.usualBytesPerSecond, byteCount / Self.longestSeconds)
    }

    package init(stalledAt offset: Int) {
        self.offset = offset
        sentByteCount = offset
        bytesPerSecond = nil
    }

    fileprivate var query: [URLQueryItem] {
        [URLQueryItem(name: "stall", value: "\(sentByteCount)")]
            + (bytesPerSecond.map { [URLQueryItem(name: "rate", value: "\($0)")] } ?? [])
    }
}
