// SPDX-License-Identifier: Apache-2.0

import Foundation
import Measuring
import Reports
import Runs
import Testing

/// Modes that show pictures by themselves: with what they can be combined, and what is told of them.
struct ShownPictureTests {
    private static let mode = FakeMode(name: "publisher-picture", need: .image, showsItself: true)

    private func reason(_ model: FakeModel, of asset: Asset = .hero, display: PictureDisplay = .verified) -> String? {
        var conditions = FetchConditions.standard
        conditions.display = display
        return Plan.synthetic(
            assets: [asset], modes: [Self.mode], models: [model], allocators: [.glibc], conditions: [conditions]
        ).inapplicable.first?.reason
    }

    @Test(arguments: [PictureDisplay.verified, .atOnce])
    func noRenderModelShowsThePictureAgain(display: PictureDisplay) {
        let words = "mode publisher-picture decodes pictures itself: use --render none"
        #expect(reason(FakeModel(name: "imageview"), display: display) == words)
        let none = FakeModel(name: "none", needsBody: false)
        #expect((reason(none, display: display) == nil) == (display == .verified), "none shows nothing at once either")
    }

    @Test func assetsThatAreNotPicturesAreInapplicable() {
        var text = Asset(name: "text-1KiB", location: "/text/1KiB", isEmbedded: true, mediaType: "text/plain")
        let none = FakeModel(name: "none", needsBody: false)
        #expect(
            reason(none, of: text)
                == "asset text-1KiB is text/plain, and mode publisher-picture needs an image")
        text.mediaType = nil
        #expect(reason(none, of: text) == nil, "what a foreign URL is, the fetch will tell")
    }

    @Test func aDeclarationSaysSoAndOneOfAnOlderProgramDoesNot() throws {
        for mode in [Self.mode, FakeMode(name: "data")] {
            let stored = try JSONEncoder().encode(ModeDeclaration(mode))
            #expect(String(decoding: stored, as: UTF8.self).contains("shows_pictures") == mode.showsItself)
            let read = try JSONDecoder().decode(ModeDeclaration.self, from: stored)
            #expect(read.showsItself == mode.showsItself)
        }
    }

    /// A run of five trials, in which this many pictures were the fallback.
    private func report(fallbacks: Int?, concurrency: Int = 1) throws -> Report {
        var cell = Case(asset: "hero", mode: "data", render: "none", allocator: .glibc)
        cell.conditions.concurrency = concurrency
        let plan = Plan.synthetic(
            modes: [FakeMode(name: "data", abilities: [.concurrency])], allocators: [.glibc],
            conditions: [cell.conditions])
        let trials = try (1...5).map { number in
            var synthetic = SyntheticTrial(number: number, cell: cell, bitmap: .mebibytes(4))
            synthetic.asset?.byteCount = .mebibytes(10)
            var trial = try synthetic.trial()
            trial.report?.picture?.fallbackCount = fallbacks
            return trial
        }
        return Report(SyntheticRun.record(plan).completed(from: trials, finishedAt: nil))
    }

    @Test func theCopiesBesideTheBitmapAreNotK() throws {
        let shown = try #require(try report(fallbacks: 0).leadingCase("data", "none"))
        #expect(shown.copies == nil && shown.median(of: .copiesBesideBitmap) == 0.8, "12 MiB, 4 of them bitmap, of 10")
        #expect(Metric.pictureFallbacks.value(shown.trials[0]) == 0)
        let other = try #require(try report(fallbacks: nil).leadingCase("data", "none"))
        #expect(Metric.pictureFallbacks.value(other.trials[0]) == nil)
    }

    @Test(arguments: [(1, 1, "5 of 5 showed the fallback"), (2, 3, "10 of 15 showed the fallback")])
    func fallbacksAreToldWithTheFigures(fallbacks: Int, concurrency: Int, words: String) throws {
        let report = try report(fallbacks: fallbacks, concurrency: concurrency)
        #expect((try Formats.runTable.text(of: report)).contains(words))
        #expect((try Formats.runMarkdown.text(of: report)).contains(words))
        let none = try self.report(fallbacks: 0, concurrency: concurrency)
        #expect(!(try Formats.runTable.text(of: none)).contains("fallback"))
    }

    private final class Shown: ShownPicture {
        let (width, height, bitmapByteCount, isFallback) = (1, 1, 4, false)
    }

    @Test(arguments: [FetchedBody.Content.file(path: "/nowhere"), .memory([UInt8](repeating: 1, count: 3))])
    func aReceiptHoldsNoPicture(content: FetchedBody.Content) {
        weak var held: Shown?
        func receipt() -> BodyVerifier.Receipt {
            let picture = Shown()
            held = picture
            var body = FetchedBody(content: content, byteCount: 3)
            body.picture = picture
            let (receipt, handedOn) = BodyVerifier.Receipt.exchange(body, verifiedBy: .sha256)
            #expect(handedOn.picture === picture)
            return receipt
        }
        withExtendedLifetime(receipt()) { #expect(held == nil) }
    }

    @Test func picturesShownWithinTheFetchNameThePhaseOfHashing() throws {
        var conditions = FetchConditions.standard
        conditions.display = .atOnce
        let plan = Plan.synthetic(allocators: [.glibc], conditions: [conditions])
        let report = Report(SyntheticRun.record(plan).completed(from: [], finishedAt: nil))
        for text in [(try Formats.runTable.text(of: report)), (try Formats.runMarkdown.text(of: report))] {
            let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            #expect(words.contains("is hashed when it is released: in fetch"))
        }
    }
}

/// The output of `doctor` for kernel versions.
@Suite struct DiagnosisTests {
    @Test(arguments: [
        ("5.15.0-91-generic", Diagnosis.State.limited, Diagnosis.State.limited),
        ("6.1.0", .limited, .limited),
        ("6.2.16", .available, .limited), ("6.6.8", .available, .limited), ("6.7.0", .available, .available),
        ("6.18.44", .available, .available), ("unknown", .limited, .limited),
    ])
    func theKernelDecides(release: String, peak: Diagnosis.State, zeros: Diagnosis.State) {
        let kernel = KernelVersion(release: release)
        let bound = PeakErrorBound.Machine(kernel: kernel, cpus: 2, pageSize: 4096)
        let findings = [Diagnosis.peakError(bound, of: kernel), .zeroPages(of: kernel)]
        #expect(findings.map(\.state) == [peak, zeros])
        #expect(findings.allSatisfy { ($0.remedy == nil) == ($0.state == .available) })
        #expect(findings[0].detail.contains(peak == .limited ? "4224 KiB" : "744 KiB"))
    }
}
