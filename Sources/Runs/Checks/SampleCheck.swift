// SPDX-License-Identifier: Apache-2.0

/// The comparison of a report's marks with the harness's samples around them, in both directions.
///
/// A mark has to lie between the samples around it, or as near to them as memory can change in the time between. Where
/// the process waits for quiet before a mark, memory does not change. On a busy machine no sample may fall into that time:
/// then those around it show what was before and after.
struct SampleCheck {
    /// The number of samples before a mark: one may have been taken later than its clock was read.
    private static let before = 3
    /// The time without a change that the process waits for before a quiet mark, in nanoseconds (docs/trial-protocol.md).
    private static let quiet = 6_000_000

    let samples: [Sample]
    let limits: MachineLimits

    private struct Witnessed {
        let field: String
        let memory: Snapshot
        /// The earliest end of the time in which the process only reads itself.
        let until: Int
        let isQuiet: Bool
    }

    func mistakes(in report: TrialReport, playsScenario: Bool) -> [DocumentMistake] {
        guard report.command == nil, !samples.isEmpty else { return [] }
        return Self.marks(of: report, playsScenario: playsScenario).flatMap { mistakes(of: $0) }
    }

    private static func marks(of report: TrialReport, playsScenario: Bool) -> [Witnessed] {
        var marks: [Witnessed] = []
        func add(_ field: String, _ mark: Mark?, until: Int?, isQuiet: Bool) {
            guard let memory = mark?.memory else { return }
            marks.append(
                Witnessed(
                    field: field + ".memory", memory: memory, until: until ?? memory.timeNanoseconds,
                    isQuiet: isQuiet))
        }
        let phases = report.phases
        add("baseline", report.baseline, until: phases.first?.startNanoseconds, isQuiet: true)
        for (index, reading) in phases.enumerated() {
            let next = phases.dropFirst(index + 1).first?.startNanoseconds
            add(
                "phases[\(index)].end", reading.end, until: next, isQuiet: reading.phase == .hold && !playsScenario)
        }
        add("settled", report.settled, until: nil, isQuiet: true)
        add("purged", report.purged, until: nil, isQuiet: false)
        return marks
    }

    private func mistakes(of mark: Witnessed) -> [DocumentMistake] {
        let time = mark.memory.timeNanoseconds
        let place = samples.firstIndex { $0.timeNanoseconds > time } ?? samples.endIndex
        let earlier = samples[..<place].suffix(Self.before)
        let within = samples[place...].prefix { $0.timeNanoseconds <= mark.until }
        let later = within.isEmpty ? samples[place...].prefix(1) : within
        // A mark without samples before and after cannot be checked.
        guard let last = earlier.last, let next = later.first else { return [] }
        let gap = next.timeNanoseconds - last.timeNanoseconds
        let sawQuiet = time - last.timeNanoseconds <= Self.quiet || !within.isEmpty
        let meanwhile = mark.isQuiet && sawQuiet ? .zero : MachineLimits.mostChange(in: gap)
        let tolerance = limits.tolerance + meanwhile
        let seen = Array(earlier) + Array(later)
        return [
            mistake(mark.field + ".resident_bytes", mark.memory.resident, seen.map(\.resident), tolerance),
            mistake(mark.field + ".anonymous_bytes", mark.memory.anonymous, seen.map(\.anonymous), tolerance),
        ].compactMap(\.self)
    }

    private func mistake(
        _ field: String, _ value: ByteCount, _ seen: [ByteCount], _ tolerance: ByteCount
    ) -> DocumentMistake? {
        guard let least = seen.min(), let most = seen.max() else { return nil }
        guard value < least - tolerance || value > most + tolerance else { return nil }
        return DocumentMistake(
            field,
            "is \(value.rawValue), expected \(least.rawValue) to \(most.rawValue), sampled by the harness at that time "
                + "(tolerance \(tolerance.rawValue)); is the work done in a child process?")
    }
}

// MARK: - Doubts

extension SampleCheck {
    /// Returns the descriptions of possible but implausible values.
    func doubts(about report: TrialReport) -> [String] {
        guard report.command == nil else { return [] }
        let phases = report.phases.filter { Phase.peaking.contains($0.phase) }
        // A phase begins with the memory at the end of the previous one.
        let beginnings = [report.baseline?.memory.resident] + phases.map(\.end.memory.resident)
        return zip(phases, beginnings).compactMap { peakAboveSamples($0, beginningWith: $1 ?? .zero) }
            + phases.compactMap { boundAboveKernel($0) }
    }

    /// Returns a doubt if no sample is near the peak, although such growth takes longer than the gaps between samples.
    private func peakAboveSamples(_ reading: PhaseReading, beginningWith beginning: ByteCount) -> String? {
        let inside = samples.filter {
            (reading.startNanoseconds...reading.endNanoseconds).contains($0.timeNanoseconds)
        }
        guard inside.count > 1, let highest = inside.map(\.resident).max() else { return nil }
        let times = [reading.startNanoseconds] + inside.map(\.timeNanoseconds) + [reading.endNanoseconds]
        let gap = zip(times, times.dropFirst()).map { $1 - $0 }.max() ?? 0
        let marked = max(highest, beginning, reading.end.memory.resident)
        // A spike can rise and fall within the gap.
        guard reading.peak.resident > marked + limits.tolerance + MachineLimits.mostChange(in: gap) else { return nil }
        return "the peak of \(reading.phase.rawValue) is \(reading.peak.resident.rawValue) bytes, and no sample of the "
            + "harness is above \(marked.rawValue), though they are \(gap / 1000) µs apart at most"
    }

    /// Returns a doubt if the error bound exceeds the kernel's: it could hide a wrong peak.
    private func boundAboveKernel(_ reading: PhaseReading) -> String? {
        let most = limits.errorBound.rawValue.multipliedReportingOverflow(by: 16)
        guard reading.peak.source != .exactReadings, !most.overflow,
            reading.peak.errorBound.rawValue > most.partialValue
        else { return nil }
        return
            "the error bound of the peak of \(reading.phase.rawValue) is \(reading.peak.errorBound.rawValue) bytes, "
            + "and that of this kernel at most \(limits.errorBound.rawValue)"
    }
}
