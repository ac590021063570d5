// SPDX-License-Identifier: Apache-2.0

import Foundation
package import Runs

extension RunStore {
    /// Reads the judgement of a check or a comparison.
    package static func judgement(in folder: RunFolder) throws(FetchBenchError) -> Judgement {
        let judgement = try conclusion(Judgement.self, in: .judgement, of: folder)
        if let place = judgement.findings.firstIndex(where: { !$0.isWellFormed }) {
            throw .malformedRun(
                name: "\(folder.name)/\(RunFolder.File.judgement.rawValue)",
                reason: "findings[\(place)] has an impossible figure")
        }
        return judgement
    }

    /// Reads the calibration of a run.
    package static func calibration(in folder: RunFolder) throws(FetchBenchError) -> Calibration {
        let calibration = try conclusion(Calibration.self, in: .calibration, of: folder)
        if let mistake = calibration.mistakes.first {
            throw .malformedRun(
                name: "\(folder.name)/\(RunFolder.File.calibration.rawValue)", reason: mistake.description)
        }
        return calibration
    }

    private static func conclusion<Conclusion: Decodable>(
        _ type: Conclusion.Type, in file: RunFolder.File, of folder: RunFolder
    ) throws(FetchBenchError) -> Conclusion {
        guard folder.has(file) else {
            throw FetchBenchError.nothingToDraw(
                name: folder.name,
                reason: "\(file.rawValue) is missing: the run was interrupted or is still going; --resume finishes it")
        }
        let data = try folder.data(of: file)
        do {
            return try JSONDecoder().decode(type, from: data)
        } catch {
            throw FetchBenchError.malformedRun(name: folder.name, reason: DocumentMistake(error).description)
        }
    }
}

extension Calibration {
    /// The invalid fields of a stored calibration.
    fileprivate var mistakes: [DocumentMistake] {
        var fields = FieldChecks()
        for index in entries.indices where !fields.isFull {
            let (entry, place) = (entries[index], { "entries[\(index)]" })
            fields.number(entry.trials, "trials", place, to: FieldChecks.Bound(Limits.count))
            fields.number(entry.falseAlarms, "false_alarms", place, to: FieldChecks.Bound(Limits.count))
            fields.number(entry.resamples, "resamples", place, to: FieldChecks.Bound(Limits.count))
            fields.figure(entry.median, "median", place)
            fields.figure(entry.scale, "scale", place)
            fields.figure(entry.variation, "variation", place)
            fields.figure(entry.noiseFloor, "noise_floor", place)
            fields.figure(entry.threshold, "threshold", place)
            fields.figure(entry.smallestDetectableChange, "smallest_detectable_change", place)
            fields.figure(entry.shift, "shift", place)
        }
        return fields.mistakes
    }
}

extension Finding {
    /// True if its figures can be compared and drawn: the scale is a size, and products of two are finite.
    fileprivate var isWellFormed: Bool {
        let figures = [
            base, head, scale, effect, limit, p, smallestDetectableChange, interval?.lowerBound, interval?.upperBound,
        ]
        return (scale ?? 0) >= 0 && figures.allSatisfy { ($0 ?? 0).magnitude < 0x1p63 }
            && baseTrials >= 0 && headTrials >= 0
    }
}
