// SPDX-License-Identifier: Apache-2.0

/// Stacks that are one to whoever reads: the same line of their own code, reached the same way.
struct HolderGroup {
    /// What they hold together.
    private(set) var bytes = 0
    /// How many stacks they are.
    private(set) var stackCount = 0
    /// The own function with its place, and the state.
    let what: String
    /// The functions between it and the allocation.
    let chain: String?

    /// All groups of a profile, the largest first.
    static func groups(of profile: HolderProfile) -> [HolderGroup] {
        var groups: [Key: HolderGroup] = [:]
        for holder in profile.holders {
            let key = Key(holder, in: profile)
            groups[key, default: HolderGroup(what: key.what, chain: key.chain)].add(holder.bytes)
        }
        return groups.values.sorted { left, right in
            (right.bytes, left.what, left.chain ?? "") < (left.bytes, right.what, right.chain ?? "")
        }
    }

    private init(what: String, chain: String?) {
        self.what = what
        self.chain = chain
    }

    private mutating func add(_ bytes: Int) {
        self.bytes += bytes
        stackCount += 1
    }

    private struct Key: Hashable {
        let what: String
        let chain: String?

        init(_ holder: Holder, in profile: HolderProfile) {
            let stack = holder.stack.map { profile.frames[$0] }
            let place = OwnFrame.bestPlace(in: stack)
            let name = place.map { stack[$0].whereabouts } ?? "no stack"
            what = name + (holder.state.words.map { " — " + $0 } ?? "")
            // Without an own function it is the callers that tell one use of the system from another.
            let isOwn = OwnFrame.place(in: stack) != nil
            let shown = place.map { isOwn ? stack[..<$0] : stack[($0 + 1)...] } ?? []
            let text = CallChain.text(of: shown.map { FunctionName($0.function).short })
            chain = isOwn ? text : text.map { "← " + $0 }
        }
    }
}

/// A chain of calls in one line.
enum CallChain {
    /// How many names are said at either end.
    private static let ends = 3

    /// The names with arrows from caller to callee, which comes first: `malloc ← grow ← append`.
    ///
    /// The middle of a long chain is left out; it is `nil` where there are none.
    static func text(of names: [String]) -> String? {
        // Recursion and thunks repeat a name.
        let distinct = names.enumerated().filter { $0.offset == 0 || names[$0.offset - 1] != $0.element }.map(\.element)
        guard !distinct.isEmpty else { return nil }
        let shown =
            distinct.count <= 2 * ends + 1 ? distinct : distinct.prefix(ends) + ["…"] + distinct.suffix(ends)
        return shown.joined(separator: " ← ")
    }
}
