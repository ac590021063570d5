// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import ImageLoading
import MemProbe
import Rendering
import TrialKit

/// A player that scrolls along a trace, waits for the visible cells, and counts what still runs.
final class GalleryPlayer: ScenarioPlayer {
    private static let columns = 3
    private static let visibleRows = 4
    private static let rounds = 2
    /// The time after the stop at which abandoned requests are counted.
    private static let lookNanoseconds = 1_000_000_000
    /// The bytes a download holds of a body, and a session's connections to one host, for policies without a limit.
    private static let (pieceByteCount, usualDownloads) = (65_536, 6)

    private let parts: LoaderStage
    private let stage: ScenarioStage
    private let assets: [ScenarioAsset]
    private let trace: GalleryTrace
    private let board: GalleryBoard
    private var stop = 0
    private var shownAfter = 0
    private var runningAfterStop: Int?
    private var staleAtStop = 0
    private var boardCounts = GalleryBoard.Counts()
    private var counts = LoaderCounts()
    private var countsBeforeEnd = LoaderCounts()
    private var mostBitmapBytes = 0

    init(_ stage: ScenarioStage, variant: GalleryScenario.Variant?) throws {
        guard !stage.members.isEmpty else { throw FetchFailure(.other, "the asset of a gallery is a set of pictures") }
        self.stage = stage
        assets = (0..<Self.rounds).flatMap { round in stage.members.map { Self.asset($0, round) } }
        parts = try LoaderStage(stage, assets: assets) { variant?.change(&$0) }
        trace = GalleryTrace(
            seed: stage.seed, pictures: stage.members.count + 1, rounds: Self.rounds, columns: Self.columns,
            visibleRows: Self.visibleRows)
        let view = PixelSize(
            width: stage.rendering.viewWidth / Self.columns, height: stage.rendering.viewHeight / Self.visibleRows)
        board = try Self.board(parts, stage, trace, view)
    }

    private static func board(
        _ parts: LoaderStage, _ stage: ScenarioStage, _ trace: GalleryTrace, _ view: PixelSize
    ) throws -> GalleryBoard {
        var items: [GalleryBoard.Item] = []
        var urls: [URL] = []
        for (place, picture) in trace.items.enumerated() {
            let round = place / (stage.members.count + 1)
            var item =
                picture < stage.members.count
                ? try Self.item(Self.asset(stage.members[picture], round), in: view) : noPicture(stage, round)
            item.picture = place
            guard let url = URL(string: item.url) else { throw FetchFailure(.other, "invalid picture URL") }
            items.append(item)
            urls.append(url)
        }
        return GalleryBoard(
            items: items, columns: columns, visibleRows: visibleRows,
            cancels: parts.policy.cancelling == .automatic, checker: PictureChecker(parts.loader.fingerprints)
        ) { [loader = parts.loader, urls] item throws(LoadFailure) in
            try await loader.picture(at: urls[item.picture], for: view)
        }
    }

    private static func asset(_ asset: ScenarioAsset, _ round: Int) -> ScenarioAsset {
        var own = asset
        own.url = unique(asset.url, round)
        return own
    }

    /// Returns a URL for this round of the list, so that no two items share one.
    private static func unique(_ url: String, _ round: Int) -> String {
        url + (url.contains("?") ? "&" : "?") + "item=\(round)"
    }

    func warmUp() async throws { try await parts.warmUp(stage) }

    func play() async throws {
        var next = MonotonicClock.now()
        for offset in trace.offsets {
            try await Self.sleep(until: next)
            await board.scroll(to: offset)
            // A step that comes late delays the others: no finger catches up, and no cell is visible for less time.
            next = max(next, MonotonicClock.now()) + GalleryTrace.stepNanoseconds
        }
        stop = MonotonicClock.now()
        // In this order: a load that ends in between is missing from the loads, so it cannot be counted as stale.
        let waiting = await board.waitingCount
        staleAtStop = max(0, parts.loader.loadsUnderWay - waiting)
        try await BoundedWait(seconds: stage.patienceSeconds).wait(for: "visible cells showed nothing") {
            let waiting = await board.waitingCount
            lookAtRequests(besides: waiting)
            return waiting == 0
        }
        shownAfter = MonotonicClock.now() - stop
        if let wrong = parts.fetcher.wrongBody { throw wrong }
    }

