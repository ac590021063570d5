// SPDX-License-Identifier: Apache-2.0

package import Judging
import Runs

enum JudgementText {
    /// Returns the name of a finding's case in sentences: `download · hero · imageview · jemalloc`.
    ///
    /// Among other findings only the mode and what differs between them is named.
    static func caseName(of finding: Finding, among others: [Finding] = []) -> String {
        let all = others.map { parts(of: $0) }
        let own = parts(of: finding)
        let named = own.indices.filter { index in
            index == 0 || all.isEmpty || all.contains { $0.count != own.count || $0[index] != own[index] }
        }
        return SafeText.forTerminal(named.map { own[$0] }.joined(separator: " · "))
    }

    /// The parts of a case, the mode first; a command has one.
    private static func parts(of finding: Finding) -> [Substring] {
        let parts = finding.cell.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 4, finding.part != .command else { return [finding.cell[...]] }
        return [parts[1], parts[0], parts[2], parts[3]]
    }

    /// Returns a metric's name without its unit: `peak growth`, `anonymous at the mark`, `fetch duration`.
    static func metricName(_ name: String) -> String {
        if let known = judgedNames[name] { return known }
        let suffix = ["_bytes", "_ns", "_ratio"].first { name.hasSuffix($0) } ?? ""
        return SafeText.forTerminal(name.dropLast(suffix.count).split(separator: "_").joined(separator: " "))
    }

    private static let judgedNames = [
        Metric.netPeakGrowth.name: "net peak growth",
        Metric.peakAnonymousGrowth.name: "anonymous peak growth",
        Metric.baselineAnonymous.name: "anonymous at the mark",
        Metric.peakResidentGrowth.name: "peak growth",
        Metric.peakResident.name: "whole peak",
        JudgedMetric.processorTime.name: "processor time of the fetch",
    ]

    static func formula(_ budget: String) -> String {
        let formula = budget.unicodeScalars.split(separator: ":", omittingEmptySubsequences: false).last ?? [][...]
        return SafeText.forTerminal(String(String.UnicodeScalarView(formula.drop { $0 == " " })))
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

    var symbol: String {
        switch self {
        case .bytes: " MiB"
        case .nanoseconds: " ms"
        case .ratio: ""
        }
    }
}

/// The format of a finding's figures: sizes in MiB, and changes also as a share of the whole.
///
/// Figures of a scenario, such as bytes that a request leaks, are in their own unit and without a share, because they
/// are not part of the whole.
struct FindingFigures: Sendable {
    /// The number of base units in the displayed unit.
    let divisor: Double
    let symbol: String
    let isRelative: Bool

    /// Sizes of scenarios and budgets up to this are in bytes, so that a small leak is not 0.00 MiB.
    private static let smallBytes = 65_536.0

    init(of finding: Finding) {
        isRelative = finding.part != .scenario
        let largest = [finding.base, finding.head, finding.limit].compactMap { $0.map(abs) }.max() ?? 0
        let isSmall = largest > 0 && largest <= Self.smallBytes
        if finding.unit == .bytes, !isRelative || finding.budget != nil, isSmall {
            (divisor, symbol) = (1, " B")
        } else {
            (divisor, symbol) = (finding.unit.divisor, finding.unit.symbol)
        }
    }

    func text(_ value: Double) -> String {
        let scaled = value / divisor
        return ByteText.fixed(scaled, places: JudgementText.places(of: [scaled])) + symbol
    }

    /// Returns a figure for a table, without MiB, which the table's legend states.
    func cell(_ value: Double?) -> String {
        guard let value else { return FigureText.absent }
        return ByteText.fixed(value / divisor, places: 2) + (symbol == Metric.Unit.bytes.symbol ? "" : symbol)
    }

    func detectable(_ change: Double) -> String {
        isRelative ? JudgementText.share(change) : text(change)
    }
}

extension Finding.Verdict {
    package static let worstFirst: [Finding.Verdict] = [
        .overBudget, .regressed, .missing, .incomparable, .inconclusive, .improved, .notJudged, .unchanged,
    ]

    /// The verdict where nothing was compared with a budget or a baseline.
    var words: String {
        switch self {
        case .overBudget: "over budget"
        case .notJudged: "not judged"
        default: rawValue
        }
    }

    var isRed: Bool { self == .overBudget || self == .regressed }

    var isOpen: Bool { [.missing, .incomparable, .inconclusive].contains(self) }
}

extension Finding {
    /// The verdict for readers: a budget and a stored baseline are kept to, two builds are compared.
    func words(in kind: Judgement.Kind) -> String {
        switch verdict {
        case .unchanged where budget != nil: "within budget"
        case .unchanged where kind == .check: "within baseline"
        default: verdict.words
        }
    }
}

extension Judgement.Answer {
    var word: String { "\(self)" }
}

extension Judgement {
    package var findingsWorstFirst: [Finding] {
        finite.findings.enumerated().sorted { left, right in
            let (first, second) = (left.element.order, right.element.order)
            return (first.rank, first.relief, left.offset) < (second.rank, second.relief, right.offset)
        }.map(\.element)
    }

    /// The judgement without infinite figures and NaN, which the formats cannot represent.
    var finite: Judgement {
        var judgement = self
        judgement.findings = findings.map(\.finite)
        return judgement
    }
}

extension Finding {
    /// The sort key: the verdict, then the negated growth.
    fileprivate var order: (rank: Int, relief: Double) {
        let rank = Verdict.worstFirst.firstIndex(of: verdict) ?? Verdict.worstFirst.count
        return (rank, -(effect ?? 0))
    }

    fileprivate var finite: Finding {
        var finding = self
        for figure in [\Finding.base, \.head, \.scale, \.effect, \.p, \.limit, \.smallestDetectableChange] {
            finding[keyPath: figure] = finding[keyPath: figure].flatMap { $0.isFinite ? $0 : nil }
        }
        finding.interval = interval.flatMap { $0.lowerBound.isFinite && $0.upperBound.isFinite ? $0 : nil }
        return finding
    }
}
