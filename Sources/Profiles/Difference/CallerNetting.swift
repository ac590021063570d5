// SPDX-License-Identifier: Apache-2.0

/// Cancels growth against loss of the same code that different callers reach in the two profiles.
///
/// Which event source drives a library, such as a timer or a socket, changes from run to run: its allocations then
/// disappear below one caller and appear below another, although the builds do not differ.
struct CallerNetting {
    /// The remaining differences, in the order in which they were passed.
    private(set) var differences: [DivergenceSearch.Difference]

    /// The endings of one difference that have the same inner stack.
    private struct Share {
        let difference: Int
        var endings: [Int] = []
        var bytes = 0
    }

    /// Nets differences.
    /// - Parameters:
    ///   - differences: The differences, in an order that does not depend on which profile is the base.
    ///   - inner: Returns the functions from the allocation to the one that names the difference, or `nil`
    ///     without a call stack.
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

    /// Subtracts bytes from shares of one sign, the largest first.
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