    func linger() async throws {
        try await Self.sleep(until: stop + Self.lookNanoseconds)
        lookAtRequests(besides: 0)
        countsBeforeEnd = parts.loader.journal.counts
        mostBitmapBytes = parts.ledger.highestByteCount
        boardCounts = await board.counts
    }

    /// Counts, once, the requests still running some time after the stop, except those of waiting cells.
    private func lookAtRequests(besides waiting: Int) {
        guard runningAfterStop == nil, MonotonicClock.now() >= stop + Self.lookNanoseconds else { return }
        runningAfterStop = max(0, parts.loader.journal.counts.running - waiting)
    }

    func end() async {
        await board.clear()
        counts = await parts.end()
    }

    func reading() throws -> ScenarioReading {
        var figures = boardFigures
        figures["gallery_running"] = runningAfterStop.map(Double.init)
        figures["scenario_requests"] = Double(counts.requests)
        figures["scenario_decodes"] = Double(counts.decodes)
        figures["scenario_most_decodes"] = Double(counts.mostDecoding)
        figures["gallery_in_flight_bytes"] = Double(counts.mostDecodingBytes)
        figures["gallery_must_hold_bytes"] = Double(counts.mostForOnePicture)
        figures["gallery_pieces_bytes"] = Double(
            (parts.policy.downloadsAtOnce ?? Self.usualDownloads) * Self.pieceByteCount)
        figures["gallery_bitmaps_bytes"] = Double(mostBitmapBytes)
        figures["gallery_unshown_bytes"] = Double(unshownByteCount)
        figures["gallery_fetched_bytes"] = Double(counts.fetchedByteCount)
        figures["gallery_ran_on"] = Double(counts.ranOn)
        return ScenarioReading(
            figures: figures, trace: trace.lines, remarks: parts.remarks + failureRemarks,
            conclusions: GalleryScenario.conclusions(of: figures, stage.mode.onCancel))
    }

    /// The messages of the first failed fetch and of the first cell without its picture.
    private var failureRemarks: [String] {
        let (before, board) = (countsBeforeEnd, boardCounts)
        let first = before.firstFailure.map { "the first of \(before.failures) failed fetches: \($0)" }
        let shown = board.firstFailure.map { "the first of \(board.failures) cells without a picture: \($0)" }
        return [first, shown].compactMap(\.self)
    }

    private var boardFigures: [String: Double] {
        [
            "gallery_visible_bytes": Double(boardCounts.mostVisibleBytes),
            "gallery_stale": Double(staleAtStop),
            "gallery_late": Double(boardCounts.late),
            "gallery_shown_after_ns": Double(shownAfter),
            "gallery_wrong_pictures": Double(boardCounts.wrong),
            "gallery_failures": Double(max(countsBeforeEnd.failures, boardCounts.failures)),
            "gallery_undecoded": Double(boardCounts.undecoded),
            "gallery_fallbacks": Double(boardCounts.fallbacks),
            "gallery_reuses": Double(boardCounts.reuses),
        ]
    }

    /// The bytes of bodies that were fetched completely and never shown.
    private var unshownByteCount: Int {
        assets.reduce(0) { sum, asset in
            let fetched = counts.completedByURL[asset.url] ?? 0
            let shown = boardCounts.shownObjects[asset.url] ?? 0
            return sum + max(0, fetched - shown) * asset.byteCount
        }
    }

    private static func item(_ asset: ScenarioAsset, in view: PixelSize) throws(FetchFailure) -> GalleryBoard.Item {
        guard let width = asset.width, let height = asset.height else {
            throw FetchFailure(.other, "\(asset.name) is not a picture")
        }
        let shown = PixelSize(width: width, height: height).fitted(into: view)
        return GalleryBoard.Item(
            picture: 0, url: asset.url, sha256: asset.sha256,
            shownByteCount: shown.pixelCount * MemoryLayout<Pixel>.size)
    }

    /// Returns an item that cannot be decoded, so that every trial shows the fallback.
    private static func noPicture(_ stage: ScenarioStage, _ round: Int) -> GalleryBoard.Item {
        GalleryBoard.Item(picture: 0, url: unique(stage.warmup.absoluteString, round), sha256: nil, shownByteCount: 0)
    }

    private static func sleep(until time: Int) async throws {
        let left = time - MonotonicClock.now()
        if left > 0 { try await Task.sleep(nanoseconds: UInt64(left)) }
    }
}
