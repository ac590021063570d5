// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FetchBenchKit

/// Words that can be given repeatedly or separated by commas.
enum WordList {
    /// The single words, each once, in the order given.
    static func words(in arguments: [String]) -> [String] {
        var seen: Set<String> = []
        return arguments.flatMap { $0.split(separator: ",").map { $0.trimmingSpaces } }
            .filter { !$0.isEmpty && seen.insert($0).inserted }
    }

    /// The words of a flag, or those of a suite where the flag was not given.
    /// - Throws: `ValidationError` where the flag was given and names nothing.
    static func words(of flag: String, _ arguments: [String], orOf suite: [String]?) throws -> [String] {
        let given = words(in: arguments)
        guard arguments.isEmpty || !given.isEmpty else { throw ValidationError("\(flag): nothing is named") }
        return given.isEmpty ? suite ?? [] : given
    }

    /// The things of those names.
    /// - Throws: `ValidationError` that names the choices and the nearest one.
    static func resolve<Thing>(
        _ words: [String], kind: String, among things: [Thing], name: (Thing) -> String
    ) throws -> [Thing] {
        try words.map { word in
            guard let thing = things.first(where: { name($0) == word }) else {
                throw ValidationError(
                    Suggestion.complaint(about: SafeText.forTerminal(word), of: kind, choices: things.map(name)))
            }
            return thing
        }
    }
}

extension Substring {
    fileprivate var trimmingSpaces: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
