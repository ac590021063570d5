// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import MemProbe
import TrialKit

/// The process that fetches a part of a body and is killed while more of it arrives.
///
/// It is stopped first, as suddenly as it is killed, so that what was on its way to it can be counted: what it had read
/// is what the origin had sent without that.
struct FirstProcess {
    /// What became of the process.
    struct End {
        /// How many bytes of the body are on disk.
        let keptByteCount: Int
        /// How many bytes of the body it had read from its connection; `nil` where nobody can count them.
        let receivedByteCount: Int?
    }

    /// How long bytes that have come may wait for being acknowledged, in nanoseconds.
    private static let acknowledgementNanoseconds = 300_000_000

    let stage: ScenarioStage
    let download: ResumableDownload
    let cut: ResumeCut

    /// Lets it fetch, and kills it as soon as so much of the body is on disk.
    ///
    /// It blocks this thread, with which that process ends.
    func run(_ part: ScenarioPart) throws -> End {
        // Over TLS the connection carries other bytes than the body has.
        let origin = stage.target.scheme == "http" ? stage.target.port : nil
        let before = try origin.map { try OriginCount.now(at: $0).byteCountSent } ?? 0
        var request = stage.request
        request.scenarioPart = part
        let process = try PartProcess(request)
        defer { process.kill() }
        try process.wait(atMost: stage.patienceSeconds) { download.partialByteCount >= cut.offset }
        try process.freeze()
        let received = try origin.flatMap { try receivedByteCount(process, from: $0, before) }
        process.kill()
        return End(keptByteCount: download.partialByteCount, receivedByteCount: received)
    }

    /// How many bytes of the body a process has read that is stopped.
    private func receivedByteCount(_ process: PartProcess, from port: Int, _ before: Int) throws -> Int? {
        let sent = cut.sentByteCount
        try process.wait(atMost: stage.patienceSeconds) {
            try OriginCount.now(at: port).byteCountSent - before >= sent
        }
        let inodes = SocketTable.inodes(of: process.identifier)
        let end = MonotonicClock.now() + Self.acknowledgementNanoseconds
        while true {
            guard let underway = SocketTable(ofServerAt: port).underway(to: inodes) else { return nil }
            if underway.unacknowledgedByteCount == 0 || MonotonicClock.now() > end {
                return sent - underway.unreadByteCount - underway.unacknowledgedByteCount
            }
            usleep(1000)
        }
    }
}
