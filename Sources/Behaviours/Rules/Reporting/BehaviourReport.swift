// SPDX-License-Identifier: Apache-2.0

package import Foundation
import Reports
package import Runs

/// The observations of all promises, with the toolchain: `behaviours.json`.
package struct BehaviourReport: Codable, Hashable, Sendable {
    package static let currentSchema = 2

    package struct Toolchain: Codable, Hashable, Sendable {
        package var swift: String
        /// `release` or `debug`.
        package var build: String
        package var kernel: String
        package var libc: String
        package var architecture: String
        package var libcurl: String?
        package var platform: String?
        /// The first line of the compiler's version, or `nil` if none was used.
        package var compiler: String?
        /// The short commit of the repository in which fetchbench was started, or `nil`.
        package var commit: String?

        package init(
            _ environment: MachineEnvironment, libcurl: String? = nil, platform: String? = nil, compiler: String? = nil
        ) {
            (self.libcurl, self.platform, self.compiler) = (libcurl, platform, compiler)
            (swift, build) = (environment.swift, environment.buildConfiguration)
            (kernel, libc, architecture) = (environment.kernel, environment.libc, environment.architecture)
            commit = environment.commit.map { $0 + (environment.hasUncommittedChanges == true ? " with changes" : "") }
        }
    }

    package struct Row: Codable, Hashable, Sendable {
        package var name: String
        package var path: String
        package var promise: String
        package var word: Verdict
        package var detail: String
        /// The document that promises it or leaves it open; `nil` if none does either.
        package var documentation: Documentation?
        /// The cause, or `unknown`; `nil`, as all of the next four, if it was kept or not tried.
        package var cause: String?
        /// The issues and pull requests upstream; empty if none was found.
        package var upstream: [UpstreamIssue]?
        /// The first release with a fix; `none` if there is none.
        package var fixedIn: String?
        package var workaround: Workaround?
        package var attempts: [String: Int]?
        /// The words that an expectation treats as equal; `nil` if it accepts the word alone.
        package var accepts: [Verdict]?
        package var figures: Figures?

        package init(_ behaviour: Behaviour, _ observation: Observation, figures: Figures? = nil) {
            (name, path, promise) = (behaviour.name, behaviour.path, behaviour.promise)
            (word, detail, documentation) = (observation.word, observation.detail, behaviour.documentation)
            if !observation.word.isKept, observation.word != .notTried {
                // Another word than the flaw's has another cause.
                let flaw = behaviour.flaw.flatMap { $0.words.contains(observation.word) ? $0 : nil }
                cause = flaw?.cause ?? "unknown"
                upstream = flaw?.upstream ?? []
                fixedIn = flaw?.fixedIn ?? "none"
                workaround = flaw?.workaround ?? Workaround.none
            }
            let words = behaviour.interchangeable
            accepts = words.contains(observation.word) ? words : nil
            self.figures = figures
        }

        package init(_ behaviour: Behaviour, _ evidence: [Evidence]) {
            let verdict = behaviour.verdict(on: evidence)
            self.init(behaviour, verdict.observation, figures: Figures(verdict.evidence))
            guard !verdict.shares.isEmpty else { return }
            attempts = Dictionary(uniqueKeysWithValues: verdict.shares.map { ($0.rawValue, $1) })
        }

        private enum CodingKeys: String, CodingKey {
            case name, path, promise, word, detail, cause, upstream, workaround, attempts, accepts, figures
            case documentation = "documented_by"
            case fixedIn = "fixed_in"
        }
    }

    package var schema: Int
    package var tool: String
    package var toolchain: Toolchain
    package var rows: [Row]
    /// True if it was interrupted before every promise was tried; `nil` otherwise.
    package var isIncomplete: Bool?

    package init(tool: String, toolchain: Toolchain, rows: [Row], isIncomplete: Bool? = nil) {
        schema = Self.currentSchema
        (self.tool, self.toolchain, self.rows) = (tool, toolchain, rows)
        self.isIncomplete = isIncomplete
    }

    private enum CodingKeys: String, CodingKey {
        case schema, tool, toolchain, rows
        case isIncomplete = "incomplete"
    }
}

extension BehaviourReport {
    package init(parsing data: Data) throws {
        struct Version: Decodable {
            var schema: Int
        }
        guard let version = try? JSONDecoder().decode(Version.self, from: data) else {
            throw FetchBenchError("not a behaviours.json")
        }
        guard version.schema == Self.currentSchema else {
            throw FetchBenchError("it has schema \(version.schema), and this version reads \(Self.currentSchema)")
        }
        guard let report = try? JSONDecoder().decode(BehaviourReport.self, from: data) else {
            throw FetchBenchError("a row of it lacks something, or has an unknown word")
        }
        self = report
    }
}

package enum BehaviourFormat: String, CaseIterable, Sendable {
    case markdown, csv, json, html, table

    package static let stored: [BehaviourFormat] = [.markdown, .csv, .json, .html]

    package var fileName: String { "behaviours." + (self == .markdown ? "md" : rawValue) }

    package func text(of report: BehaviourReport) throws -> String {
        switch self {
        case .csv: Self.csv(report)
        case .json: try JSONText.text(of: report, .readable)
        case .table, .markdown, .html: written(BehaviourDocument(report).document)
        }
    }

    package func text(of comparison: BehaviourComparison) throws -> String {
        switch self {
        case .csv: Self.csv(comparison)
        case .json: try JSONText.text(of: comparison, .readable)
        case .table, .markdown, .html: written(BehaviourComparison.ComparisonDocument(comparison).document)
        }
    }

    /// Writes a document; for a terminal without breaking the rows, whose observations are long.
    private func written(_ document: (Document.Medium) -> Document) -> String {
        switch self {
        case .markdown: MarkdownWriter().text(of: document(.markdown))
        case .html: PageWriter.text(of: document(.page))
        default: TerminalWriter(width: .max).text(of: document(.terminal))
        }
    }

    private static func csv(_ comparison: BehaviourComparison) -> String {
        let rows = comparison.rows.map { row in
            [row.name, row.path, row.promise, row.change.rawValue, row.then?.rawValue ?? "", row.now?.rawValue ?? ""]
                + [row.detail]
        }
        let header = ["name", "path", "promise", "change", "then", "now", "detail"]
        return ([header] + rows).map(CSV.line).joined()
    }

    private static func csv(_ report: BehaviourReport) -> String {
        let header = [
            "name", "path", "promise", "word", "detail", "cause", "upstream", "accepts", "documented_by",
            "documented_at", "fixed_in", "workaround", "workaround_row",
        ]
        let rows = report.rows.map { row in
            let accepts = (row.accepts ?? []).map(\.rawValue).joined(separator: " ")
            return [row.name, row.path, row.promise, row.word.rawValue, row.detail, row.cause ?? ""]
                + [row.upstreamText ?? "", accepts, row.documentation?.text ?? "none"]
                + [row.documentation?.link ?? "", row.fixedIn ?? "", row.workaround?.text ?? ""]
                + [row.workaround?.row ?? ""]
        }
        return ([header] + rows).map(CSV.line).joined()
    }
}

extension BehaviourReport.Row {
    /// The issues upstream in one line, `none found`, or `nil` if there is nothing to look for.
    fileprivate var upstreamText: String? {
        guard let upstream else { return nil }
        let issues = upstream.map { "\($0.reference) \($0.stateText)" }
        return issues.isEmpty ? "none found" : issues.joined(separator: "; ")
    }
}

extension Documentation {
    package var text: String { source + (says.map { " (no promise: \($0))" } ?? "") }
}
