// SPDX-License-Identifier: Apache-2.0

import Judging
import Runs

/// The report on a judgement: the conclusion, the findings, the changes, every figure; for a check also its run.
struct JudgementDocument: Sendable {
    let judgement: Judgement
    let all: [Finding]

    init(_ judgement: Judgement) {
        self.judgement = judgement
        all = judgement.findingsWorstFirst
    }

    func document(for medium: Document.Medium) throws -> Document {
        let sides = "\(judgement.headName) against \(judgement.baseName)"
        let suite = judgement.kind == .check ? judgement.evidence?.run.suite : nil
        let title = suite.map { "\($0) against \(judgement.baseName)" } ?? sides
        var document = Document(title: title, answer: ["\(counts)\(movedParts) (\(sides))."])
        document.verdict = verdict
        document.subtitle =
            "\(judgement.judgedAt) · \(judgement.environment.processor ?? "unknown processor") · \(judgement.tool)"
        document.sections =
            switch medium {
            case .terminal: [figures(for: medium), moved, warnings]
            case .markdown: findings + [figures(for: medium), hosts, warnings, guide]
            case .page:
                findings + (try pictures) + [hosts, warnings, guide] + (try run).filter { $0.identifier != "peaks" }
            }
        return document
    }

    private var findings: [DocumentSection] {
        [
            findings("red", "Red") { $0.isRed }, findings("open", "Without an answer") { $0.isOpen },
            findings("improved", "Improved") { $0 == .improved },
        ]
    }

    /// All findings but the unchanged ones in full, for a terminal.
    private var moved: DocumentSection {
        var section = findings("moved", "Moved") { $0 != .unchanged }
        section.isUntitled = true
        return section
    }

    private func findings(_ identifier: String, _ heading: String, where isMeant: (Finding.Verdict) -> Bool)
        -> DocumentSection
    {
        // Several findings of one case have one command, which stands below the first of them.
        var told: Set<String> = []
        let items = all.filter { isMeant($0.verdict) }.map { finding in
            let line = FindingLine(finding, of: judgement.kind)
            return DocumentSection.Item(
                finding.words(in: judgement.kind), line.text,
                command: line.command.flatMap { told.insert($0).inserted ? $0 : nil })
        }
        return DocumentSection(identifier, heading, items: items)
    }

    private var pictures: [DocumentSection] {
        get throws {
            let isPaired = judgement.evidence?.run.kind.isPaired == true
            let holders = isPaired ? [try HolderPictures(in: judgement.evidence?.folder).section] : []
            let peaks = try run.filter { $0.identifier == "peaks" }
            return [changes] + peaks + holders + [history, figures(for: .page)]
        }
    }

    private func figures(for medium: Document.Medium) -> DocumentSection {
        let comparison = comparisonTable(withDetectable: medium != .terminal)
        let tables = [("Budgets, in MiB", budgetTable), ("Comparisons: medians, in MiB", comparison)].map {
            DocumentTable($0, $1, subject: "case", counts: ["n"])
        }
        let isExplained = medium == .terminal && !tables.allSatisfy(\.rows.isEmpty)
        return DocumentSection(
            "figures", "Every figure", tables: tables, legend: isExplained ? legend : [], isUntitled: true)
    }

    private var legend: [String] {
        let hasIntervals = all.contains { $0.interval != nil }
        let smallest = all.filter { $0.part != .scenario && $0.unit == .bytes }.compactMap(
            \.smallestDetectableChange)
        let ends = Set([smallest.min(), smallest.max()].compactMap { $0.map(JudgementText.share) }).sorted()
        return [
            "Medians, sizes in MiB."
                + (hasIntervals ? " change: head − base (Hodges–Lehmann) with its 99 % interval." : "")
        ]
            + (ends.isEmpty
                ? [] : ["Smallest detectable change: \(ends.joined(separator: " to ")) of the base's net peak."])
    }

    private var warnings: DocumentSection {
        let items = judgement.warnings.map { DocumentSection.Item("warning", $0.textWithRemedy) }
        var section = DocumentSection("doubts", "Warnings", items: items, isUntitled: true)
        section.isFolded = items.count > 3
        return section
    }

    /// The machines of merged shards; empty for other comparisons.
    private var hosts: DocumentSection {
        guard let run = judgement.evidence?.run, run.kind.isPaired else {
            return DocumentSection("hosts", "Hosts")
        }
        return HostsSection(run: run, findings: all).section
    }

    private var guide: DocumentSection {
        var section = DocumentSection("judged", "How to read this", items: judgement.readingGuide)
        section.isFolded = true
        return section
    }

    private var run: [DocumentSection] {
        get throws {
            guard let evidence = judgement.evidence, !evidence.run.kind.isPaired else { return [] }
            let sections = try RunDocument(try Report(evidence.run, in: evidence.folder)).sections(for: .page)
            return sections.filter { !["warnings", "reading"].contains($0.identifier) }
        }
    }
}

// MARK: - The conclusion

extension JudgementDocument {
    private var verdict: Document.Verdict {
        switch judgement.answer {
        case .within: Document.Verdict(text: "Within limits", kind: .good)
        case .red: Document.Verdict(text: "Red", kind: .bad)
        case .none: Document.Verdict(text: "No answer", kind: .open)
        }
    }

