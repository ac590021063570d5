// SPDX-License-Identifier: Apache-2.0

package import MemProbe
import Support
import TrialKit

/// `samples.csv`: the series of each trial.
///
/// `received_bytes` is there for those who read the file by its columns, and always empty: counting within the trial would
/// be measured with it, and what the origin has sent may still wait in the kernel's buffers.
package enum SamplesTable {
    package static let header = CSV.line([
        "trial", "time_ns", "phase", "resident_bytes", "anonymous_bytes", "file_bytes", "received_bytes",
    ])

    /// The rows of one trial, with times since its first sample.
    ///
    /// A reading that equals both of its neighbours in the same phase is left out: the line between them is the same.
    package static func text(of trial: Trial, samples: [Sample]) -> String {
        guard let start = samples.first?.timeNanoseconds else { return "" }
        let phases = PhaseClock(trial)
        let rows = samples.map { (sample: $0, phase: phases.phase(at: $0.timeNanoseconds)) }
        var text = ""
        for (index, row) in rows.enumerated() {
            if index > 0, index + 1 < rows.count, rows[index - 1].phase == row.phase,
                rows[index + 1].phase == row.phase,
                rows[index - 1].sample.isSameReading(as: row.sample),
                rows[index + 1].sample.isSameReading(as: row.sample)
            {
                continue
            }
            text += line(trial.number, row.sample, start: start, phase: row.phase)
        }
        return text
    }

    private static func line(_ trial: Int, _ sample: Sample, start: Int, phase: Phase?) -> String {
        CSV.line([
            String(trial), String(sample.timeNanoseconds - start), phase?.rawValue ?? "",
            String(sample.resident.rawValue), String(sample.anonymous.rawValue), String(sample.shared.rawValue), "",
        ])
    }
}

/// Tells in which phase of a trial an instant lies.
private struct PhaseClock {
    private let readings: [PhaseReading]
    private let firstMeasured: Int?

    init(_ trial: Trial) {
        readings = trial.report?.phases ?? []
        firstMeasured = readings.first?.startNanoseconds
    }

    /// The phase, or `nil` between two phases, while marks are read.
    func phase(at nanoseconds: Int) -> Phase? {
        guard let firstMeasured else { return nil }
        if nanoseconds < firstMeasured { return .warmup }
        return readings.first { ($0.startNanoseconds...$0.endNanoseconds).contains(nanoseconds) }?.phase
    }
}

extension Sample {
    /// Whether both read the same sizes.
    fileprivate func isSameReading(as other: Sample) -> Bool {
        resident == other.resident && shared == other.shared
    }
}
