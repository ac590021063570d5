// SPDX-License-Identifier: Apache-2.0

/// A tree of the stacks of two profiles, from the outermost function to the allocation.
struct CallTree {
    /// The nodes, callers before callees; the first is the root, which has no function.
    private(set) var nodes = [Node(caller: nil, function: nil)]
    private var places: [Edge: Int] = [:]

    /// A function reached by one path of callers; the root has neither caller nor function.
    struct Node {
        let caller: Int?
        let function: FunctionIdentity?
        var endings: [Ending] = []
        var isInBase = false
        var isInHead = false
        var isInBoth: Bool { isInBase && isInHead }
    }

    /// A stack of one profile that ends at a node.
    struct Ending {
        /// Indices of frames in its profile, innermost first.
        let stack: [Int]
        /// The bytes, negated for the base.
        var signedBytes: Int
        let isHead: Bool
        let isHolder: Bool
    }

    private struct Edge: Hashable {
        let caller: Int
        let function: FunctionIdentity
    }

    init(base: ProfileRows, head: ProfileRows) {
        for row in base.rows { insert(row, of: base, isHead: false) }
        for row in head.rows { insert(row, of: head, isHead: true) }
    }

    /// Returns the number of functions on the path to a node, including its own.
    func depth(of place: Int) -> Int { way(to: place).count }

    /// Returns the functions on the path to a node, its own first.
    func way(to place: Int) -> [FunctionIdentity] {
        var (way, next) = ([FunctionIdentity](), place)
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
        let identity = FunctionIdentity(frame)
        let edge = Edge(caller: caller, function: identity)
        if let place = places[edge] { return place }
        nodes.append(Node(caller: caller, function: identity))
        places[edge] = nodes.count - 1
        return nodes.count - 1
    }
}
