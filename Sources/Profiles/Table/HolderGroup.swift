// SPDX-License-Identifier: Apache-2.0

/// Stacks that share a row of the table: the same own line, with the same calls from there to the allocation.
struct HolderGroup {
    private(set) var bytes = 0
    private(set) var stackCount = 0
    /// The own function with its location, and the state.
    let what: String
    /// The functions between it and the allocation.
    let chain: String?

    /// Returns all groups of a profile, the largest first.
    static func groups(of profile: HolderProfile) -> [HolderGroup] {
        var groups: [Key: HolderGroup] = [:]
        // Computed once per frame, because many stacks share few functions.
        let names = profile.frames.map { (short: FunctionName($0.function).short, place: $0.whereabouts) }
        for holder in profile.holders {
            let key = Key(holder, in: profile, names)
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

        init(_ holder: Holder, in profile: HolderProfile, _ names: [(short: String, place: String)]) {
            let stack = holder.stack.map { profile.frames[$0] }
            let place = OwnFrame.bestPlace(in: stack[...])
            let name = place.map { names[holder.stack[$0]].place } ?? "no stack"
            what = name + (holder.state.words.map { " — " + $0 } ?? "")
            // Without an own function, the callers distinguish uses of the system.
            if let own = OwnFrame.place(in: stack[...]), own == stack.startIndex {
                // If an own helper allocates, its callers explain it.
                let callers = holder.stack[1...].filter { !profile.frames[$0].isSystem }.prefix(2)
                chain = CallChain.text(of: callers.map { names[$0].short }).map { "← " + $0 }
            } else if let own = OwnFrame.place(in: stack[...]) {
                chain = CallChain.text(of: holder.stack[..<own].map { names[$0].short })
            } else {
                let callers = place.map { holder.stack[($0 + 1)...].map { names[$0].short } } ?? []
                chain = CallChain.text(of: callers, outermost: 0).map { "← " + $0 }
            }
        }
    }
}

enum CallChain {
    private static let longest = 8

    /// Returns names joined by arrows, callees first: `malloc ← grow ← append`; `nil` without names.
    ///
    /// The middle of a long chain is left out, keeping `outermost` names at its end.
    static func text(of names: [String], outermost: Int = 3) -> String? {
        // Recursion and thunks repeat a name.
        let distinct = names.enumerated().filter { $0.offset == 0 || names[$0.offset - 1] != $0.element }.map(\.element)
        guard !distinct.isEmpty else { return nil }
        let shown =
            distinct.count <= longest
            ? distinct : distinct.prefix(longest - 1 - outermost) + ["…"] + distinct.suffix(outermost)
        return shown.joined(separator: " ← ")
    }
}
