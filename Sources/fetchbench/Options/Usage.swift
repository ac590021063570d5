// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Runs

/// Wrong usage, as the argument parser tells it.
enum Usage {
    /// Does what may find a mistake in the words of a plan.
    /// - Throws: `ValidationError` in the place of a ``PlanMistake``.
    static func checked<Value>(_ work: () throws -> Value) throws -> Value {
        do {
            return try work()
        } catch let mistake as PlanMistake {
            throw ValidationError(mistake.description)
        }
    }

    /// The renderers that formats name.
    /// - Throws: `ValidationError` for one that there is not.
    static func renderers<Subject>(
        named words: [String], among renderers: [any TextRenderer<Subject>]
    ) throws -> [any TextRenderer<Subject>] {
        try checked {
            try WordList.resolve(
                WordList.words(of: "--format", words, orOf: nil), kind: "format", among: renderers, name: { $0.name })
        }
    }

    /// The names of formats, for a help text.
    static func names<Subject>(of renderers: [any TextRenderer<Subject>]) -> String {
        renderers.map { $0.name }.joined(separator: ", ")
    }
}
