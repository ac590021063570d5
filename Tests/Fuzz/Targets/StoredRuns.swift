// SPDX-License-Identifier: Apache-2.0

import Foundation
import Judging
import OperatingSystem
import Reports
import Runs
import TrialKit

extension FuzzTarget {
    /// What `report`, `compare` and `--resume` read in the folder of a run.
    static let storedRuns = [
        FuzzTarget(name: "run", summary: "run.json of a finished run", drawingInterval: 256) { bytes, draws in
            try FuzzContext.store(bytes, as: .run)
            try FuzzContext.store(try FuzzContext.trialsText.get(), as: .log)
            let run = try RunStore.load(FuzzContext.storage)
            try StoredRun.check(run)
            guard draws else { return }
            try StoredRun.checkRoundTrip(run)
            StoredRun.draw(run)
        },
        FuzzTarget(name: "trials", summary: "trials.jsonl of an interrupted run", drawingInterval: 256) {
            bytes, draws in
            try FuzzContext.store(try FuzzContext.unfinishedText.get(), as: .run)
            try FuzzContext.store(bytes, as: .log)
            let run = try RunStore.load(FuzzContext.storage)
            try StoredRun.check(run)
            try StoredRun.checkRoundTrip(run.trials)
            guard draws else { return }
            try FuzzContext.store(Array("trial,time_ns\n1,2\n".utf8), as: .samples)
            try TrialLog.mend(FuzzContext.storage, keeping: run.trials)
            let again = try RunStore.load(FuzzContext.storage)
            try promise(again.trials == run.trials, "resuming changes the trials")
            StoredRun.draw(run)
        },
        FuzzTarget(name: "samples", summary: "samples.csv", drawingInterval: 256) { bytes, draws in
            try FuzzContext.store(bytes, as: .samples)
            var series = DecimatedSeries(slices: 16)
            try SampleScanner.scan(FuzzContext.storage, wanted: { _ in true }, use: { series.add($0) })
            try promise(series.slices.count <= 16, "more slices than there are to be")
            if draws { StoredRun.draw(try FuzzContext.run.get(), in: FuzzContext.storage) }
        },
        FuzzTarget(name: "allocator", summary: "allocator.csv", drawingInterval: 256) { bytes, draws in
            try FuzzContext.store(bytes, as: .allocator)
            defer { try? FileManager.default.removeItem(atPath: FuzzContext.storage.path(of: .allocator)) }
            let curves = try AllocatorCurve.all(in: FuzzContext.storage)
            try promise(curves.allSatisfy { !$0.rows.isEmpty }, "a curve without readings")
            for curve in curves { _ = (curve.atPeak, curve.atEnd, curve.keeper) }
            try AllocatorCurve.write(curves, to: FuzzContext.storage)
            // Names are made harmless when they are written.
            let again = try AllocatorCurve.all(in: FuzzContext.storage)
            try promise(again.flatMap(\.rows) == curves.flatMap(\.rows), "read again, it is another curve")
            if draws { StoredRun.draw(try FuzzContext.run.get(), in: FuzzContext.storage) }
        },
    ]
}

/// What has to hold of every run that could be read.
enum StoredRun {
    /// Asks everything of a run that a command asks before it draws.
    static func check(_ run: RunRecord) throws {
        _ = run.casesShortOfTrials
        let known = try FuzzContext.run.get()
        for (base, head) in [(known, run), (run, known)] {
            _ = StoredComparison(base: base, head: head, allowsMismatch: true).judgement(
                tool: run.tool, at: run.startedAt)
        }
        _ = HistoryPoint(of: run)
    }

    /// Trials are what they were when they are written and read again.
    static func checkRoundTrip(_ trials: [Trial]) throws {
        let encoder = JSONEncoder()
        for trial in trials {
            let again = try JSONDecoder().decode(Trial.self, from: try encoder.encode(trial))
            try promise(again == trial, "a trial is another one when it is read again")
        }
    }

    /// The same of a whole run, as it is stored.
    static func checkRoundTrip(_ run: RunRecord) throws {
        try RunStore.create(run, in: FuzzContext.storage)
        try promise(try RunStore.load(FuzzContext.storage) == run, "a run is another one when it is read again")
    }

    /// Draws a run in every format, and the comparison of it with itself; a format may have nothing to draw.
    static func draw(_ run: RunRecord, in folder: RunFolder? = nil) {
        let report = folder.flatMap { try? Report(run, in: $0) } ?? Report(run)
        for format in Formats.ofRuns { _ = try? format.text(of: report) }
        let judgement = StoredComparison(base: run, head: run, allowsMismatch: true).judgement(
            tool: run.tool, at: run.startedAt)
        for format in Formats.ofJudgements { _ = try? format.text(of: judgement) }
    }
}
