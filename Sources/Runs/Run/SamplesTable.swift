// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// The table `samples.csv`: the series of each trial.
///
/// `received_bytes` are counted by the origin, because a count within the trial would be measured with it.
/// The client may not have read them yet: they can wait in the kernel's buffers. Empty if the origin sent nothing.
package enum SamplesTable {
    package static let header = CSV.line([
        "trial", "time_ns", "phase", "resident_bytes", "anonymous_bytes", "file_bytes", "received_bytes",
        "charged_bytes",
    ])
    /// The header of runs that were stored before charges were sampled.
    fileprivate static let earlierHeader = header.replacing(",charged_bytes", with: "")

    /// Returns the rows of one trial, with times since its first sample.
    ///
    /// A reading equal to both neighbours in the same phase is omitted, unless since the last row more than 1 % of the bytes
    /// arrived, or the charge changed by more than 1 % of its highest: so pauses and page cache stay visible.
    package static func text(
        of trial: Trial, samples: [Sample], sent: [SentBytes] = [], charges: [ChargeSampler.Sample] = []
    ) -> String {
        guard let start = samples.first?.timeNanoseconds else { return "" }
        let phases = PhaseClock(trial)
        let rows = samples.map { (sample: $0, phase: phases.phase(at: $0.timeNanoseconds)) }
        var received = ReceivedBytes(of: trial, sent: sent)
        var charged = ChargeClock(charges)
        let step = (received?.whole ?? 0) / 100
        var (written, writtenCharge) = (0, 0)
        var text = ""
        for (index, row) in rows.enumerated() {
            let count = received?.count(at: row.sample.timeNanoseconds)
            let charge = charged.total(at: row.sample.timeNanoseconds)?.rawValue
            if index > 0, index + 1 < rows.count, rows[index - 1].phase == row.phase,
                rows[index + 1].phase == row.phase,
                rows[index - 1].sample.isSameReading(as: row.sample),
                rows[index + 1].sample.isSameReading(as: row.sample), (count ?? 0) - written <= step,
                abs((charge ?? 0) - writtenCharge) <= charged.step
            {
                continue
            }
            (written, writtenCharge) = (count ?? 0, charge ?? 0)
            text += line(trial.number, row.sample, start: start, phase: row.phase, received: count, charge: charge)
        }
        return text
    }

    private static func line(
        _ trial: Int, _ sample: Sample, start: Int, phase: Phase?, received: Int?, charge: Int?
    ) -> String {
        CSV.line([
            String(trial), String(sample.timeNanoseconds - start), phase?.rawValue ?? "",
            String(sample.resident.rawValue), String(sample.anonymous.rawValue), String(sample.shared.rawValue),
            received.map { String($0) } ?? "", charge.map { String($0) } ?? "",
        ])
    }

    private struct ChargeClock {
        private let charges: [ChargeSampler.Sample]
        private var next = 0
        /// The change that is worth a row, in bytes.
        let step: Int

        init(_ charges: [ChargeSampler.Sample]) {
            self.charges = charges
            step = (charges.map(\.charge.total.rawValue).max() ?? 0) / 100
        }

        /// Returns the last charge up to an instant, which must not be earlier than that of the previous call.
        mutating func total(at nanoseconds: Int) -> ByteCount? {
            while next < charges.count, charges[next].timeNanoseconds <= nanoseconds { next += 1 }
            return next > 0 ? charges[next - 1].charge.total : nil
        }
    }

    /// The bytes of a trial's fetch that the origin had sent at an instant.
    struct ReceivedBytes {
        private let sent: [SentBytes]
        private var next = 0
        private var total = 0
        let whole: Int

        /// Counts from the start of the fetch; returns `nil` if the origin sent nothing, as for a foreign URL.
        init?(of trial: Trial, sent: [SentBytes]) {
            guard let start = trial.reading(of: .fetch)?.startNanoseconds else { return nil }
            self.sent = sent.filter { $0.time >= start }
            whole = self.sent.reduce(0) { $0 + $1.count }
            guard whole > 0 else { return nil }
        }

        /// Returns the count at an instant, which must not be earlier than that of the previous call.
        mutating func count(at nanoseconds: Int) -> Int {
            while next < sent.count, sent[next].time <= nanoseconds {
                total += sent[next].count
                next += 1
            }
            return total
        }
    }

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
}

package struct TrialSeries: Sendable {
    package var samples: [Sample]
    package var sent: [SentBytes]
    package var charges: [ChargeSampler.Sample]

    package init(samples: [Sample] = [], sent: [SentBytes] = [], charges: [ChargeSampler.Sample] = []) {
        (self.samples, self.sent, self.charges) = (samples, sent, charges)
    }
}

extension Sample {
    fileprivate func isSameReading(as other: Sample) -> Bool {
        resident == other.resident && shared == other.shared
    }
}

/// A reader of `samples.csv` row by row, which keeps memory bounded for files of 100 MB.
package enum SampleScanner {
    /// The size of the read buffer in bytes; rows are shorter.
    private static let capacity = 1 << 18

    /// Calls `use` for each row of the wanted trials, in the order of the file.
    ///
    /// A last line without its end, left by an interruption, is ignored.
    package static func scan(
        _ folder: RunFolder, wanted: (Int) -> Bool, use: (SampleRow) -> Void
    ) throws {
        let source = folder.source(of: .samples)
        var line = 0
        let file = try FileWindow(
            path: source, name: "\(folder.name)/\(PathText.name(of: source))", capacity: capacity)
        while try file.more() {
            guard
                let used = SampleRow.read(
                    UnsafeRawBufferPointer(file.bytes), headers: [SamplesTable.header, SamplesTable.earlierHeader],
                    line: &line, wanted: wanted, use: use),
                used > 0 || file.bytes.count < capacity
            else { break }
            file.advance(by: used)
        }
        if file.isWhole { return }
        throw FetchBenchError.malformedRun(name: folder.name, reason: "line \(line) of samples.csv is not a sample")
    }
}

/// The bytes of a body that the origin's kernel accepted at an instant.
package struct SentBytes: Hashable, Sendable {
    /// The instant on the monotonic clock, in nanoseconds.
    package var time: Int
    package var count: Int
    package var isHTTP2: Bool

    package init(time: Int, count: Int, isHTTP2: Bool = false) {
        (self.time, self.count, self.isHTTP2) = (time, count, isHTTP2)
    }
}

extension SentBytes {
    /// The limit of a valid line, more than any kernel accepts at once, so that sums cannot overflow.
    private static let mostAtOnce = 1 << 40

    /// Parses the lines of a journal in the order of time; invalid lines are ignored.
    package static func all(in data: Data) -> [SentBytes] {
        data.split(separator: UInt8(ascii: "\n")).compactMap { line in
            let words = line.split(separator: UInt8(ascii: " "))
            let isHTTP2 = words.count == 3 && words[2].elementsEqual("2".utf8)
            guard words.count == 2 || isHTTP2, let time = Int(String(decoding: words[0], as: UTF8.self)),
                let count = Int(String(decoding: words[1], as: UTF8.self)), (0...Limits.time).contains(time),
                (0...mostAtOnce).contains(count)
            else { return nil }
            return SentBytes(time: time, count: count, isHTTP2: isHTTP2)
        }.sorted { $0.time < $1.time }
    }
}
