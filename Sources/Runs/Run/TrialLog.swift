// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The two files of a run that grow while it goes on: `trials.jsonl` and `samples.csv`.
package struct TrialLog: Sendable {
    private let log: AppendingFile
    private let samples: AppendingFile

    package init(_ folder: RunFolder) throws {
        log = try AppendingFile(path: folder.path(of: .log), name: RunFolder.File.log.rawValue)
        samples = try AppendingFile(path: folder.path(of: .samples), name: RunFolder.File.samples.rawValue)
    }

    /// Creates the files of a run, with the trials that it already has and without series.
    package static func create(in folder: RunFolder, trials: [Trial] = []) throws {
        try write(trials, to: folder)
        try folder.write(SamplesTable.header, to: .samples)
    }

    package func append(_ trial: Trial, series: TrialSeries = TrialSeries()) throws {
        let line = try RunCoding.compactText(of: trial)
        try samples.append(
            SamplesTable.text(of: trial, samples: series.samples, sent: series.sent, charges: series.charges))
        try log.append(line)
    }

    /// Reads the trials of a folder in order; an incomplete last line of an interrupted run is ignored.
    package static func trials(in folder: RunFolder, of run: RunRecord) throws -> [Trial] {
        let isFinished = run.finishedAt != nil
        let limits = MachineLimits(of: run.environment)
        let limitsOfHosts = Dictionary(
            (run.sharding?.hosts ?? []).map { ($0.identifier, MachineLimits(of: $0.environment)) }
        ) { first, _ in first }
        let decoder = JSONDecoder()
        var trials: [Trial] = []
        // Ten thousand trials share sixty cases and two allocators, of some kilobytes each.
        var (cells, allocators): (Set<Case>, Set<AllocatorIdentity>) = ([], [])
        try folder.eachLine(of: .log) { line, isWhole in
            func refuse(_ mistake: DocumentMistake) -> FetchBenchError {
                let place = "line \(trials.count + 1) of trials.jsonl"
                let remedy = isFinished ? "" : ". Delete the line, and --resume repeats that trial"
                return .malformedRun(name: folder.name, reason: "\(place) is invalid: \(mistake)\(remedy)")
            }
            var trial: Trial
            do {
                trial = try decoder.value(Trial.self, in: Data(line))
            } catch {
                guard isWhole || isFinished else { return }
                throw refuse(DocumentMistake(error))
            }
            let limits = trial.host.flatMap { limitsOfHosts[$0] } ?? limits
            if let mistake = trial.mistakes(limits: limits).first { throw refuse(mistake) }
            trial.cell = cells.insert(trial.cell).memberAfterInsert
            if let allocator = trial.report?.allocator {
                trial.report?.allocator = allocators.insert(allocator).memberAfterInsert
            }
            trials.append(trial)
        }
        return trials
    }

    /// Removes the remains of an interruption: the series of trials that do not count, and an incomplete line.
    package static func mend(_ folder: RunFolder, keeping trials: [Trial]) throws {
        try write(trials, to: folder)
        try mendSamples(of: folder, keeping: Set(trials.map { String($0.number) }))
    }

    /// Rewrites the series in blocks of a few thousand rows, since their length is not limited.
    private static func mendSamples(of folder: RunFolder, keeping numbers: Set<String>) throws {
        let draft = try folder.draft(of: .samples)
        var rows = SamplesTable.header
        var isHeader = true
        try folder.eachLine(of: .samples) { line, _ in
            let row = String(decoding: line, as: UTF8.self)
            guard !isHeader, numbers.contains(String(row.prefix { $0 != "," })),
                (6...7).contains(row.count(where: { $0 == "," }))
            else { return isHeader = false }
            rows += row + "\n"
            guard rows.utf8.count > 1 << 16 else { return }
            try draft.append(rows)
            rows = ""
        }
        try draft.append(rows)
        try draft.finish()
    }

    private static func write(_ trials: [Trial], to folder: RunFolder) throws {
        try folder.write(
            TextPieces(trials.count) { index in try RunCoding.compactText(of: trials[index]) },
            to: .log)
    }
}

extension RunRecord {
    /// The trials of which figures are made, by case, each list in the order of execution.
    ///
    /// Values of several machines are never put together. Of a case that a shard measured on several of them, as it is
    /// resumed elsewhere, these are the trials on the one that completed most of them.
    package var trialsByCase: [Case: TrialList] {
        Dictionary(grouping: trials.indices) { trials[$0].cell }.mapValues { TrialList(trials, at: ofOneHost($0)) }
    }

    package func comparableTrials(of cell: Case) -> [Trial] {
        ofOneHost(trials.indices.filter { trials[$0].cell == cell }).map { trials[$0] }
    }

    private func ofOneHost(_ places: [Int]) -> [Int] {
        guard !kind.isPaired, let hosts = sharding?.hosts, hosts.count > 1 else { return places }
        let byHost = Dictionary(grouping: places) { trials[$0].host }
        guard byHost.count > 1 else { return places }
        func rank(_ places: [Int]) -> (Int, Int) { (-places.count { trials[$0].isCompleted }, places[0]) }
        return byHost.values.min { rank($0) < rank($1) } ?? places
    }
}

/// The JSON encoding of runs, with sorted keys so that they can be compared as text.
package enum RunCoding {
    package static func readableText(of value: some Encodable) throws -> String {
        try text(of: value, .readable)
    }

    package static func compactText(of value: some Encodable) throws -> String {
        try text(of: value, .compact)
    }

    private static func text(
        of value: some Encodable, _ layout: JSONText.Layout
    ) throws -> String {
        do {
            return try JSONText.text(of: value, layout)
        } catch {
            throw FetchBenchError.malformedRun(name: "\(type(of: value))", reason: "\(error)")
        }
    }
}
