// SPDX-License-Identifier: Apache-2.0

import Texts

/// The words of options that can be repeated or separated by commas.
package enum WordList {
    /// Returns the words, each once, in the order given.
    package static func words(in arguments: [String]) -> [String] {
        var seen: Set<String> = []
        return arguments.flatMap { $0.split(separator: ",").map { $0.trimmingSpaces } }
            .filter { !$0.isEmpty && seen.insert($0).inserted }
    }

    /// Returns the words of a flag, or those of a suite if the flag was not given.
    package static func words(
        of flag: String, _ arguments: [String], orOf suite: [String]?
    ) throws(PlanMistake) -> [String] {
        let given = words(in: arguments)
        guard arguments.isEmpty || !given.isEmpty else {
            throw PlanMistake("invalid \(flag) '': expected at least one name")
        }
        return given.isEmpty ? suite ?? [] : given
    }

    /// Returns the thing with a name; the error has the choices, or the subcommand that lists them, and the nearest one.
    package static func resolve<Thing>(
        _ word: String, kind: String, among things: [Thing], name: (Thing) -> String, listedBy command: String? = nil
    ) throws(PlanMistake) -> Thing {
        guard let thing = things.first(where: { name($0) == word }) else {
            throw PlanMistake(
                Suggestion.complaint(
                    about: SafeText.forTerminal(word), of: kind, choices: things.map(name), listedBy: command))
        }
        return thing
    }

    /// Returns the things with these names.
    package static func resolve<Thing>(
        _ words: [String], kind: String, among things: [Thing], name: (Thing) -> String, listedBy command: String? = nil
    ) throws(PlanMistake) -> [Thing] {
        var resolved: [Thing] = []
        for word in words {
            resolved.append(try resolve(word, kind: kind, among: things, name: name, listedBy: command))
        }
        return resolved
    }
}

extension Substring {
    fileprivate var trimmingSpaces: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
