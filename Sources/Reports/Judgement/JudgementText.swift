// SPDX-License-Identifier: Apache-2.0

import Judging
import Runs
import Texts
import TrialKit

/// The words and figures of a judgement, the same in every text format.
enum JudgementText {
    /// Returns text from outside, made safe for a terminal and the log of a GitHub job.
    static func safe(_ text: String) -> String {
        SafeText.forTerminal(text)
    }

    /// Returns the name of a finding's case in sentences: `download · hero · imageview · jemalloc`.
    static func caseName(of finding: Finding) -> String {
        let parts = finding.cell.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 4, finding.part != .command else { return safe(finding.cell) }
        return safe([parts[1], parts[0], parts[2], parts[3]].joined(separator: " · "))
    }

    /// Returns a metric's name without its unit: `peak growth`, `anonymous at the mark`, `fetch duration`.
    static func metricName(_ name: String) -> String {
        if let known = judgedNames[name] { return known }
        let suffix = ["_bytes", "_ns", "_ratio"].first { name.hasSuffix($0) } ?? ""
        return safe(name.dropLast(suffix.count).split(separator: "_").joined(separator: " "))
    }

    private static let judgedNames = [
        Metric.netPeakGrowth.name: "net peak growth",
        Metric.peakAnonymousGrowth.name: "anonymous peak growth",
        Metric.baselineAnonymous.name: "anonymous at the mark",
        Metric.peakResidentGrowth.name: "peak growth",
        Metric.peakResident.name: "whole peak",
    ]

    /// Returns a budget without its scope.
    static func formula(_ budget: String) -> String {
        let formula = budget.unicodeScalars.split(separator: ":", omittingEmptySubsequences: false).last ?? [][...]
        return safe(String(String.UnicodeScalarView(formula.drop { $0 == " " })))
    }

    /// Returns a relative change: `+2.5 %`, with two places below 1 %.
    static func percent(_ ratio: Double) -> String {
        signed(ratio * 100, places: places(of: [ratio * 100])) + " %"
    }

    static func share(_ ratio: Double) -> String {
        ByteText.fixed(ratio * 100, places: places(of: [ratio * 100])) + " %"
    }

    /// Returns both ends of an interval, with two places if one of them is below 1: `+3.8 … +4.4`.
    static func interval(_ interval: ClosedRange<Double>, scale: Double) -> String {
        let ends = [interval.lowerBound * scale, interval.upperBound * scale]
        return ends.map { signed($0, places: places(of: ends)) }.joined(separator: " … ")
    }

    /// Returns a p-value, or `< 0.00001` below the last place.
    static func p(_ p: Double) -> String {
        if p < 0.00001 { return "< 0.00001" }
        return ByteText.fixed(p, places: p >= 0.1 ? 2 : p >= 0.001 ? 3 : 5)
    }

    static func signed(_ value: Double, places: Int) -> String {
        let text = ByteText.fixed(value, places: places)
        return text.hasPrefix("-") ? text : "+" + text
    }

    /// Returns the number of decimal places: one, or two if a figure is below 1.
    static func places(of values: [Double]) -> Int {
        values.contains { $0 != 0 && abs($0) < 1 } ? 2 : 1
    }
}

extension Metric.Unit {
    var divisor: Double {
        switch self {
        case .bytes: 1_048_576
        case .nanoseconds: 1e6
        case .ratio: 1
        }
    }

    /// The displayed unit with a leading space.
    var symbol: String {
        switch self {
        case .bytes: " MiB"
        case .nanoseconds: " ms"
        case .ratio: ""
        }
    }
}
