// SPDX-License-Identifier: Apache-2.0

import Runs
import Texts
import TrialKit

/// A part of a budget that has a value: what it is, its unit, and where it stands in the text.
struct BudgetTerm: Sendable {
    /// What it is.
    package indirect enum Kind: Sendable {
        /// A number in base units.
        case number(Double)
        /// The asset's size.
        case size
        /// A quantity of the trial that is judged.
        case metric(BudgetName)
        /// A quantity of all trials of the case.
        case function(BudgetFunction, BudgetName)
        /// The opposite of a term.
        case negated(BudgetTerm)
        /// Two terms and the operator between them, with its column.
        case combined(BudgetTerm, BudgetOperator, BudgetTerm, column: Int)
    }

    /// What it is.
    var kind: Kind
    /// The unit of its value.
    var unit: Metric.Unit
    /// The scalars of the text that it takes, parentheses around it included.
    var range: Range<Int>
    /// The number that needs a unit where this term lacks one: the term's own, or the first of a sum.
    var bareNumber: FormulaToken?

    /// The measured quantities in it, in the order of the text.
    var names: [BudgetName] {
        switch kind {
        case .number, .size: []
        case .metric(let name), .function(_, let name): [name]
        case .negated(let term): term.names
        case .combined(let left, _, let right, _): left.names + right.names
        }
    }

    /// Whether it names the slope of a sweep.
    var needsSweep: Bool {
        names.contains { $0.metric == nil }
    }

    /// Whether its value differs from trial to trial.
    var isOfOneTrial: Bool {
        switch kind {
        case .number, .size, .function: false
        // The slope is one figure of many cases.
        case .metric(let name): name.metric != nil
        case .negated(let term): term.isOfOneTrial
        case .combined(let left, _, let right, _): left.isOfOneTrial || right.isOfOneTrial
        }
    }

    /// Whether it is a mere number, which needs no explanation.
    var isNumber: Bool {
        if case .number = kind { true } else { false }
    }
}

/// An operator between two terms.
enum BudgetOperator: String, Sendable {
    case plus = "+"
    case minus = "-"
    case times = "*"
    case over = "/"

    /// The unit of the result, or `nil` where these units have nothing to do with each other.
    func unit(_ left: Metric.Unit, _ right: Metric.Unit) -> Metric.Unit? {
        switch self {
        case .plus, .minus: left == right ? left : nil
        case .times: left == .ratio ? right : right == .ratio ? left : nil
        case .over: right == .ratio ? left : left == right ? .ratio : nil
        }
    }

    /// The result, whatever it is.
    func callAsFunction(_ left: Double, _ right: Double) -> Double {
        switch self {
        case .plus: left + right
        case .minus: left - right
        case .times: left * right
        case .over: left / right
        }
    }
}
