// SPDX-License-Identifier: Apache-2.0

package import TrialKit

/// One of the conditions under which a case is fetched: how it is named everywhere, parsed, told and refused.
///
/// ``all`` is the one list: the flags of the command line, the keys of suites, the columns of tables, the identifiers of
/// cases and the commands that are printed to be repeated follow from it.
package struct Dimension: Sendable {
    /// The flag, without its dashes.
    package let flag: String
    /// What a value stands for in the help of the flag.
    package let valueName: String
    /// What it says, as the help of the flag.
    package let help: String
    /// The key of suites.
    package let suiteKey: String
    /// The column of tables.
    package let column: String
    /// The word in the identifiers of cases.
    let word: String
    /// Whether it tells the embedded origin how to send, which no other server can be told.
    let isOfOrigin: Bool
    /// What a reader of a report has to know where it is unusual: lines, mostly none.
    package let note: [String]
    /// The value of a text, put into conditions.
    /// - Throws: ``PlanMistake`` where the text is none.
    let set: @Sendable (String, inout FetchConditions) throws(PlanMistake) -> Void
    /// The value as it is typed.
    package let text: @Sendable (FetchConditions) -> String
    /// The value as its column has it, in the base unit.
    let columnText: @Sendable (FetchConditions) -> String
    /// Why a cell whose value is unusual cannot be measured, or `nil` where it can.
    let obstacle: @Sendable (CaseObstacle) -> String?
    /// The words that a value can be; none where it is a number or a name that others give.
    package var choices: [String] = []
    /// Whether it means anything to a case that plays this scenario, or none.
    var isTold: @Sendable (ScenarioDeclaration?) -> Bool = { _ in true }

    /// The value that says nothing, as it is typed.
    package var usual: String { text(.standard) }

    /// Whether conditions have another value than the usual one.
    package func isUnusual(in conditions: FetchConditions) -> Bool { text(conditions) != usual }

    /// The dimensions whose columns stand among others, for who reads columns by number.
    package static let first = all[..<5]
    /// Those that came later, whose columns come behind them.
    package static let later = all[5..<6]
    /// Those that came with the scenarios, whose columns come behind those of comparisons.
    package static let latest = all[6...]

    /// A dimension of words.
    /// - Parameter kind: what a complaint calls a word of it.
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
    /// What differs from the usual: `concurrency=5`, `delay=200us`.
    package var words: [String] {
        Dimension.all.filter { $0.isUnusual(in: self) }.map { "\($0.word)=\($0.text(self))" }
    }

    /// The same without a slow consumer.
    package var withoutDelay: FetchConditions {
        var conditions = self
        conditions.consumerDelayNanoseconds = 0
        return conditions
    }
}
