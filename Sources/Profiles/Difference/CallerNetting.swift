// SPDX-License-Identifier: Apache-2.0

/// Sets off against each other what the same code holds in both profiles, reached by other callers in each.
///
/// Which of its sources of events a library is driven by, a timer or a socket, changes from run to run: what it allocates
/// is then gone below one caller and new below another, and neither is a difference between two builds.
struct CallerNetting {
    /// What is left of each difference, in the order of those that were given.
    private(set) var differences: [DivergenceSearch.Difference]

    /// What one difference holds of an inner stack.
    private struct Share {
        let difference: Int
        var endings: [Int] = []
        var bytes = 0
    }

    /// Nets differences.
    /// - Parameters:
    ///   - differences: In an order that does not depend on which profile is the first.
    ///   - inner: The functions of a stack from the allocation to the one that the difference is named after, or `nil`
    ///     where no call stack holds it.
    init(
        _ differences: [DivergenceSearch.Difference],
        inner: (DivergenceSearch.Difference, CallTree.Ending) -> [FunctionIdentity]?
    ) {
        self.differences = differences
        for parts in Self.shares(of: differences, inner).values {
            let (growth, loss) = (parts.filter { $0.bytes > 0 }, parts.filter { $0.bytes < 0 })
            let common = min(growth.reduce(0) { $0 + $1.bytes }, -loss.reduce(0) { $0 + $1.bytes })
            takeOff(common, from: growth, sign: 1)
            takeOff(common, from: loss, sign: -1)
        }
        for place in self.differences.indices {
            self.differences[place].endings.removeAll { $0.signedBytes == 0 }
        }
    }

    private static func shares(
        of differences: [DivergenceSearch.Difference],
        _ inner: (DivergenceSearch.Difference, CallTree.Ending) -> [FunctionIdentity]?
    ) -> [[FunctionIdentity]: [Share]] {
        var shares: [[FunctionIdentity]: [Share]] = [:]
        for (place, difference) in differences.enumerated() {
            var own: [[FunctionIdentity]: Share] = [:]
            for (index, ending) in difference.endings.enumerated() {
                guard let inner = inner(difference, ending) else { continue }
                own[inner, default: Share(difference: place)].endings.append(index)
                own[inner]?.bytes += ending.signedBytes
            }
            for (inner, share) in own { shares[inner, default: []].append(share) }
        }
        return shares
    }

    /// Takes bytes off shares of one sign, the largest first.
    private mutating func takeOff(_ bytes: Int, from shares: [Share], sign: Int) {
        var rest = bytes
        let ordered = shares.sorted { ($1.bytes.magnitude, $0.difference) < ($0.bytes.magnitude, $1.difference) }
        for share in ordered where rest > 0 {
            let part = min(rest, share.bytes * sign)
            takeOff(part, from: share, sign: sign)
            rest -= part
        }
    }

    private mutating func takeOff(_ bytes: Int, from share: Share, sign: Int) {
        var rest = bytes
        let endings = differences[share.difference].endings
        let ordered = share.endings.sorted {
            (endings[$1].signedBytes * sign, $0) < (endings[$0].signedBytes * sign, $1)
        }
        for index in ordered where rest > 0 {
            let part = min(rest, max(0, endings[index].signedBytes * sign))
            differences[share.difference].endings[index].signedBytes -= part * sign
            rest -= part
        }
    }
}
