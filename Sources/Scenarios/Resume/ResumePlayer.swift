// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import MemProbe
import TrialKit

/// Goes on with a download whose process was killed, before this one was measured, while its body arrived.
final class ResumePlayer: ScenarioPlayer {
    /// How long a paused download holds still before it is looked at, in nanoseconds.
    private static let pauseNanoseconds: UInt64 = 200_000_000

    private let stage: ScenarioStage
    private let variant: ResumeScenario.Variant?
    private let byteCount: Int
    private let offset: Int
    private let addresses: ResumeAddresses
    private let download: ResumableDownload
    private let verifier = BodyVerifier()
    private var fetcher: (any Fetcher)?
    private var probe: ProcessProbe
    private var outcome: ResumableDownload.Outcome?
    private var held: Int?
    private var body: BodyReading?

    init(_ stage: ScenarioStage, variant: ResumeScenario.Variant?) async throws {
        let fetcher = try stage.makeFetcher()
        self.stage = stage
        self.variant = variant
        self.fetcher = fetcher
        byteCount = try await Self.byteCount(of: stage.target, with: fetcher)
        offset = variant.offset(in: byteCount, seed: stage.trialSeed)
        addresses = try ResumeAddresses(stage.target, of: variant, byteCount: byteCount, cutAt: offset)
        download = ResumableDownload(addresses.second, identity: stage.target, to: Self.destination(of: stage))
        probe = try ProcessProbe(.current)
    }

    /// Where the file is in both processes.
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
        if let outcome {
            let twice = Double(offset + outcome.receivedByteCount - byteCount)
            figures["refetched_bytes"] = twice
            figures["refetched_ratio"] = twice / Double(byteCount)
            figures["scenario_requests"] = Double(1 + outcome.requests)
        }
        if let held { figures["paused_held_bytes"] = Double(held) }
        let how = variant == .pause ? "cancelled" : "killed"
        return ScenarioReading(
            figures: figures, trace: ["\(how) after \(offset) of \(byteCount) bytes"], body: body)
    }

    /// Asks for the header alone.
    private static func byteCount(of url: URL, with fetcher: any Fetcher) async throws(FetchFailure) -> Int {
        var request = FetchRequest(url: url, method: .head, destination: "")
        request.resumption = Resumption(offset: 0, validator: nil, key: "")
        guard let total = try await fetcher.fetch(request).entity?.totalByteCount, total > 1 else {
            throw FetchFailure(.malformedResponse, "the origin does not tell how long the body is, so it cannot be cut")
        }
        return total
    }

    /// Lets another process fetch up to where the body is cut.
    ///
    /// It blocks this thread, with which that process ends.
    private func killFirstProcess() throws(FetchFailure) {
        var request = stage.request
        let name = variant == .memory ? CutPlayer.forgetful : CutPlayer.remembering
        request.scenarioPart = ScenarioPart(name: name, url: addresses.first.absoluteString)
        let process = try PartProcess(request)
        let (download, offset) = (download, offset)
        try process.wait(atMost: stage.settings.idleTimeoutSeconds) { download.partialByteCount >= offset }
        process.kill()
    }

    /// Fetches up to where the body is cut, in this process, and reads what it holds meanwhile.
    private func pause(_ fetcher: any Fetcher) async throws {
        let before = try probe.resident().resident.rawValue
        let first = ResumableDownload(addresses.first, identity: stage.target, to: Self.destination(of: stage))
        let request = first.request
        let fetch = Task { try? await fetcher.fetch(request) }
        var left = stage.settings.idleTimeoutSeconds * 1000
        while first.partialByteCount < offset {
            guard left > 0 else { throw FetchFailure(.idleTimeout, "the first half of the body has not arrived") }
            try await Task.sleep(nanoseconds: 1_000_000)
            left -= 1
        }
        fetch.cancel()
        guard await fetch.value == nil else {
            throw FetchFailure(.other, "a fetch that was cancelled has ended as if it were whole")
        }
        try await Task.sleep(nanoseconds: Self.pauseNanoseconds)
        held = try probe.resident().resident.rawValue - before
    }
}
