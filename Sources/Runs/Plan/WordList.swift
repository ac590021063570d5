// SPDX-License-Identifier: Apache-2.0

import Texts

/// Words that can be given repeatedly or separated by commas.
package enum WordList {
    /// The single words, each once, in the order given.
    package static func words(in arguments: [String]) -> [String] {
        var seen: Set<String> = []
        return arguments.flatMap { $0.split(separator: ",").map { $0.trimmingSpaces } }
            .filter { !$0.isEmpty && seen.insert($0).inserted }
    }

    /// The words of a flag, or those of a suite where the flag was not given.
    /// - Throws: ``PlanMistake`` where the flag was given and names nothing.
    package static func words(
        of flag: String, _ arguments: [String], orOf suite: [String]?
    ) throws(PlanMistake) -> [String] {
        let given = words(in: arguments)
        guard arguments.isEmpty || !given.isEmpty else { throw PlanMistake("\(flag): nothing is named") }
        return given.isEmpty ? suite ?? [] : given
    }

    /// The thing of a name.
    /// - Throws: ``PlanMistake`` that names the choices and the nearest one.
    package static func resolve<Thing>(
        _ word: String, kind: String, among things: [Thing], name: (Thing) -> String
    ) throws(PlanMistake) -> Thing {
        guard let thing = things.first(where: { name($0) == word }) else {
            throw PlanMistake(
                Suggestion.complaint(about: SafeText.forTerminal(word), of: kind, choices: things.map(name)))
        }
        return thing
    }

    /// The things of names.
    /// - Throws: ``PlanMistake`` that names the choices and the nearest one.
    package static func resolve<Thing>(
        _ words: [String], kind: String, among things: [Thing], name: (Thing) -> String
    ) throws(PlanMistake) -> [Thing] {
        var resolved: [Thing] = []
        for word in words { resolved.append(try resolve(word, kind: kind, among: things, name: name)) }
        return resolved
    }
}

extension Substring {
    fileprivate var trimmingSpaces: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
