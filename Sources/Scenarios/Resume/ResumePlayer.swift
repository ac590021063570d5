// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import MemProbe
import TrialKit

/// A player that resumes a download whose process was killed before this one was measured.
final class ResumePlayer: ScenarioPlayer {
    /// The time a paused download idles before it is measured, in nanoseconds.
    private static let pauseNanoseconds: UInt64 = 200_000_000

    private let stage: ScenarioStage
    private let variant: ResumeScenario.Variant?
    private let byteCount: Int
    private let cut: ResumeCut
    private let addresses: FirstProcess.Addresses
    private let download: ResumableDownload
    private let verifier = BodyVerifier()
    private var fetcher: (any Fetcher)?
    private var probe: ProcessProbe
    private var first: FirstProcess.End?
    private var outcome: ResumableDownload.Outcome?
    private var held: Int?
    private var body: BodyReading?

    init(_ stage: ScenarioStage, variant: ResumeScenario.Variant?) async throws {
        let fetcher = try stage.makeFetcher()
        (self.stage, self.variant, self.fetcher) = (stage, variant, fetcher)
        byteCount = try await Self.byteCount(of: stage.target, with: fetcher)
        let offset = variant.offset(in: byteCount, seed: stage.trialSeed)
        // The bytes read by a fetch that is cancelled in this process cannot be counted while it continues to read.
        cut = variant == .pause ? ResumeCut(stalledAt: offset) : ResumeCut(flowing: byteCount, at: offset)
        addresses = try FirstProcess.Addresses(stage.target, of: variant, byteCount: byteCount, cut)
        download = ResumableDownload(addresses.second, identity: stage.target, to: Self.destination(of: stage))
        probe = try ProcessProbe(.current)
    }

    static func destination(of stage: ScenarioStage) -> String { stage.directory + "/resumed.body" }

    func warmUp() async throws {
        guard let fetcher else { return }
        let small = ResumableDownload(stage.warmup, to: stage.directory + "/warmup.body")
        try small.cutInHalf(try await small.fetch(with: fetcher))
        _ = try verifier.reading(of: try await small.fetch(with: fetcher).body, by: stage.settings.verification)
        if variant != .pause { try killFirstProcess() }
    }

    func play() async throws {
        guard let fetcher else { return }
        if variant == .pause { try await pause(fetcher) }
        outcome = try await download.fetch(with: fetcher)
    }

    func linger() async throws {
        guard let outcome else { return }
        body = try verifier.reading(of: outcome.body, by: stage.settings.verification)
    }

    func end() async {
        await fetcher?.invalidate()
        fetcher = nil
    }

    func reading() -> ScenarioReading {
        var figures: [String: Double] = [:]
        var remarks: [String] = []
        var conclusions: [String] = []
        if let outcome { figures["scenario_requests"] = Double(1 + outcome.requests) }
        if let outcome, let received = first?.receivedByteCount {
            let twice = Double(received + outcome.receivedByteCount - byteCount)
            figures["refetched_bytes"] = twice
            conclusions = [ResumeScenario.conclusion(refetched: twice, as: variant)]
            figures["refetched_ratio"] = twice / Double(byteCount)
            figures["cut_received_bytes"] = Double(received)
            figures["cut_underway_bytes"] = Double(cut.sentByteCount - received)
        } else {
            remarks.append(
                "the bytes received before the cut are unknown: over TLS, a connection carries other bytes")
        }
        if let first { figures["cut_kept_bytes"] = Double(first.keptByteCount) }
        if let held { figures["paused_held_bytes"] = Double(held) }
        let how = variant == .pause ? "cancelled" : "killed"
        return ScenarioReading(
            figures: figures, trace: ["\(how) after \(cut.offset) of \(byteCount) bytes"], remarks: remarks,
            conclusions: conclusions, body: body, isOneFetch: true)
    }

    private static func byteCount(of url: URL, with fetcher: any Fetcher) async throws(FetchFailure) -> Int {
        var request = FetchRequest(url: url, method: .head, destination: "")
        request.resumption = Resumption(offset: 0, validator: nil, key: "")
        guard let total = try await fetcher.fetch(request).entity?.totalByteCount, total > 1 else {
            throw FetchFailure(.malformedResponse, "the origin does not tell how long the body is, so it cannot be cut")
        }
        return total
    }

    /// Runs another process that fetches up to the cut.
    private func killFirstProcess() throws {
        let name = variant == .memory ? CutPlayer.forgetful : CutPlayer.remembering
        let part = ScenarioPart(name: name, url: addresses.first.absoluteString)
        first = try FirstProcess(stage: stage, download: download, cut: cut).run(part)
    }

    /// Fetches up to the cut in this process, and measures the memory held during a pause.
    private func pause(_ fetcher: any Fetcher) async throws {
        let before = try probe.resident().resident.rawValue
        let part = ResumableDownload(addresses.first, identity: stage.target, to: Self.destination(of: stage))
        let request = part.request
        let fetch = RepeatCancels.CancelledFetch(request, with: fetcher)
        try await BoundedWait(seconds: stage.patienceSeconds).wait(for: "the first half of the body did not arrive") {
            part.partialByteCount >= cut.offset
        }
        fetch.cancel()
        try await fetch.end()
        // All bytes sent by the origin were on disk before the end.
        first = FirstProcess.End(keptByteCount: part.partialByteCount, receivedByteCount: cut.sentByteCount)
        try await Task.sleep(nanoseconds: Self.pauseNanoseconds)
        held = try probe.resident().resident.rawValue - before
    }
}

/// The player of a download's first process, which is killed while its body arrives.
final class CutPlayer: ScenarioPlayer {
    static let remembering = "remembering"
    /// The name of the part that keeps its state in memory.
    static let forgetful = "forgetful"

    private let fetcher: any Fetcher
    private let request: FetchRequest

    init(_ stage: ScenarioStage, _ part: ScenarioPart) throws {
        guard let url = URL(string: part.url) else { throw FetchFailure(.other, "the URL cannot be parsed") }
        let download = ResumableDownload(url, identity: stage.target, to: ResumePlayer.destination(of: stage))
        var request = download.request
        if part.name == Self.forgetful { request.resumption = nil }
        self.request = request
        fetcher = try stage.makeFetcher()
    }

    func warmUp() async throws { _ = try await fetcher.fetch(request) }

    func play() async throws {}

    func end() async { await fetcher.invalidate() }

    func reading() -> ScenarioReading { ScenarioReading() }
}
