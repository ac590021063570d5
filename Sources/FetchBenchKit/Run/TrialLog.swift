// SPDX-License-Identifier: Apache-2.0

import Foundation
package import MemProbe
import Support

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

    /// Starts the files of a new run.
    package static func create(in folder: RunFolder) throws(FetchBenchError) {
        try folder.write("", to: .log)
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

    /// The trials of a folder, in order; a last line that was cut off is not one.
    package static func trials(in folder: RunFolder) throws(FetchBenchError) -> [Trial] {
        let data = try folder.data(of: .log)
        let lines = data.split(separator: UInt8(ascii: "\n"))
        var trials: [Trial] = []
        trials.reserveCapacity(lines.count)
        for (index, line) in lines.enumerated() {
            do {
                trials.append(try JSONDecoder().decode(Trial.self, from: line))
            } catch {
                guard index == lines.count - 1, data.last != UInt8(ascii: "\n") else {
                    throw FetchBenchError.malformedRun(
                        name: folder.name, reason: "line \(index + 1) of trials.jsonl is no trial: \(error)")
                }
            }
        }
        return trials
    }

    /// Drops what an interruption left unfinished, so that the files can be gone on with: the series of trials that
    /// do not count, and the line that was cut off.
    package static func mend(_ folder: RunFolder, keeping trials: [Trial]) throws(FetchBenchError) {
        var text = ""
        for trial in trials { text += try line(of: trial) }
        try folder.write(text, to: .log)
        let counted = Set(trials.map { String($0.number) })
        let rows = String(decoding: try folder.data(of: .samples), as: UTF8.self).split(separator: "\n").dropFirst()
        let kept = rows.filter { row in
            counted.contains(String(row.prefix { $0 != "," })) && row.count { $0 == "," } == 6
        }
        try folder.write(SamplesTable.header + kept.map { $0 + "\n" }.joined(), to: .samples)
    }

    private static func line(of trial: Trial) throws(FetchBenchError) -> String {
        try RunCoding.compactText(of: trial)
    }
}
