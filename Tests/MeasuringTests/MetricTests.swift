// SPDX-License-Identifier: Apache-2.0

import Reports
import Runs
import Testing

struct MetricTests {
    /// The columns that are promised, in their order; what was added since stands behind them.
    static let promised =
        [
            "trial", "case", "asset", "asset_bytes", "mode", "render", "allocator", "outcome", "outcome_detail",
            "body_bytes", "body_sha256", "baseline_resident_bytes", "baseline_anonymous_bytes",
            "peak_resident_growth_bytes", "peak_anonymous_growth_bytes", "peak_source", "copies_held_ratio",
        ]
        + ["fetch", "hold", "render", "release"].flatMap { phase in
            [
                "peak_resident_growth_bytes", "peak_anonymous_growth_bytes", "duration_ns", "cpu_ns",
                "allocator_allocated_bytes", "allocator_resident_bytes",
            ].map { "\(phase)_\($0)" }
        }
        + [
            "retained_resident_growth_bytes", "retained_anonymous_growth_bytes", "page_cache_bytes",
            "sampled_maximum_resident_growth_bytes", "seed",
        ]

    static let added = [
        "verification_cpu_ns", "process_duration_ns", "purged_resident_growth_bytes", "bitmap_bytes",
        "copies_beside_bitmap_ratio", "peak_resident_bytes", "peak_anonymous_bytes",
    ]

    static let conditions = [
        "concurrency", "consumer_delay_ns", "session", "transfer", "scheme", "start", "scenario", "loader", "display",
        "destination", "http", "container_limit_bytes", "chunk_bytes", "client_bytes_per_second",
    ]

    static let net = ["net_peak_growth_bytes", "net_peak_bytes", "baseline_program_bytes", "program_bytes"]

