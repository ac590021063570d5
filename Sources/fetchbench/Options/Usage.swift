// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Runs

/// Conversion of usage errors to those of the argument parser.
enum Usage {
    /// Rethrows a ``PlanMistake`` of the work as `ValidationError`.
    static func checked<Value>(_ work: () throws -> Value) throws -> Value {
        do {
            return try work()
        } catch let mistake as PlanMistake {
            throw ValidationError(mistake.description)
        }
    }

    /// Returns the renderers that formats name.
    /// - Throws: `ValidationError` for an unknown one.
    static func renderers<Subject>(
        named words: [String], among renderers: [any TextRenderer<Subject>]
    ) throws -> [any TextRenderer<Subject>] {
        try checked {
            try WordList.resolve(
                WordList.words(of: "--format", words, orOf: nil), kind: "format", among: renderers, name: { $0.name })
        }
    }

    /// Returns the names of formats, for a help text.
    static func names<Subject>(of renderers: [any TextRenderer<Subject>]) -> String {
        renderers.map { $0.name }.joined(separator: ", ")
    }
}
