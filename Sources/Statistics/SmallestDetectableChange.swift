// SPDX-License-Identifier: Apache-2.0

/// The smallest relative change that a number of trials detects in a given noise.
///
/// Noether, "Sample size determination for some common nonparametric tests", JASA 82(398), 1987, in the form for a
/// shift: a one-sided test at 0.005 (2.576) with a power of 90 % (1.282), divided by the square root of 3 ÷ π, the
/// efficiency of the Mann–Whitney test under normal noise, gives 3.95 standard errors.
package enum SmallestDetectableChange {
    package static let standardErrors = 3.95

    /// Returns the change for n trials on either side: 3.95 · CV · √(2 ÷ n).
    package static func relative(cv: Double, n: Int) -> Double {
        relative(cv: cv, baseCount: n, headCount: n)
    }

    /// The one-sided p that ``standardErrors`` is based on.
    package static let usualP = 0.005

    /// Returns the number of trials on either side that makes a change detectable.
    package static func trialsNeeded(cv: Double, change: Double, p: Double = usualP) -> Int {
        precondition(cv >= 0 && change > 0, "a positive change amid noise that is none or more")
        let noise = cv * strictness(p)
        let root = standardErrors * noise / change
        let count = (2 * root * root).rounded(.up)
        // Noise of a thousand times the change already needs more trials than feasible.
        guard count < 1e9 else { return 1_000_000_000 }
        let needed = max(1, Int(count))
        return relative(cv: noise, n: needed) > change ? needed + 1 : needed
    }

    /// Returns the factor on the standard errors for another p at the same power.
    private static func strictness(_ p: Double) -> Double {
        guard p != usualP else { return 1 }
        let missed = NormalDistribution.upperQuantile(0.1)
        return (NormalDistribution.upperQuantile(p) + missed) / (NormalDistribution.upperQuantile(usualP) + missed)
    }

    /// Returns the change for different numbers of trials.
    package static func relative(cv: Double, baseCount: Int, headCount: Int) -> Double {
        precondition(cv >= 0 && baseCount > 0 && headCount > 0, "noise that is none or more, and some trials")
        return standardErrors * cv * (1 / Double(baseCount) + 1 / Double(headCount)).squareRoot()
    }
}
