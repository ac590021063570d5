// SPDX-License-Identifier: Apache-2.0

/// The validated values of every dimension that flags and suite select.
package struct ConditionRequest: Hashable, Sendable {
    private static let mostFetches = 1000

    /// The values of each dimension as they are typed, in the order of ``Dimension/all``.
    private var values: [[String]]

    package init(flags: [String: [String]], suite: [String: [String]]) throws {
        values = try Dimension.all.map { dimension in
            let words = try WordList.words(
                of: "--" + dimension.flag, flags[dimension.flag] ?? [],
                orOf: suite[dimension.suiteKey] ?? [dimension.usual])
            return try Self.canonical(words, of: dimension)
        }
    }

    package init(only conditions: FetchConditions) {
        values = Dimension.all.map { [$0.text(conditions)] }
    }

    /// Every combination in the order of the report: the last dimension changes least.
    package var all: [FetchConditions] {
        zip(Dimension.all, values).reversed().reduce([.standard]) { found, entry in
            found.flatMap { conditions in
                entry.1.map { text in
                    var changed = conditions
                    // Cannot throw: the initializer validated the values.
                    try? entry.0.set(text, &changed)
                    return changed
                }
            }
        }
    }

    /// Returns the flags that configure the embedded origin in another way than usual.
    package var flagsOfOrigin: [String] {
        zip(Dimension.all, values).filter { $0.isOfOrigin && $1 != [$0.usual] }.map(\.0.flag)
    }

    package var flags: [String] {
        let unusual = zip(Dimension.all, values).filter { $1 != [$0.usual] }
        return unusual.flatMap { ["--" + $0.flag, $1.joined(separator: ",")] }
    }

    /// Returns each value once: `1ms` and `1000us` are the same condition.
    private static func canonical(_ words: [String], of dimension: Dimension) throws -> [String] {
        var texts: [String] = []
        for word in words {
            var conditions = FetchConditions.standard
            try dimension.set(word, &conditions)
            let text = dimension.text(conditions)
            if !texts.contains(text) { texts.append(text) }
        }
        return texts
    }

    static func count(_ text: String, _ flag: String) throws -> Int {
        guard let number = Int(text), (1...mostFetches).contains(number) else {
            throw FetchBenchError(
                usage: "invalid \(flag) '\(SafeText.forTerminal(text))': expected a number from 1 to \(mostFetches)")
        }
        return number
    }
}

/// The words of options that can be repeated or separated by commas.
package enum WordList {
    package static func words(in arguments: [String]) -> [String] {
        var seen: Set<String> = []
        return arguments.flatMap { $0.split(separator: ",").map { $0.trimmingSpaces } }
            .filter { !$0.isEmpty && seen.insert($0).inserted }
    }

    package static func words(
        of flag: String, _ arguments: [String], orOf suite: [String]?
    ) throws -> [String] {
        let given = words(in: arguments)
        guard arguments.isEmpty || !given.isEmpty else {
            throw FetchBenchError(usage: "invalid \(flag) '': expected at least one name")
        }
        return given.isEmpty ? suite ?? [] : given
    }

    /// Returns the thing with a name; the error has the choices, or the subcommand that lists them, and the nearest one.
    package static func resolve<Thing>(
        _ word: String, kind: String, among things: [Thing], name: (Thing) -> String, listedBy command: String? = nil
    ) throws -> Thing {
        guard let thing = things.first(where: { name($0) == word }) else {
            throw FetchBenchError(
                usage: Suggestion.complaint(
                    about: SafeText.forTerminal(word), of: kind, choices: things.map(name), listedBy: command))
        }
        return thing
    }

    package static func resolve<Thing>(
        _ words: [String], kind: String, among things: [Thing], name: (Thing) -> String, listedBy command: String? = nil
    ) throws -> [Thing] {
        try words.map { try resolve($0, kind: kind, among: things, name: name, listedBy: command) }
    }
}

extension Substring {
    fileprivate var trimmingSpaces: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
