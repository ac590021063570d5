// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import TrialKit

/// The player of a download's first process, which is killed while its body arrives.
final class CutPlayer: ScenarioPlayer {
    /// The name of the part that stores its state.
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

    func warmUp() async throws {
        _ = try await fetcher.fetch(request)
    }

    func play() async throws {}

    func end() async {
        await fetcher.invalidate()
    }

    func reading() -> ScenarioReading { ScenarioReading() }
}
