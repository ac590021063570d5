// SPDX-License-Identifier: Apache-2.0

package import MemProbe
import Texts
import TrialKit

/// The table `samples.csv`: the series of each trial.
///
/// `received_bytes` are counted by the origin, because a count within the trial would be measured with it.
/// The client may not have read them yet: they can wait in the kernel's buffers. Empty if the origin sent nothing.
package enum SamplesTable {
    package static let header = CSV.line([
        "trial", "time_ns", "phase", "resident_bytes", "anonymous_bytes", "file_bytes", "received_bytes",
    ])

    /// Returns the rows of one trial, with times since its first sample.
    ///
    /// A reading equal to both neighbours in the same phase is omitted, unless more than 1 % of the bytes arrived since
    /// the last row, so that pauses stay visible.
    /// - Parameter sent: The bytes that the origin sent during the trial, in the order of time.
    package static func text(of trial: Trial, samples: [Sample], sent: [SentBytes] = []) -> String {
        guard let start = samples.first?.timeNanoseconds else { return "" }
        let phases = PhaseClock(trial)
        let rows = samples.map { (sample: $0, phase: phases.phase(at: $0.timeNanoseconds)) }
        var received = ReceivedBytes(of: trial, sent: sent)
        let step = (received?.whole ?? 0) / 100
        var written = 0
        var text = ""
        for (index, row) in rows.enumerated() {
            let count = received?.count(at: row.sample.timeNanoseconds)
            if index > 0, index + 1 < rows.count, rows[index - 1].phase == row.phase,
                rows[index + 1].phase == row.phase,
                rows[index - 1].sample.isSameReading(as: row.sample),
                rows[index + 1].sample.isSameReading(as: row.sample), (count ?? 0) - written <= step
            {
                continue
            }
            written = count ?? 0
            text += line(trial.number, row.sample, start: start, phase: row.phase, received: count)
        }
        return text
    }

    private static func line(
        _ trial: Int, _ sample: Sample, start: Int, phase: Phase?, received: Int?
    ) -> String {
        CSV.line([
            String(trial), String(sample.timeNanoseconds - start), phase?.rawValue ?? "",
            String(sample.resident.rawValue), String(sample.anonymous.rawValue), String(sample.shared.rawValue),
            received.map { String($0) } ?? "",
        ])
    }
}

/// The phases of a trial by time.
struct PhaseClock {
    private let readings: [PhaseReading]
    private let firstMeasured: Int?

    init(_ trial: Trial) {
        readings = trial.report?.phases ?? []
        firstMeasured = readings.first?.startNanoseconds
    }

    /// Returns the phase, or `nil` between two phases, while marks are read.
    func phase(at nanoseconds: Int) -> Phase? {
        guard let firstMeasured else { return nil }
        if nanoseconds < firstMeasured { return .warmup }
        return readings.first { ($0.startNanoseconds...$0.endNanoseconds).contains(nanoseconds) }?.phase
    }
}

extension Sample {
    fileprivate func isSameReading(as other: Sample) -> Bool {
        resident == other.resident && shared == other.shared
    }
}
