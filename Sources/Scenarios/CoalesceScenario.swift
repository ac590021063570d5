// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import ImageLoading
import MemProbe
import Rendering
import Synchronization
package import TrialKit

/// A scenario with one picture for many cells at the same time: how often it is fetched, decoded and held.
package struct CoalesceScenario: Scenario {
    package let name = "coalesce"
    package let summary = "one URL for 12 cells at the same time, one of which leaves, under a loader's policy"
    package let usualAsset: String? = "gallery"
    package let needs = ScenarioNeeds(abilities: [.concurrency], body: true, loader: true, cancels: true)
    package var loaders: [LoaderDeclaration] { LoaderPolicy.all.map(\.declaration) }

    package let variants = [ScenarioVariant(Self.off, "shares nothing", isControl: true)]

    private static let off = "off"

    package init() {}

    package func makePlayer(on stage: ScenarioStage) async throws -> any ScenarioPlayer {
        try CoalescePlayer(stage, isShared: stage.choice.variant != Self.off)
    }

    /// A player that requests one picture from twelve cells at once, cancels one, and keeps the others' pictures.
    final class CoalescePlayer: ScenarioPlayer {
        private static let cellCount = 12
        private static let leaver = 4

        private let parts: LoaderStage
        private let stage: ScenarioStage
        private let asset: ScenarioAsset
        private let url: URL
        private let view: PixelSize
        private var pictures: [LoadedPicture] = []
        private var counts = LoaderCounts()
        private var mostBitmapBytes = 0
        private var pictureCount = 0
        private var onePictureBytes = 0

        init(_ stage: ScenarioStage, isShared: Bool) throws {
            self.stage = stage
            asset = Self.largest(stage)
            url = try LoaderStage.url(asset)
            view = PixelSize(width: stage.rendering.viewWidth, height: stage.rendering.viewHeight)
            parts = try LoaderStage(stage, assets: [asset]) { policy in
                guard !isShared else { return }
                policy.coalesces = false
                // A limit of downloads would hide that nothing is shared.
                policy.downloadsAtOnce = nil
                policy.decodes = .none
                policy.decodeMemory = .unlimited
            }
            pictures.reserveCapacity(Self.cellCount)
        }

        func warmUp() async throws { try await parts.warmUp(stage) }

        func play() async throws {
            let (loader, url, view, ended) = (parts.loader, url, view, EndedCells())
            let cells = (0..<Self.cellCount).map { _ in
                Task { () -> Result<LoadedPicture, LoadFailure> in
                    defer { ended.add() }
                    do throws(LoadFailure) {
                        return .success(try await loader.picture(at: url, for: view))
                    } catch {
                        return .failure(error)
                    }
                }
            }
            // Only after its request has started: a cell that leaves earlier has requested nothing.
            let expected = parts.policy.coalesces ? 1 : min(Self.cellCount, parts.policy.downloadsAtOnce ?? .max)
            try await BoundedWait(seconds: stage.patienceSeconds).wait(for: "\(expected) requests did not begin") {
                // If all cells have a picture, a cache has answered some of them, and no request is missing.
                loader.journal.counts.requests >= expected || ended.count == Self.cellCount
            }
            cells[Self.leaver].cancel()
            for (number, cell) in cells.enumerated() {
                switch await cell.value {
                case .success(let picture): pictures.append(picture)
                case .failure(.cancelled) where number == Self.leaver: break
                case .failure(.fetch(let failure)): throw failure
                case .failure(.render(let failure)): throw failure
                case .failure(.cancelled): throw FetchFailure(.other, "a cell that stayed was cancelled")
                }
            }
            if let wrong = parts.fetcher.wrongBody { throw wrong }
            mostBitmapBytes = parts.ledger.highestByteCount
        }

        func end() async {
            pictureCount = pictures.count
            onePictureBytes = pictures.first?.bitmap.byteCount ?? 0
            pictures = []
            counts = await parts.end()
        }

        func reading() throws -> ScenarioReading {
            var figures: [String: Double] = [
                "scenario_requests": Double(counts.requests), "scenario_decodes": Double(counts.decodes),
                "scenario_most_decodes": Double(counts.mostDecoding), "coalesce_pictures": Double(pictureCount),
            ]
            if onePictureBytes > 0 {
                figures["coalesce_bitmaps_ratio"] = Double(mostBitmapBytes) / Double(onePictureBytes)
            }
            return ScenarioReading(
                figures: figures, remarks: parts.remarks, body: parts.fetcher.agreedReading(of: asset))
        }

        private static func largest(_ stage: ScenarioStage) -> ScenarioAsset {
            stage.members.max { $0.byteCount < $1.byteCount }
                ?? ScenarioAsset(
                    name: "asset", url: stage.target.absoluteString, mediaType: "", byteCount: 0, sha256: "")
        }
    }

    private final class EndedCells: Sendable {
        private let ended = Atomic(0)

        var count: Int { ended.load(ordering: .relaxed) }

        func add() { ended.add(1, ordering: .relaxed) }
    }
}

extension CoalesceScenario {
    package var question: String? { "what do 12 cells with the same picture cost?" }

    package var figures: [FigureDeclaration] {
        [
            Self.requests, .decodes(suspect: SuspectLimit(above: 1, "a decode for each caller"), decides: .one),
            FigureDeclaration(
                "coalesce_pictures", short: "pictures", .ratio,
                "coalesce: how many of 12 cells got the picture, of which one left", better: .higher,
                heading: "pictures", style: .count,
                suspect: SuspectLimit(above: 11, below: 11, "missing pictures for callers that stayed")),
            FigureDeclaration(
                "coalesce_bitmaps_ratio", short: "bitmaps_of_one", .ratio,
                "coalesce: the bitmaps alive at one time ÷ one picture", heading: "bitmaps ÷ one picture"),
        ]
    }

    private static let requests: FigureDeclaration = {
        var requests = FigureDeclaration.requests(decides: .one)
        requests.suspect = SuspectLimit(above: 1, "a request for each caller")
        return requests
    }()

    package var legend: [String] {
        [
            "12 callers ask concurrently, and one cancels as soon as its request has started, so 11 pictures are expected.",
            "Bitmaps include the intermediate size that the decoder scales to.",
        ]
    }
}
