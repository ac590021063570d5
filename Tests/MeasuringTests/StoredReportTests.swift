// SPDX-License-Identifier: Apache-2.0

import Foundation
import Judging
import OperatingSystem
import Runs
import Testing

/// What was stored is held to the same when it is read again.
struct StoredReportTests {
    @Test(arguments: [
        ("report.phases.0.end_ns", "5", "report.phases[0].end_ns"),
        ("report.baseline.memory.resident_bytes", "-9223372036854775808", "report.baseline.memory.resident_bytes"),
        ("process_duration_ns", "9223372036854775807", "process_duration_ns"),
        ("asset_bytes", "-1", "asset_bytes"),
        ("anonymous_peaks.0.sampled_maximum_bytes", "9223372036854775807", "anonymous_peaks[0]"),
        ("report", "", "report is missing"),
        ("case.conditions", "{\"concurrency\":9223372036854775807}", "case.conditions.concurrency"),
    ])
    func aTrialThatCannotBeIsRefusedWithItsLine(path: String, value: String, field: String) throws {
        try withTemporaryFolder { place in
            let folder = RunFolder(existing: place)
            let run = SyntheticRun.record(.synthetic())
            try RunStore.create(run, in: folder)
            try TrialLog(folder).append(try SyntheticTrial(number: 1).trial(), series: [])
            let good = try folder.data(of: .log)
            let bad = try MutatedJSON.text(of: good, setting: path, to: value)
            try folder.write(String(decoding: good, as: UTF8.self) + bad + "\n", to: .log)
            let error = try #require(throws: FetchBenchError.self) { try RunStore.load(folder) }
            guard case .malformedRun(_, let reason) = error else {
                Issue.record("\(error) is another error")
                return
            }
            #expect(reason.hasPrefix("line 2 of trials.jsonl ") && reason.contains(field), "\(reason)")
        }
    }

    @Test(arguments: [
        ("plan.trials", "9223372036854775807", "plan.trials"),
        ("plan.settings.timeout_seconds", "1e300", "plan.settings.timeout_seconds"),
        ("plan.assets.0.bytes", "9223372036854775807", "plan.assets[0].bytes"),
        ("environment.peak_error_bound_bytes", "9223372036854775807", "environment.peak_error_bound_bytes"),
    ])
    func aRunThatCannotBeIsRefusedWithItsField(path: String, value: String, field: String) throws {
        var text = try StoredText(SyntheticRun.complete())
        text.head = try MutatedJSON.text(of: Data(text.head.utf8), setting: path, to: value)
        let reason = try text.reason()
        #expect(reason.contains(field), "\(reason)")
    }

    /// What is kept by the name of a case is kept once.
    @Test func aCaseThatIsThereTwiceIsRefused() throws {
        var run = try SyntheticRun.complete()
        run.plan.cases += run.plan.cases.prefix(1)
        let reason = try StoredText(run).reason()
        #expect(reason.contains("plan.cases[\(run.plan.cases.count - 1)]"), "\(reason)")
    }

    @Test func aHistoryOfImpossibleMediansIsRefused() throws {
        let line = "{\"measured_at\":\"2026\",\"medians\":{\"a/b/c/d\":{\"net_peak_bytes\":1e300}}}\n"
        let error = try #require(throws: FetchBenchError.self) { try History.points(parsing: Data(line.utf8)) }
        guard case .malformedHistory(1, let reason) = error else {
            Issue.record("\(error) is another error")
            return
        }
        #expect(reason.contains("net_peak_bytes"))
    }
}
