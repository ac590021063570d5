// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// An earlier report that a later one is compared with.
package struct ExpectedWords: Hashable, Sendable {
    package enum Answer: Hashable, Sendable {
        case same
        /// A behaviour changed, for the better or the worse.
        case changed
        /// None changed, but some could not be compared.
        case incomplete
    }

    /// The reason why a file is not an expectation.
    package struct Malformed: Error, Hashable, Sendable {
        package var reason: String
    }

    private let report: BehaviourReport

    package init(_ report: BehaviourReport) {
        self.report = report
    }

    /// Parses a `behaviours.json`.
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

    /// Compares a new report, with one line for each difference.
    /// - Parameter isWhole: True if every expected row has to be in the report.
    package func compare(with observed: BehaviourReport, isWhole: Bool) -> (answer: Answer, lines: [String]) {
        var changes: [(direction: Direction, line: String)] = []
        var gaps: [String] = []
        for row in observed.rows {
            guard let expected = report.rows.first(where: { $0.name == row.name }) else {
                gaps.append("\(row.name): not in the expectation; observed now: \(row.word.rawValue)")
                continue
            }
            if row.word == .notTried || expected.word == .notTried {
                gaps.append("\(row.name): expected \(expected.word.rawValue), now \(row.word.rawValue): \(row.detail)")
            } else if row.word != expected.word, !(expected.accepts ?? []).contains(row.word) {
                let direction = Direction(from: expected.word, to: row.word)
                let words = "was \(expected.word.rawValue), is \(row.word.rawValue) now"
                changes.append((direction, "\(row.name): \(words) (\(direction.rawValue)): \(row.detail)"))
            }
        }
        if isWhole {
            let names = Set(observed.rows.map(\.name))
            gaps += report.rows.filter { !names.contains($0.name) }.map { "\($0.name): expected, and not known here" }
        }
        let answer: Answer = changes.isEmpty ? (gaps.isEmpty ? .same : .incomplete) : .changed
        guard answer != .same else { return (.same, []) }
        return (answer, changes.map(\.line) + gaps + summary(of: observed, changes.map(\.direction), gaps.count))
    }

    private enum Direction: String, CaseIterable {
        case better, worse
        case different = "not kept in another way"

        init(from expected: Word, to observed: Word) {
            self = observed == .holds ? .better : expected == .holds ? .worse : .different
        }
    }

    /// Returns the counts of changes and the differences of the toolchains.
    private func summary(of observed: BehaviourReport, _ directions: [Direction], _ gaps: Int) -> [String] {
        var counts = Direction.allCases.map { direction in
            "\(directions.count { $0 == direction }) \(direction.rawValue)"
        }
        counts += ["\(observed.rows.count - directions.count - gaps) the same", "\(gaps) not compared"]
        let (then, now) = (report.toolchain, observed.toolchain)
        let parts: [(String, String?, String?)] = [
            ("Swift", then.swift, now.swift),
            // The version is unknown if no compiler was used.
            ("the compiler", then.compiler ?? now.compiler, now.compiler ?? then.compiler),
            ("the platform it was built on", then.platform, now.platform), ("libcurl", then.libcurl, now.libcurl),
            ("libc", then.libc, now.libc), ("the kernel", then.kernel, now.kernel),
            ("the architecture", then.architecture, now.architecture),
        ]
        let differences = parts.filter { $0.1 != $0.2 }.map {
            "\($0.0): \($0.1 ?? "unknown") then, \($0.2 ?? "unknown") now"
        }
        return [
            "compared with the expectation: " + counts.joined(separator: ", "),
            differences.isEmpty
                ? "the expectation is of the same toolchain"
                : "the toolchain is another one: " + differences.joined(separator: "; "),
        ]
    }
}
