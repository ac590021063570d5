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
        /// The bytes of the body on disk.
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
            // What a full socket cannot take is never acknowledged. Bytes that have arrived and are not acknowledged yet
            // are counted at both ends: on a busy machine for so long that less seems to be read than is on disk.
            let waited = MonotonicClock.now() - begin
            if waited > Self.acknowledgementNanoseconds, received >= kept { return received }
            guard waited < stage.patienceSeconds * 1_000_000_000 else { return nil }
            usleep(1000)
        }
    }
}
