// SPDX-License-Identifier: Apache-2.0

import Runs
import Texts
import TrialKit

/// A term of a budget with its unit and its place in the text.
struct BudgetTerm: Sendable {
    package indirect enum Kind: Sendable {
        /// A number in base units.
        case number(Double)
        case size
        /// A figure of the trial being judged.
        case metric(BudgetName)
        /// A figure of all trials of the case.
        case function(BudgetFunction, BudgetName)
        case negated(BudgetTerm)
        /// Two terms with the operator and its column.
        case combined(BudgetTerm, BudgetOperator, BudgetTerm, column: Int)
    }

    var kind: Kind
    var unit: Metric.Unit
    /// Its place in the text in scalars, including parentheses around it.
    var range: Range<Int>
    /// The number to report if the term lacks a unit: the term itself, or the first bare one of a sum.
    var bareNumber: FormulaToken?

    /// The measured quantities in the order of the text.
    var names: [BudgetName] {
        switch kind {
        case .number, .size: []
        case .metric(let name), .function(_, let name): [name]
        case .negated(let term): term.names
        case .combined(let left, _, let right, _): left.names + right.names
        }
    }

    /// True if it contains the slope of a sweep.
    var needsSweep: Bool {
        names.contains { $0.metric == nil }
    }

    /// True if its value differs between trials.
    var isOfOneTrial: Bool {
        switch kind {
        case .number, .size, .function: false
        // The slope is one figure of many cases.
        case .metric(let name): name.metric != nil
        case .negated(let term): term.isOfOneTrial
        case .combined(let left, _, let right, _): left.isOfOneTrial || right.isOfOneTrial
        }
    }

    var isNumber: Bool {
        if case .number = kind { true } else { false }
    }
}

enum BudgetOperator: String, Sendable {
    case plus = "+"
    case minus = "-"
    case times = "*"
    case over = "/"

    /// Returns the unit of the result, or `nil` if it is undefined for these units.
    func unit(_ left: Metric.Unit, _ right: Metric.Unit) -> Metric.Unit? {
        switch self {
        case .plus, .minus: left == right ? left : nil
        case .times: left == .ratio ? right : right == .ratio ? left : nil
        case .over: right == .ratio ? left : left == right ? .ratio : nil
        }
    }

    /// Returns the result, which may be infinite or NaN.
    func callAsFunction(_ left: Double, _ right: Double) -> Double {
        switch self {
        case .plus: left + right
        case .minus: left - right
        case .times: left * right
        case .over: left / right
        }
    }
}
