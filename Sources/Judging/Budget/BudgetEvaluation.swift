// SPDX-License-Identifier: Apache-2.0

import MemProbe
import Runs
import Statistics
import Texts

/// The values of a budget's names.
struct BudgetFigures {
    /// The completed trials of the case.
    var trials: [Trial]
    /// The trial to judge, or `nil` if all are judged together.
    var trial: Trial?
    var size: ByteCount?
    var sweep: SizeSweep?
}

/// A reason why a budget cannot be judged.
enum BudgetGap: Error, Hashable, Sendable {
    case divisionByZero(column: Int)
    case overflow(column: Int)
    case noSize
    /// `trial` is `nil` if no trial has the figure.
    case noFigure(name: String, trial: Int?)
    case needsSweep(name: String)
    /// The interval of the slope is too wide.
    case undecidedSlope(interval: ClosedRange<Double>)

    var words: String {
        switch self {
        case .divisionByZero(let column): "division by zero at column \(column)"
        case .overflow(let column): "the result at column \(column) is too large"
        case .noSize: "the size of its asset is unknown"
        case .noFigure(let name, let trial): (trial.map { "trial \($0)" } ?? "the case") + " has no \(name)"
        case .needsSweep(let name):
            "\(name) needs a sweep of at least \(SizeSweep.fewestSizes) sizes, which this case is not part of"
        case .undecidedSlope(let interval):
            "the slope is undecided: its interval goes from \(ByteText.fixed(interval.lowerBound, places: 2)) to "
                + ByteText.fixed(interval.upperBound, places: 2)
        }
    }
}

extension BudgetTerm {
    /// Returns the value in base units, always finite.
    func value(in figures: BudgetFigures) throws(BudgetGap) -> Double {
        switch kind {
        case .number(let number): return number
        case .size:
            guard let size = figures.size else { throw .noSize }
            return Double(size.rawValue)
        case .metric(let name) where name.metric == nil, .function(_, let name) where name.metric == nil:
            guard let sweep = figures.sweep else { throw .needsSweep(name: name.word) }
            guard sweep.verdict != .undecided else { throw .undecidedSlope(interval: sweep.line.slopeInterval) }
            return sweep.line.slope
        case .metric(let name):
            guard let trial = figures.trial else { throw .noFigure(name: name.word, trial: nil) }
            return try name.value(in: trial)
        case .function(let function, let name):
            return try function.value(of: name, over: figures.trials, column: range.lowerBound + 1)
        case .negated(let term): return -(try term.value(in: figures))
        case .combined(let left, let sign, let right, let column):
            let (first, second) = (try left.value(in: figures), try right.value(in: figures))
            guard sign != .over || second != 0 else { throw .divisionByZero(column: column) }
            let result = sign(first, second)
            guard result.isFinite else { throw .overflow(column: column) }
            return result
        }
    }
}

extension BudgetName {
    func value(in trial: Trial) throws(BudgetGap) -> Double {
        guard let metric else { throw .needsSweep(name: word) }
        guard let value = metric.limitable(trial), value.isFinite else {
            throw .noFigure(name: word, trial: trial.number)
        }
        return value
    }
}

extension BudgetFunction {
    /// Returns the figure of all trials; throws if one lacks it, as the answer would cover only the others.
    func value(of name: BudgetName, over trials: [Trial], column: Int) throws(BudgetGap) -> Double {
        var values: [Double] = []
        for trial in trials { values.append(try name.value(in: trial)) }
        guard let distribution = Distribution(values) else { throw .noFigure(name: name.word, trial: nil) }
        let value =
            switch self {
            case .max: distribution.maximum
            case .min: distribution.minimum
            case .median: distribution.median
            }
        guard value.isFinite else { throw .overflow(column: column) }
        return value
    }
}
