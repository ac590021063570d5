// SPDX-License-Identifier: Apache-2.0

/// Finds the outermost places where two profiles differ.
///
/// - A function that only one profile calls below a common caller is one finding, with everything below it.
/// - A stack of both profiles that holds more or less is a finding, and so is one without a common caller.
/// - Code that both profiles reach by different callers is netted (``CallerNetting``).
/// - Differences below the limit are added to the caller's, so that many small stacks below one function become a
///   finding of that function; what remains at the root is not a finding.
struct DivergenceSearch {
    private(set) var findings: [HolderDifference.Finding] = []
    private let tree: CallTree
    private let base: ProfileRows
    private let head: ProfileRows
    private let limit: Int
    /// The endings that count for each node: its own and those passed up by its callees.
    private var pending: [[CallTree.Ending]]
    /// The candidates for findings, before netting.
    private var differences: [Difference] = []

    struct Difference {
        let node: Int
        var endings: [CallTree.Ending]
        /// How much more the head holds.
        var bytes: Int { endings.reduce(0) { $0 + $1.signedBytes } }
    }

    init(base: ProfileRows, head: ProfileRows, limit: Int) {
        (self.base, self.head) = (base, head)
        tree = CallTree(base: base, head: head)
        self.limit = limit
        pending = tree.nodes.map(\.endings)
        let hidden = nodesBelowDivergence()
        // Callees before callers; a node below a divergence passes everything up.
        for place in tree.nodes.indices.dropFirst().reversed() { settle(place, isHidden: hidden[place]) }
        findings = netted.filter { $0.bytes.magnitude >= limit.magnitude }.map(finding)
    }

    private var netted: [Difference] {
        let ways = differences.map { (tree.way(to: $0.node), $0) }
        let ordered = ways.sorted { $0.0.lexicographicallyPrecedes($1.0) }.map(\.1)
        return CallerNetting(ordered) { difference, ending in
            let stack = frames(of: ending)
            guard ending.isHolder, let named = namedPlace(in: stack, depth: tree.depth(of: difference.node)) else {
                return nil
            }
            // Builds that hold the same differ in the functions that the compiler inlines.
            let own = stack[...named].filter { !$0.isSystem }
            return (own.isEmpty ? Array(stack[...named]) : own).map(FunctionIdentity.init)
        }.differences
    }

    private func nodesBelowDivergence() -> [Bool] {
        var hidden = [Bool](repeating: false, count: tree.nodes.count)
        for (place, node) in tree.nodes.enumerated() {
            guard let caller = node.caller else { continue }
            hidden[place] = hidden[caller] || isDivergence(caller)
        }
        return hidden
    }

    /// Indicates whether only one profile has this node while both have its caller.
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
        let named = commonPlace(of: stacks, in: stack, depth: depth) ?? namedPlace(in: stack, depth: depth)
        let frame = shown.isHolder ? named.map { stack[$0] } : nil
        return HolderDifference.Finding(
            bytes: bytes, frame: frame, stack: stack,
            stackCount: Set(stacks.map { $0.map(\.function) }).count,
            place: frame?.whereabouts ?? Self.words(of: stack.suffix(depth)))
    }

    /// Returns the index of the stack that explains most of the difference; equal stacks of both profiles cancel out.
    private func representative(of stacks: [[HolderFrame]], _ endings: [CallTree.Ending], grows: Bool) -> Int {
        var sums: [[HolderFrame]: Int] = [:]
        for (stack, ending) in zip(stacks, endings) { sums[stack, default: 0] += ending.signedBytes }
        let weights = stacks.map { (sums[$0] ?? 0) * (grows ? 1 : -1) }
        // The first of equals, for reproducible text.
        return weights.indices.dropFirst().reduce(0) { weights[$1] > weights[$0] ? $1 : $0 }
    }

    private func frames(of ending: CallTree.Ending) -> [HolderFrame] {
        let rows = ending.isHead ? head : base
        return ending.stack.map { rows.frames[$0] }
    }

    /// Returns the index of the frame to show: the outermost own frame from the node inwards, else one of its callers.
    ///
    /// Frames with a line are preferred, because functions that the compiler merged have none.
    private func namedPlace(in stack: [HolderFrame], depth: Int) -> Int? {
        guard depth > 0, depth <= stack.count else { return nil }
        let node = stack.count - depth
        let above = FunctionName.OwnFrame.place(in: stack[...]) ?? FunctionName.OwnFrame.bestPlace(in: stack[node...])
        let own = stack[...node].indices.filter { !stack[$0].isSystem }
        return own.last { stack[$0].line != nil } ?? own.last ?? above
    }

    /// Returns the index of the innermost own frame, preferably with a line, that all stacks of a difference share, from its
    /// node inwards.
    private func commonPlace(of stacks: [[HolderFrame]], in stack: [HolderFrame], depth: Int) -> Int? {
        let outermost = stacks.map { $0.reversed().map(FunctionIdentity.init) }
        guard let first = outermost.first, depth > 0 else { return nil }
        let common = first.indices.prefix { place in
            outermost.allSatisfy { $0.indices.contains(place) && $0[place] == first[place] }
        }
        let own = stack.indices.filter {
            $0 >= stack.count - common.count && $0 <= stack.count - depth && !stack[$0].isSystem
        }
        return own.first { stack[$0].line != nil } ?? own.first
    }

    /// Returns the text of frames that are not functions, from the kind inwards: `mapped files (libc.so.6)`.
    private static func words(of frames: some BidirectionalCollection<HolderFrame>) -> String {
        let names = frames.reversed().map { $0.function.trimmingBrackets }
        guard let kind = names.first else { return "no stack" }
        return kind + names.dropFirst().map { " (\($0))" }.joined()
    }

    struct FunctionIdentity: Hashable, Comparable {
        private let function: String
        private let module: String

        init(_ frame: HolderFrame) {
            let name = FunctionName(frame.function).identity(in: frame.module)
            let isLibrary = Self.isLibrary(frame.module)
            module = isLibrary ? frame.module : Self.program
            function = !isLibrary && name == frame.module + "+" ? Self.program + "+" : name
        }

        /// Stands for the program itself, whose file name may differ between builds.
        private static let program = "(program)"

        private static func isLibrary(_ module: String) -> Bool {
            module.isEmpty || module.hasSuffix(".so") || module.contains(".so.")
        }

        static func < (left: Self, right: Self) -> Bool {
            (left.function, left.module) < (right.function, right.module)
        }
    }
}

extension String {
    fileprivate var trimmingBrackets: String {
        hasPrefix("[") && hasSuffix("]") ? String(dropFirst().dropLast()) : self
    }
}
