// SPDX-License-Identifier: Apache-2.0

import Judging
import Runs

/// A comparison to simulate, and the number of values on each side.
struct Arrangement {
    /// The judging command.
    enum Judge {
        /// `exec`: this many commands, of which one is the reference.
        case commands(Int)
        /// `compare` of two stored runs.
        case storedRuns(cases: Int, metrics: Int)
        /// `check` against a stored baseline; apparent changes are confirmed by 30 fresh values.
        case check(cases: Int, metrics: Int)
    }

    let judge: Judge
    let runs: Int

    static let all: [Arrangement] = [5, 6, 8, 12, 30].flatMap { runs in
        (2...6).map { Arrangement(judge: .commands($0), runs: runs) }
            + (1...3).map { Arrangement(judge: .storedRuns(cases: 1, metrics: $0), runs: runs) }
            + [Arrangement(judge: .storedRuns(cases: 5, metrics: 3), runs: runs)]
            + [1, 5].map { Arrangement(judge: .check(cases: $0, metrics: 3), runs: runs) }
    }

    /// The number of pairs that are judged together.
    var pairs: Int {
        switch judge {
        case .commands(let count): count - 1
        case .storedRuns(let cases, let metrics), .check(let cases, let metrics): cases * metrics
        }
    }

    /// Simulates `count` comparisons in which nothing differs, and a tenth of that in which one head lies apart.
    func tally(_ count: Int) -> Tally {
        var noise = PagedNoise(seed: UInt64(runs * 100 + pairs))
        var tally = Tally(count: count)
        for number in 0..<count {
            let verdicts = verdicts(of: number, apart: false, &noise)
            if verdicts.contains(.changed) { tally.alarms += 1 }
            if verdicts.contains(.open) { tally.open += 1 }
        }
        tally.apart = max(1, count / 10)
        for number in 0..<tally.apart {
            switch verdicts(of: number, apart: true, &noise)[0] {
            case .changed: tally.found += 1
            case .same: tally.acquitted += 1
            case .open: break
            }
        }
        return tally
    }

    private enum Verdict {
        case same, changed, open
    }

    /// Returns the verdicts on each pair.
    /// - Parameter apart: True if all values of the first head lie above all of its base.
    private func verdicts(of number: Int, apart: Bool, _ noise: inout PagedNoise) -> [Verdict] {
        let shape = PagedNoise.Shape.allCases[number % PagedNoise.Shape.allCases.count]
        func side(_ shift: Double = 0, _ count: Int? = nil) -> [Double] {
            (0..<(count ?? runs)).map { _ in PagedNoise.usual + shift + noise.value(shape) }
        }
        let shift = apart ? PagedNoise.apart : 0
        switch judge {
        case .commands(let count):
            let base = side()
            let members = (1..<count).map { CommandJudge.member(base: base, head: side($0 == 1 ? shift : 0)).quick }
            return JudgedFamily(members).confirmations(seed: 1).map(Self.verdict)
        case .storedRuns(let cases, let metrics), .check(let cases, let metrics):
            let bases = (0..<cases * metrics).map { _ in side() }
            let values = Self.values(bases, bases.indices.map { side($0 == 0 ? shift : 0) }, metrics: metrics)
            if case .storedRuns = judge {
                return Self.storedJudge.findings(ofStored: values).joined().map(Self.verdict)
            }
            let fresh = Self.values(
                bases, bases.indices.map { side($0 == 0 ? shift : 0, Self.storedJudge.rule.n2) }, metrics: metrics)
            let suspects = zip(values, fresh).filter { Self.storedJudge.needsConfirmation($0.0) }.map(\.1)
            let confirmations = Dictionary(uniqueKeysWithValues: suspects.map { ($0.cell.identifier, $0) })
            return Self.storedJudge.findings(of: values, confirmedBy: confirmations).joined().map(Self.verdict)
        }
    }

    private static func values(_ bases: [[Double]], _ heads: [[Double]], metrics: Int) -> [CaseValues] {
        stride(from: 0, to: bases.count, by: metrics).map { start in
            CaseValues(
                Case(asset: "asset\(start)", mode: "data", render: "none", allocator: .glibc),
                JudgedMetric.memory.map { $0.alternatives[0] }.prefix(metrics).enumerated().map { index, metric in
                    (metric, CaseValues.Values(base: bases[start + index], head: heads[start + index]))
                }, whole: PagedNoise.usual)
        }
    }

    private static let storedJudge: CaseJudge = {
        var rule = JudgementRule.storedBaseline
        rule.resamples = 1
        return CaseJudge(rule: rule, seed: 1, noise: NoiseFloors())
    }()

    private static func verdict(_ answer: Result<TwoStageJudge.Confirmation, StatisticsError>) -> Verdict {
        switch answer {
        case .success(let found):
            switch found.verdict {
            case .regressed, .improved: .changed
            case .unchanged: .same
            case .inconclusive: .open
            }
        case .failure: .open
        }
    }

    private static func verdict(_ finding: Finding) -> Verdict {
        switch finding.verdict {
        case .regressed, .improved: .changed
        case .unchanged: .same
        default: .open
        }
    }
}

extension JudgedFamily.Member {
    /// The member without an interval, which does not affect the verdict.
    fileprivate var quick: JudgedFamily.Member {
        var quick = self
        quick.rule.resamples = 1
        return quick
    }
}

/// The outcomes of comparisons.
struct Tally {
    /// The comparisons in which nothing differs.
    let count: Int
    /// Those of them with a false alarm.
    var alarms = 0
    /// Those of them with an inconclusive verdict.
    var open = 0
    /// The comparisons in which one head lies wholly apart.
    var apart = 0
    /// Those of them in which it is found.
    var found = 0
    /// Those of them in which it is called unchanged.
    var acquitted = 0

    static let header =
        "judge,runs_a_side,compared,comparisons,false_alarms,left_open,lying_apart,found,called_the_same"

    /// Returns the CSV row of an arrangement.
    func line(_ arrangement: Arrangement) -> String {
        let (judge, compared) =
            switch arrangement.judge {
            case .commands(let count): ("exec", "\(count) commands")
            case .storedRuns(let cases, let metrics): ("compare of stored runs", "\(cases) × \(metrics)")
            case .check(let cases, let metrics): ("check", "\(cases) × \(metrics)")
            }
        return "\(judge),\(arrangement.runs),\(compared),\(count),\(alarms),\(open),\(apart),\(found),\(acquitted)"
    }
}
