// SPDX-License-Identifier: Apache-2.0

/// Finds where two profiles differ, as far out as they do.
///
/// - A function that only one of the two calls from where both come, and everything below it, is one finding.
/// - A stack of both that holds more or less is a finding, and so is one that shares no caller with the other profile.
/// - What the same code holds in both, reached by other callers, is none: it is netted.
/// - What is too small for any goes to the caller, so that a thousand small stacks below one function are a finding of
///   that function; what is left at the root is none.
struct DivergenceSearch {
    /// What was found, in no order.
    private(set) var findings: [HolderDifference.Finding] = []
    private let tree: CallTree
    private let base: ProfileRows
    private let head: ProfileRows
    private let limit: Int
    /// The stacks that count for a node: its own, and what came up from below.
    private var pending: [[CallTree.Ending]]
    /// What is to be findings, before it is netted.
    private var differences: [Difference] = []

    struct Difference {
        let node: Int
        var endings: [CallTree.Ending]
        /// By how much the second profile holds more.
        var bytes: Int { endings.reduce(0) { $0 + $1.signedBytes } }
    }

    init(base: ProfileRows, head: ProfileRows, limit: Int) {
        (self.base, self.head) = (base, head)
        tree = CallTree(base: base, head: head)
        self.limit = limit
        pending = tree.nodes.map(\.endings)
        let hidden = nodesBelowDivergence()
        // From the allocation outwards; a node below a divergence passes everything on.
        for place in tree.nodes.indices.dropFirst().reversed() { settle(place, isHidden: hidden[place]) }
        findings = netted.filter { $0.bytes.magnitude >= limit.magnitude }.map(finding)
    }

    /// What is left of the differences once that has been set off which has other callers alone.
    private var netted: [Difference] {
        let ways = differences.map { (tree.way(to: $0.node), $0) }
        let ordered = ways.sorted { $0.0.lexicographicallyPrecedes($1.0) }.map(\.1)
        return CallerNetting(ordered) { difference, ending in
            let stack = frames(of: ending)
            guard ending.isHolder, let named = namedPlace(in: stack, depth: tree.depth(of: difference.node)) else {
                return nil
            }
            return stack[...named].map(FunctionIdentity.init)
        }.differences
    }

    /// Of each node whether a divergence further out stands for it.
    private func nodesBelowDivergence() -> [Bool] {
        var hidden = [Bool](repeating: false, count: tree.nodes.count)
        for (place, node) in tree.nodes.enumerated() {
            guard let caller = node.caller else { continue }
            hidden[place] = hidden[caller] || isDivergence(caller)
        }
        return hidden
    }

    /// Whether only one profile passes, while both pass the caller.
    private func isDivergence(_ place: Int) -> Bool {
        guard let caller = tree.nodes[place].caller, caller != 0 else { return false }
        return !tree.nodes[place].isInBoth && tree.nodes[caller].isInBoth
    }

    private mutating func settle(_ place: Int, isHidden: Bool) {
        let endings = pending[place]
        pending[place] = []
        let difference = Difference(node: place, endings: endings)
        if !isHidden, difference.bytes.magnitude >= limit.magnitude {
            differences.append(difference)
        } else if let caller = tree.nodes[place].caller {
            pending[caller] += endings
        }
    }

    private func finding(_ difference: Difference) -> HolderDifference.Finding {
        let (bytes, endings) = (difference.bytes, difference.endings)
        let stacks = endings.map(frames)
        let place = representative(of: stacks, endings, grows: bytes > 0)
        let (shown, stack) = (endings[place], stacks[place])
        let depth = tree.depth(of: difference.node)
        let frame = shown.isHolder ? namedPlace(in: stack, depth: depth).map { stack[$0] } : nil
        return HolderDifference.Finding(
            bytes: bytes, frame: frame, stack: stack,
            stackCount: Set(stacks.map { $0.map(\.function) }).count,
            place: frame?.whereabouts ?? Self.words(of: stack.suffix(depth)))
    }

    /// The place of the stack that tells most of the difference: lines move, so that those of both that hold the same say nothing.
    private func representative(of stacks: [[HolderFrame]], _ endings: [CallTree.Ending], grows: Bool) -> Int {
        var sums: [[HolderFrame]: Int] = [:]
        for (stack, ending) in zip(stacks, endings) { sums[stack, default: 0] += ending.signedBytes }
        let weights = stacks.map { (sums[$0] ?? 0) * (grows ? 1 : -1) }
        // The first of equals, so that the same profiles give the same text.
        return weights.indices.dropFirst().reduce(0) { weights[$1] > weights[$0] ? $1 : $0 }
    }

    private func frames(of ending: CallTree.Ending) -> [HolderFrame] {
        let rows = ending.isHead ? head : base
        return ending.stack.map { rows.frames[$0] }
    }

    /// The place of the frame to look at: that of the node if people wrote it, else what they wrote below, else what they wrote above.
    ///
    /// A function that the compiler put together from several has no line; what it called with a line says more.
    private func namedPlace(in stack: [HolderFrame], depth: Int) -> Int? {
        guard depth > 0, depth <= stack.count else { return nil }
        let node = stack.count - depth
        let above = OwnFrame.place(in: stack[...]) ?? OwnFrame.bestPlace(in: stack[node...])
        let own = stack[...node].indices.filter { !stack[$0].isSystem }
        return own.last { stack[$0].line != nil } ?? own.last ?? above
    }

    /// What is no function, from the kind inwards: `mapped files (libc.so.6)`.
    private static func words(of frames: some BidirectionalCollection<HolderFrame>) -> String {
        let names = frames.reversed().map { $0.function.trimmingBrackets }
        guard let kind = names.first else { return "no stack" }
        return kind + names.dropFirst().map { " (\($0))" }.joined()
    }
}

extension String {
    /// The words of what is no function, without the brackets that tell it from one.
    fileprivate var trimmingBrackets: String {
        hasPrefix("[") && hasSuffix("]") ? String(dropFirst().dropLast()) : self
    }
}
