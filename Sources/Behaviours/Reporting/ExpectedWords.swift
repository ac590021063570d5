// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// The words of an earlier report, which a later one is compared with.
package struct ExpectedWords: Hashable, Sendable {
    /// What the comparison comes to.
    package enum Answer: Hashable, Sendable {
        /// Every word is the same.
        case same
        /// A behaviour changed, to the better or to the worse.
        case changed
        /// None changed, but some could not be compared.
        case incomplete
    }

    /// Why a file holds no expectation.
    package struct Malformed: Error, Hashable, Sendable {
        /// The reason in words.
        package var reason: String
    }

    private let rows: [BehaviourReport.Row]

    /// Takes the words out of a report.
    package init(_ report: BehaviourReport) {
        rows = report.rows
    }

    /// Reads a `behaviours.json`.
    package init(parsing data: Data) throws(Malformed) {
        struct Version: Decodable {
            var schema: Int
        }
        guard let version = try? JSONDecoder().decode(Version.self, from: data) else {
            throw Malformed(reason: "it is no behaviours.json")
        }
        guard version.schema == BehaviourReport.currentSchema else {
            throw Malformed(
                reason: "it has schema \(version.schema); this version reads \(BehaviourReport.currentSchema)")
        }
        guard let report = try? JSONDecoder().decode(BehaviourReport.self, from: data) else {
            throw Malformed(reason: "a row of it lacks something, or has an unknown word")
        }
        self.init(report)
    }

    /// Compares what was observed now, and says each difference in a line.
    /// - Parameter isWhole: whether every expected row had to be observed, and not a choice of them.
    package func compare(with observed: [BehaviourReport.Row], isWhole: Bool) -> (answer: Answer, lines: [String]) {
        var changes: [String] = []
        var gaps: [String] = []
        for row in observed {
            guard let expected = rows.first(where: { $0.name == row.name }) else {
                gaps.append("\(row.name): not in the expectation; observed now: \(row.word.rawValue)")
                continue
            }
            if row.word == .notTried || expected.word == .notTried {
                gaps.append("\(row.name): expected \(expected.word.rawValue), now \(row.word.rawValue): \(row.detail)")
            } else if row.word != expected.word {
                changes.append(
                    "\(row.name): was \(expected.word.rawValue), is \(row.word.rawValue) now: \(row.detail)")
            }
        }
        if isWhole {
            let names = Set(observed.map(\.name))
            gaps += rows.filter { !names.contains($0.name) }.map { "\($0.name): expected, and not known here" }
        }
        return (changes.isEmpty ? (gaps.isEmpty ? .same : .incomplete) : .changed, changes + gaps)
    }
}
