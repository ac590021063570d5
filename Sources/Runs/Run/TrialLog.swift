// SPDX-License-Identifier: Apache-2.0

package import MemProbe
import OperatingSystem

/// The two files of a run that grow while it goes on: `trials.jsonl` and `samples.csv`.
package struct TrialLog: Sendable {
    private let log: AppendingFile
    private let samples: AppendingFile

    /// Opens the files of a folder to go on with them.
    package init(_ folder: RunFolder) throws(FetchBenchError) {
        (log, samples) = try FetchBenchError.onFiles { () throws(FileFailure) in
            (
                try AppendingFile(path: folder.path(of: .log), name: RunFolder.File.log.rawValue),
                try AppendingFile(path: folder.path(of: .samples), name: RunFolder.File.samples.rawValue)
            )
        }
    }

    /// What trials have in common, and is kept once.
    private static var repeated: [any Decodable.Type] { [Case.self, AllocatorIdentity.self] }

    /// Starts the files of a run, with trials that it has already, and without series.
    package static func create(in folder: RunFolder, trials: [Trial] = []) throws(FetchBenchError) {
        try write(trials, to: folder)
        try folder.write(SamplesTable.header, to: .samples)
    }

    /// Stores a trial: first its series, then the line that makes it count.
    package func append(_ trial: Trial, series: [Sample], sent: [SentBytes] = []) throws(FetchBenchError) {
        let line = try Self.line(of: trial)
        try FetchBenchError.onFiles { () throws(FileFailure) in
            try samples.append(SamplesTable.text(of: trial, samples: series, sent: sent))
            try log.append(line)
        }
    }

    /// The trials of a folder, in order; where the run was interrupted, a last line that was cut off is not one.
    /// - Parameter run: the head of the run, which says on what machine they were measured.
    package static func trials(in folder: RunFolder, of run: RunRecord) throws(FetchBenchError) -> [Trial] {
        let isFinished = run.finishedAt != nil
        let limits = MachineLimits(of: run.environment)
        let decoder = JSONValueDecoder(repeating: repeated)
        var trials: [Trial] = []
        try folder.eachLine(of: .log) { line, isWhole throws(FetchBenchError) in
            do {
                let trial = try decoder.decode(Trial.self, from: line)
                try trial.check(limits: limits)
                trials.append(trial)
            } catch {
                guard isWhole || isFinished || error is DocumentMistake else { return }
                let place = "line \(trials.count + 1) of trials.jsonl"
                let remedy = isFinished ? "" : ". Delete the line, and --resume repeats that trial"
                throw FetchBenchError.malformedRun(
                    name: folder.name, reason: "\(place) is invalid: \(DocumentMistake(error).description)\(remedy)")
            }
        }
        return trials
    }

    /// Drops what an interruption left unfinished, so that the files can be gone on with: the series of trials that
    /// do not count, and the line that was cut off.
    package static func mend(_ folder: RunFolder, keeping trials: [Trial]) throws(FetchBenchError) {
        try write(trials, to: folder)
        try mendSamples(of: folder, keeping: Set(trials.map { String($0.number) }))
    }

    /// Writes the series anew: they may be as long as they like, so they are copied a few thousand rows at a time.
    private static func mendSamples(of folder: RunFolder, keeping numbers: Set<String>) throws(FetchBenchError) {
        let draft = try folder.draft(of: .samples)
        var rows = SamplesTable.header
        var isHeader = true
        try folder.eachLine(of: .samples) { line, _ throws(FetchBenchError) in
            let row = String(decoding: line, as: UTF8.self)
            guard !isHeader, numbers.contains(String(row.prefix { $0 != "," })), row.count(where: { $0 == "," }) == 6
            else { return isHeader = false }
            rows += row + "\n"
            guard rows.utf8.count > 1 << 16 else { return }
            try FetchBenchError.onFiles { () throws(FileFailure) in try draft.append(rows) }
            rows = ""
        }
        try FetchBenchError.onFiles { () throws(FileFailure) in
            try draft.append(rows)
            try draft.finish()
        }
    }

    private static func write(_ trials: [Trial], to folder: RunFolder) throws(FetchBenchError) {
        try folder.write(
            TextPieces(trials.count) { index throws(FetchBenchError) in try line(of: trials[index]) }, to: .log)
    }

    private static func line(of trial: Trial) throws(FetchBenchError) -> String {
        try RunCoding.compactText(of: trial)
    }
}
