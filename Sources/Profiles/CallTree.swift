// SPDX-License-Identifier: Apache-2.0

/// A tree of the stacks of two profiles, from the outermost function to the allocation.
struct CallTree {
    private(set) var nodes = [Node(caller: nil, function: nil)]
    private var places: [Edge: Int] = [:]

    /// A function reached by one path of callers; the root has neither caller nor function.
    struct Node {
        let caller: Int?
        let function: DivergenceSearch.FunctionIdentity?
        var endings: [Ending] = []
        var isInBase = false
        var isInHead = false
        var isInBoth: Bool { isInBase && isInHead }
    }

    struct Ending {
        /// Indices of frames in its profile, innermost first.
        let stack: [Int]
        var signedBytes: Int
        let isHead: Bool
        let isHolder: Bool
    }

    private struct Edge: Hashable {
        let caller: Int
        let function: DivergenceSearch.FunctionIdentity
    }

    init(base: ProfileRows, head: ProfileRows) {
        for row in base.rows { insert(row, of: base, isHead: false) }
        for row in head.rows { insert(row, of: head, isHead: true) }
    }

    /// Returns the number of functions on the path to a node, including its own.
    func depth(of place: Int) -> Int { way(to: place).count }

    /// Returns the functions on the path to a node, its own first.
    func way(to place: Int) -> [DivergenceSearch.FunctionIdentity] {
        var (way, next) = ([DivergenceSearch.FunctionIdentity](), place)
        while let caller = nodes[next].caller {
            way += nodes[next].function.map { [$0] } ?? []
            next = caller
        }
        return way
    }

    private mutating func insert(_ row: ProfileRows.Row, of rows: ProfileRows, isHead: Bool) {
        var place = 0
        mark(place, isHead: isHead)
        for frame in row.stack.reversed() {
            place = child(of: place, rows.frames[frame])
            mark(place, isHead: isHead)
        }
        let bytes = isHead ? row.bytes : -row.bytes
        nodes[place].endings.append(
            Ending(stack: row.stack, signedBytes: bytes, isHead: isHead, isHolder: row.isHolder))
    }

    private mutating func mark(_ place: Int, isHead: Bool) {
        if isHead { nodes[place].isInHead = true } else { nodes[place].isInBase = true }
    }

    private mutating func child(of caller: Int, _ frame: HolderFrame) -> Int {
        let identity = DivergenceSearch.FunctionIdentity(frame)
        let edge = Edge(caller: caller, function: identity)
        if let place = places[edge] { return place }
        nodes.append(Node(caller: caller, function: identity))
        places[edge] = nodes.count - 1
        return nodes.count - 1
    }
}

/// Cancels growth against loss of the same code that different callers reach in the two profiles.
///
/// Which event source drives a library, such as a timer or a socket, changes from run to run: its allocations then
/// disappear below one caller and appear below another, although the builds do not differ.
struct CallerNetting {
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
        inner: (DivergenceSearch.Difference, CallTree.Ending) -> [DivergenceSearch.FunctionIdentity]?
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
        _ inner: (DivergenceSearch.Difference, CallTree.Ending) -> [DivergenceSearch.FunctionIdentity]?
    ) -> [[DivergenceSearch.FunctionIdentity]: [Share]] {
        var shares: [[DivergenceSearch.FunctionIdentity]: [Share]] = [:]
        for (place, difference) in differences.enumerated() {
            var own: [[DivergenceSearch.FunctionIdentity]: Share] = [:]
            for (index, ending) in difference.endings.enumerated() {
                guard let inner = inner(difference, ending) else { continue }
                own[inner, default: Share(difference: place)].endings.append(index)
                own[inner]?.bytes += ending.signedBytes
            }
            for (inner, share) in own { shares[inner, default: []].append(share) }
        }
        return shares
    }

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
