// SPDX-License-Identifier: Apache-2.0

/// The stacks of two profiles in one tree, from the outermost function to the allocation.
struct CallTree {
    /// The nodes, callers before what they call; the first is the root, which is no function.
    private(set) var nodes = [Node(caller: nil, function: nil)]
    private var places: [Edge: Int] = [:]

    /// A function with the way that led to it.
    struct Node {
        /// The place of its caller's node; `nil` of the root.
        let caller: Int?
        /// What it is; `nil` of the root.
        let function: FunctionIdentity?
        /// What the stacks that end here hold, each way of calling apart.
        var endings: [Ending] = []
        /// Whether any stack of the first profile passes.
        var isInBase = false
        /// Whether any stack of the second profile passes.
        var isInHead = false
        /// Whether stacks of both do.
        var isInBoth: Bool { isInBase && isInHead }
    }

    /// A stack of one profile that ends at a node.
    struct Ending {
        /// Places in the frames of its profile, the function that allocated first.
        let stack: [Int]
        /// Negative of the first profile's.
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

    /// How many functions lead to a node, itself counted.
    func depth(of place: Int) -> Int { way(to: place).count }

    /// The functions that lead to a node, itself first.
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