    /// The figures that scenarios come to, behind everything else.
    static let ofScenarios = OurFigures.scenarios.flatMap { ($0.figures ?? []).map(\.name) }
        .reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }

    static let ofPictures = ["picture_fallbacks"]

    /// The metrics of commands with all their processes, and their parameters, which come last.
    static let ofCommands = [
        "peak_error_bound_bytes", "largest_process_peak_bytes", "sum_of_peaks_bytes", "processes", "threads",
    ]
    static let ofRecords = ["decoded_records"]
    static let ofTracing = ["tracing_ns", "sum_of_net_peaks_bytes"]
    static let ofControlGroups = [
        "charged_peak_bytes", "charged_growth_bytes", "charged_anonymous_bytes", "charged_page_cache_bytes",
        "charged_shared_memory_bytes", "charged_sockets_bytes", "charged_kernel_bytes", "refaulted_pages",
    ]

    /// The columns that say what a trial was rather than measure it.
    static let descriptive: Set = [
        "trial", "case", "asset", "asset_bytes", "mode", "render", "allocator", "outcome", "outcome_detail",
        "body_bytes", "body_sha256", "peak_source", "seed",
    ]

    private func table(of trials: [Trial]) throws -> String {
        var run = try SyntheticRun.complete()
        (run.trials, run.scenarios) = (trials, OurFigures.scenarios)
        return TrialsTable.text(of: run)
    }

    @Test func theColumnsAreThePromisedOnesInTheirOrder() throws {
        let (before, later) = (Self.conditions[..<5], Self.conditions[6..<9])
        let columns = [
            Self.promised, Self.added, Array(before), Self.net, ["start", "side", "stage"], Array(later),
            Self.ofScenarios, Self.ofPictures, Self.ofCommands, ["parameters"], Self.ofRecords,
            ["destination", "http"], Self.ofTracing, ["container_limit_bytes"], Self.ofControlGroups,
            ["host", "chunk_bytes", "sent_bytes", "http_version", "client_bytes_per_second"],
        ]
        #expect(try MiniCSV.rows(of: table(of: [])) == [columns.flatMap(\.self)])
    }

    @Test func everyFigureOfTheTableIsAMetricInTheSameOrder() {
        let columns = (Self.promised + Self.added + Self.net).filter { !Self.descriptive.contains($0) }
        #expect(
            OurFigures.metrics.all.map(\.name) == columns + Self.ofScenarios + Self.ofPictures + Self.ofCommands
                + Self.ofRecords + Self.ofTracing + Self.ofControlGroups)
    }

    @Test func aWordOfBudgetsNamesOneMetric() {
        let words = OurFigures.metrics.all.flatMap { Set([$0.shortName, $0.name]) }
        let twice = Dictionary(grouping: words) { $0 }.filter { $1.count > 1 }.keys.sorted()
        #expect(twice.isEmpty)
    }

    @Test func theSuffixOfANameIsItsUnit() {
        let counts = OurFigures.scenarios.flatMap { $0.figures ?? [] }.filter { $0.style == .count }.map(\.name)
        let others = Self.ofPictures + ["processes", "threads", "refaulted_pages"] + Self.ofRecords
        for metric in OurFigures.metrics.all where !(counts + others).contains(metric.name) {
            let suffix =
                switch metric.unit {
                case .bytes: "_bytes"
                case .nanoseconds: "_ns"
                case .ratio: "_ratio"
                }
            #expect(metric.name.hasSuffix(suffix))
        }
    }

    @Test func aRowHoldsTheFiguresOfItsTrial() throws {
        var synthetic = SyntheticTrial(number: 12, pageCache: .mebibytes(3), bitmap: .mebibytes(60))
        synthetic.peaks[.render] = .mebibytes(85)
        synthetic.asset?.byteCount = .mebibytes(10)
        let row = try #require(MiniCSV.records(of: table(of: [try synthetic.trial()])).first)
        let expected = [
            "trial": "12", "case": "hero/data/none/glibc", "asset_bytes": "10485760", "outcome": "completed",
            "outcome_detail": "", "body_bytes": "10485760", "body_sha256": Asset.hero.sha256 ?? "",
            "baseline_resident_bytes": "25165824", "baseline_anonymous_bytes": "6291456",
            "peak_resident_growth_bytes": "89128960", "peak_source": "kernel_high_water_mark",
            "copies_held_ratio": "2.5", "fetch_duration_ns": "200000000", "fetch_cpu_ns": "50000000",
            "fetch_allocator_allocated_bytes": "16777216", "fetch_allocator_resident_bytes": "",
            "hold_peak_resident_growth_bytes": "12582912", "release_duration_ns": "5000000",
            "retained_resident_growth_bytes": "921600", "page_cache_bytes": "3145728",
            "sampled_maximum_resident_growth_bytes": "89128960", "seed": "7", "verification_cpu_ns": "9500000",
            "process_duration_ns": "1450000000", "purged_resident_growth_bytes": "307200", "bitmap_bytes": "62914560",
            "copies_beside_bitmap_ratio": "-4.8", "peak_resident_bytes": "114294784",
            "peak_anonymous_bytes": "95420416", "concurrency": "1", "consumer_delay_ns": "0", "session": "bare",
            "transfer": "length", "scheme": "http", "net_peak_growth_bytes": "87031808",
            "net_peak_bytes": "104857600", "baseline_program_bytes": "7340032", "program_bytes": "9437184",
        ]
        #expect(row.filter { expected.keys.contains($0.key) } == expected)
    }

    @Test func unavailableFiguresAreEmptyAndNotZero() throws {
        var trial = try SyntheticTrial().trial()
        trial.report = nil
        trial.anonymousPeaks = []
        trial.sampledMaximum = nil
        trial.outcome = Outcome(.crashed, "signal 9 (Killed)")
        let row = try #require(MiniCSV.records(of: table(of: [trial])).first)
        let empty = row.filter { $0.value.isEmpty }.keys
        #expect(
            Set(empty)
                == Set(OurFigures.metrics.all.map(\.name)).subtracting(["process_duration_ns"]).union(
                    [
                        "body_bytes", "body_sha256", "peak_source", "side", "stage", "loader", "parameters",
                        "container_limit_bytes", "host", "chunk_bytes", "sent_bytes", "http_version",
                        "client_bytes_per_second",
                    ]))
        #expect(row["outcome"] == "crashed")
    }
}