    /// The parts of a program that moved in any case; empty if no two sides were compared.
    private var movedParts: String {
        let compared = judgement.findings.filter { $0.part != nil && !$0.verdict.isOpen }
        guard !compared.isEmpty else { return "" }
        let parts = JudgedMetric.Part.allCases.filter { part in
            compared.contains { $0.part == part && $0.hasMoved }
        }
        let areServers = compared.allSatisfy(\.isOfServer)
        let words = parts.map { $0.words(ofServer: areServers) }.joined(separator: ", ")
        return parts.isEmpty ? "" : "; moved: " + words
    }

    private var counts: String {
        let parts = all.grouped { $0.words(in: judgement.kind) }.map { group in
            let isTolerated = group.elements[0].verdict == .incomparable && judgement.toleratesIncomparable
            return "\(group.elements.count) \(group.key)\(isTolerated ? " (tolerated)" : "")"
        }
        return parts.isEmpty ? "nothing was judged" : parts.joined(separator: ", ")
    }
}

// MARK: - The tables

extension JudgementDocument {
    private var budgetTable: TextTable {
        var table = TextTable(["verdict", "case", "budget", "measured", "limit", "n"], words: 3)
        table.rows = all.compactMap { finding in
            guard let budget = finding.budget else { return nil }
            return [
                finding.words(in: judgement.kind), finding.cell, JudgementText.formula(budget),
                figure(finding.head, finding), figure(finding.limit, finding), count(finding),
            ]
        }
        return table
    }

    private func comparisonTable(withDetectable: Bool) -> TextTable {
        var table = TextTable(
            ["verdict", "case", "metric", "base", "head", "change (99 % CI)", "p", "limit", "n"]
                + (withDetectable ? ["detectable"] : []), words: 3)
        table.rows = all.filter { $0.budget == nil }.map { finding in
            let detectable = finding.smallestDetectableChange.map(FindingFigures(of: finding).detectable)
            return [
                finding.words(in: judgement.kind), finding.cell, JudgementText.metricName(finding.metric),
                figure(finding.base, finding), figure(finding.head, finding), change(finding),
                finding.p.map { JudgementText.p($0) } ?? FigureText.absent,
                figure(finding.limit, finding), count(finding),
            ] + (withDetectable ? [detectable ?? FigureText.absent] : [])
        }
        return table
    }

    private func figure(_ value: Double?, _ finding: Finding) -> String {
        FindingFigures(of: finding).cell(value)
    }

    /// Returns the change: of sizes and figures of a scenario in the unit of the row, else relative.
    private func change(_ finding: Finding) -> String {
        guard let effect = finding.effect else { return FigureText.absent }
        let figures = FindingFigures(of: finding)
        if finding.unit == .bytes || !figures.isRelative, let scale = finding.scale.map({ $0 / figures.divisor }) {
            let interval = finding.interval.map { " (\(JudgementText.interval($0, scale: scale)))" }
            return JudgementText.signed(effect * scale, places: 2) + (interval ?? "")
        }
        let interval = finding.interval.map { " (\(JudgementText.interval($0, scale: 100)))" }
        return JudgementText.percent(effect) + (interval ?? "")
    }

    private func count(_ finding: Finding) -> String {
        guard finding.baseTrials + finding.headTrials > 0 else { return FigureText.absent }
        let isOneNumber = finding.budget != nil || finding.baseTrials == finding.headTrials
        return isOneNumber ? "\(finding.headTrials)" : "\(finding.baseTrials)+\(finding.headTrials)"
    }
}

extension Calibration {
    /// The calibration as a document: a row for each case and metric, then advice.
    var document: Document {
        var table = TextTable(
            [
                "case", "metric", "n", "median MiB", "shift KiB", "verdict", "noise floor KiB", "counts from KiB",
                "detects from KiB", "false alarms",
            ], words: 2)
        let kibibytes = { (bytes: Double) in ByteText.fixed(bytes / 1024, places: 1) }
        table.rows = entries.map { entry in
            [
                entry.cell, JudgementText.metricName(entry.metric), "\(entry.trials)", FigureText.size(entry.median),
                kibibytes(entry.shift),
                entry.verdict.words, kibibytes(entry.noiseFloor), kibibytes(entry.threshold),
                kibibytes(entry.smallestDetectableChange), "\(entry.falseAlarms) of \(entry.resamples)",
            ]
        }
        var section = DocumentSection("calibration", "Calibration", isUntitled: true)
        section.tables = [DocumentTable("Each case and metric", table, subject: "case", counts: ["n"])]
        section.legend = [
            "One build against itself, or against its copy.",
            "Shift: the second side minus the first; the verdict: what the rule says of it.",
            "Noise floor: the standard error of a change between 12 pairs, or the shift if that is larger.",
            "Counts from: the smallest change that is judged at all, three noise floors or more.",
            "Detects from: the smallest that 12 pairs can see.",
            "False alarms: comparisons resampled from these trials that called the build changed.",
        ]
        section.items = entries.compactMap { entry in
            entry.advice.map { .init("\(entry.cell), \(JudgementText.metricName(entry.metric))", $0) }
        }
        return Document(title: "Calibration", answer: [], sections: [section])
    }
}
