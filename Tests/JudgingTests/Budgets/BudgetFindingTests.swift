// SPDX-License-Identifier: Apache-2.0

import Judging
import Runs
import Testing
import TrialKit

struct BudgetFindingTests {
    @Test(arguments: [
        (
            "peak <= 0.3 * size + 1 MiB",
            "peak 8.6 MiB > limit 3.9 MiB (0.3 * size + 1 MiB; trial 2 is the worst of 3)"
        ),
        (
            "peak <= 1.2 * size + 4 MiB",
            "peak 8.6 MiB <= limit 15.4 MiB (1.2 * size + 4 MiB; trial 2 is the worst of 3)"
        ),
        ("peak <= 4 MiB", "peak 8.6 MiB > limit 4.0 MiB (trial 2 is the worst of 3)"),
        ("4 MiB >= peak", "peak 8.6 MiB > limit 4.0 MiB (trial 2 is the worst of 3)"),
        ("peak >= 4 MiB", "peak 2.9 MiB < limit 4.0 MiB (trial 3 is the worst of 3)"),
        ("peak < 8999999 B", "peak 9000000 B >= limit 8999999 B (trial 2 is the worst of 3)"),
        ("peak < 8999999.9 B", "peak 9000000.0 B >= limit 8999999.9 B (trial 2 is the worst of 3)"),
        ("median(peak) <= 1 MiB", "median(peak) 3.8 MiB > limit 1.0 MiB (3 trials)"),
        ("max(peak) <= size / 4", "max(peak) 8.6 MiB > limit 2.4 MiB (size / 4; trial 2 is the worst of 3)"),
        ("median(peak) <= 1 KiB", "median(peak) 4000000 B > limit 1024 B (3 trials)"),
        ("k <= 0.1", "k 0.90 > limit 0.10 (trial 2 is the worst of 3)"),
        ("k <= 0.8999", "k 0.9000 > limit 0.8999 (trial 2 is the worst of 3)"),
        ("k < 0.9", "k 0.90 >= limit 0.90 (trial 2 is the worst of 3)"),
        (
            "fetch_cpu <= 0.1*fetch_duration",
            "fetch_cpu 50.0 ms > limit 20.0 ms (0.1*fetch_duration; trial 1 is the worst of 3)"
        ),
        ("peak <= size / 0", "peak <= size / 0 cannot be judged: division by zero at column 14"),
        (
            "slope < 1",
            "slope < 1 cannot be judged: slope needs a sweep of at least 3 sizes, which this case is not part of"
        ),
    ])
    func aFindingIsOneLine(text: String, line: String) throws {
        let run = try BudgetRun.record(peaks: [4_000_000, 9_000_000, 3_000_000])
        #expect(try BudgetRun.finding(text, in: run).text == "hero/download/none/glibc: " + line)
    }

    @Test func aSingleTrialIsNotTheWorstOfOne() throws {
        let finding = try BudgetRun.finding("peak <= size", in: BudgetRun.record(peaks: [4_000_000]))
        #expect(finding.text == "hero/download/none/glibc: peak 3.8 MiB <= limit 9.5 MiB (size; 1 trial)")
    }

    @Test func aScopeFromOutsideCannotReachTheTerminal() throws {
        let finding = try BudgetRun.finding("\u{1B}[2J/*: peak <= 1 MiB", in: BudgetRun.record(peaks: [1]))
        #expect(
            finding.text.hasPrefix("\\u{1b}[2J/*: peak <= 1 MiB cannot be judged: no case of the run matches '\\u{1b}"))
        #expect(finding.description == finding.text)
        #expect(!finding.finding.reason.unicodeScalars.contains("\u{1B}"))
    }

    @Test func aFindingStandsBesideThoseOfAComparison() throws {
        let run = try BudgetRun.record(peaks: [4_000_000, 9_000_000, 3_000_000])
        let red = try BudgetRun.finding("max(peak) <= 4 MiB", in: run).finding
        #expect(red.cell == "hero/download/none/glibc")
        #expect(red.metric == "net_peak_growth_bytes")
        #expect(red.unit == .bytes)
        #expect(red.verdict == .overBudget)
        #expect(red.head == 9_000_000)
        #expect(red.limit == 4_194_304)
        #expect(red.headTrials == 3)
        #expect(red.budget == "max(peak) <= 4 MiB")
        #expect(red.reason.hasPrefix("hero/download/none/glibc: max(peak) 8.6 MiB > limit 4.0 MiB"))
        let green = try BudgetRun.finding("k <= 1", in: run).finding
        #expect(green.verdict == .unchanged)
        #expect(green.reason.isEmpty)
        let open = try BudgetRun.finding("retained <= 1 MiB", in: run).finding
        #expect(open.verdict == .missing)
        #expect(open.reason == "trial 1 has no retained")
        #expect(open.head == nil && open.limit == nil)
        #expect(try BudgetRun.finding("big/*: k <= 1", in: run).finding.cell == "big/*")
        #expect(try BudgetRun.finding("k <= 1", in: BudgetRun.record([])).finding.cell == "every case")
    }
}