/// Compares with figures of NumPy 2.4.6 and SciPy 1.17.1.
///
///     python3 -c 'import numpy as n, scipy.stats as s, sys; v = n.array(eval(sys.argv[1]), float); print(n.median(v),
///     s.median_abs_deviation(v), v.mean(), v.std(ddof=1), v.std(ddof=1) / abs(v.mean()))' '[5, 1, 4]'
struct DistributionTests {
    struct Reference: Sendable {
        let values: [Double]
        let median, deviation, mean, standardDeviation, variation: Double
    }

    static let references = [
        Reference(
            values: [1, 2], median: 1.5, deviation: 0.5, mean: 1.5, standardDeviation: 0.7071067811865476,
            variation: 0.47140452079103173),
        Reference(
            values: [5, 1, 4], median: 4, deviation: 1, mean: 3.3333333333333335, standardDeviation: 2.081665999466133,
            variation: 0.6244997998398399),
        Reference(
            values: [2.5, 2.5, 2.5, 2.5], median: 2.5, deviation: 0, mean: 2.5, standardDeviation: 0, variation: 0),
        Reference(
            values: [10, 12, 23, 23, 16, 23, 21, 16], median: 18.5, deviation: 4.5, mean: 18,
            standardDeviation: 5.237229365663817, variation: 0.29095718698132317),
        Reference(
            values: [1e9, 1e9 + 1, 1e9 + 2, 1e9 + 4], median: 1_000_000_001.5, deviation: 1, mean: 1_000_000_001.75,
            standardDeviation: 1.707825127659933, variation: 1.7078251246712391e-09),
        Reference(
            values: [-4, -2, -9], median: -4, deviation: 2, mean: -5, standardDeviation: 3.605551275463989,
            variation: 0.7211102550927978),
    ]

    @Test(arguments: references)
    func figuresAgreeWithNumPyAndSciPy(reference: Reference) throws {
        let distribution = try #require(Distribution(reference.values))
        #expect(distribution.median == reference.median)
        #expect(distribution.medianAbsoluteDeviation == reference.deviation)
        #expect(abs(distribution.mean - reference.mean) <= abs(reference.mean) * 1e-15)
        let deviation = try #require(distribution.standardDeviation)
        #expect(abs(deviation - reference.standardDeviation) <= reference.standardDeviation * 1e-12)
        let variation = try #require(distribution.coefficientOfVariation)
        #expect(abs(variation - reference.variation) <= reference.variation * 1e-12)
    }

    @Test func theOrderOfTheValuesDoesNotMatter() throws {
        let values = [10.0, 12, 23, 23, 16, 23, 21, 16]
        #expect(Distribution(values) == Distribution(values.reversed()))
        let distribution = try #require(Distribution(values))
        #expect((distribution.minimum, distribution.maximum) == (10, 23))
        #expect(distribution.count == 8)
    }

    @Test func noValuesAreNoDistribution() { #expect(Distribution([]) == nil) }

    @Test func oneValueHasNoSpread() throws {
        let distribution = try #require(Distribution([3]))
        #expect((distribution.median, distribution.medianAbsoluteDeviation) == (3, 0))
        #expect(distribution.standardDeviation == nil)
        #expect(distribution.coefficientOfVariation == nil)
    }

    @Test func aMeanOfZeroHasNoCoefficientOfVariation() throws {
        let distribution = try #require(Distribution([-1, 1]))
        #expect(distribution.standardDeviation != nil)
        #expect(distribution.coefficientOfVariation == nil)
    }

    @Test func trialsThatDidNotCompleteDoNotCount() throws {
        var trials = try (1...3).map { try SyntheticTrial(number: $0, settled: .init($0 * 1000)).trial() }
        trials[2].outcome = Outcome(.timedOut, "killed after 60 s")
        let values = Metric.retainedResidentGrowth.distribution(over: TrialList(trials))
        #expect(values?.sorted == [1000, 2000])
        #expect(Metric.retainedResidentGrowth.distribution(over: TrialList([trials[2]])) == nil)
    }
}
