// SPDX-License-Identifier: Apache-2.0

package import TrialKit

/// One of the conditions under which a case is fetched: its names, parsing, text and obstacles.
///
/// Flags, suite keys, columns, case identifiers and printed commands are derived from the list ``all``.
package struct Dimension: Sendable {
    /// The flag, without its dashes.
    package let flag: String
    /// The placeholder for values in the help of the flag.
    package let valueName: String
    /// The help of the flag.
    package let help: String
    package let suiteKey: String
    package let column: String
    /// The name in case identifiers.
    let word: String
    /// True if the dimension configures the embedded origin, so that no other server can apply it.
    let isOfOrigin: Bool
    /// The lines that explain an unusual value in a report; mostly none.
    package let note: [String]
    /// Parses a value and stores it in the conditions.
    let set: @Sendable (String, inout FetchConditions) throws(PlanMistake) -> Void
    /// The value as it is typed.
    package let text: @Sendable (FetchConditions) -> String
    /// The value of the column, in the base unit.
    let columnText: @Sendable (FetchConditions) -> String
    /// The reason why a case with an unusual value cannot be measured, or `nil`.
    let obstacle: @Sendable (CaseObstacle) -> String?
    /// The possible values; empty for numbers and for names that programs declare.
    package var choices: [String] = []
    /// True if the dimension applies to a scenario, or to a single fetch (`nil`).
    var isTold: @Sendable (ScenarioDeclaration?) -> Bool = { _ in true }

    /// The default as it is typed.
    package var usual: String { text(.standard) }

    package func isUnusual(in conditions: FetchConditions) -> Bool { text(conditions) != usual }

    /// The oldest dimensions, whose columns keep their position among others for scripts that read columns by number.
    package static let first = all[..<5]
    /// The dimensions that were added later; their columns follow.
    package static let later = all[5..<6]
    /// The dimensions that were added with scenarios; their columns follow those of comparisons.
    package static let latest = all[6..<9]
    /// The newest dimensions; their columns come last.
    package static let newest = all[9...]

    /// Returns a dimension whose values are those of an enumeration.
    /// - Parameter kind: The noun for a value in messages.
    static func words<Word: RawRepresentable<String> & CaseIterable & Sendable>(
        _ flag: String, kind: String, _ help: String, valueName: String, suiteKey: String, isOfOrigin: Bool = false,
        note: [String] = [], _ path: any WritableKeyPath<FetchConditions, Word> & Sendable,
        obstacle: @escaping @Sendable (CaseObstacle) -> String? = { _ in nil }
    ) -> Dimension {
        Dimension(
            flag: flag, valueName: valueName, help: help, suiteKey: suiteKey, column: flag, word: flag,
            isOfOrigin: isOfOrigin, note: note,
            set: { text, conditions throws(PlanMistake) in
                conditions[keyPath: path] = try WordList.resolve(
                    text, kind: kind, among: Array(Word.allCases), name: \.rawValue)
            }, text: { $0[keyPath: path].rawValue }, columnText: { $0[keyPath: path].rawValue }, obstacle: obstacle,
            choices: Word.allCases.map(\.rawValue))
    }
}

extension FetchConditions {
    /// The differences from the standard: `concurrency=5`, `delay=200us`.
    package var words: [String] {
        Dimension.all.filter { $0.isUnusual(in: self) }.map { "\($0.word)=\($0.text(self))" }
    }

    /// The same conditions without a slow consumer.
    package var withoutDelay: FetchConditions {
        var conditions = self
        conditions.consumerDelayNanoseconds = 0
        return conditions
    }
}
