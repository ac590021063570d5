// SPDX-License-Identifier: Apache-2.0

import MemProbe
import TrialKit

/// Holds the marks of a report to what the harness sampled of the same process around them, in both directions.
///
/// A mark is believed where it lies between the samples on both sides of it, or as near to them as memory can come and go
/// in the meantime. At a mark before which the process waits until nothing changes, nothing comes and goes.
struct SampleCheck {
    /// How many samples before a mark are looked at: one may have been taken later than its clock was read.
    private static let before = 3
    /// Samples that are further apart than this, in nanoseconds, show no quiet moment.
    private static let longestQuiet = 20_000_000
    /// How many bytes a nanosecond can be touched or given back: 16 GiB a second is what clearing pages allows.
    private static let bytesEachNanosecond = 17

    /// In the order of their times.
    let samples: [Sample]
    let limits: MachineLimits

    /// The most that can come or go in a time.
    static func most(in nanoseconds: Int) -> ByteCount {
        ByteCount(min(max(0, nanoseconds), 1 << 32) * bytesEachNanosecond)
    }

    /// A mark to be believed or not.
    private struct Witnessed {
        let field: String
        let memory: Snapshot
        /// Until when the process does nothing but read itself, at the least.
        let until: Int
        /// Whether it had waited for quiet.
        let isQuiet: Bool
    }

    /// What is wrong with the marks of a report that ``ReportCheck`` has passed.
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
        // Without a sample before and after, the mark cannot be checked.
        guard let last = earlier.last, let next = later.first else { return [] }
        let gap = next.timeNanoseconds - last.timeNanoseconds
        let meanwhile = mark.isQuiet && gap <= Self.longestQuiet ? .zero : Self.most(in: gap)
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
                + "(tolerance \(tolerance.rawValue)); does a child process do the trial?")
    }
}

// MARK: - Doubts

extension SampleCheck {
    /// What is possible and hard to believe, in words.
    func doubts(about report: TrialReport) -> [String] {
        guard report.command == nil else { return [] }
        let phases = report.phases.filter { Phase.peaking.contains($0.phase) }
        // A phase begins with what the one before has left.
        let beginnings = [report.baseline?.memory.resident] + phases.map(\.end.memory.resident)
        return zip(phases, beginnings).compactMap { peakAboveSamples($0, beginningWith: $1 ?? .zero) }
            + phases.compactMap { boundAboveKernel($0) }
    }

    /// A peak that no sample came near, although memory of that size takes longer to come than samples are apart.
    private func peakAboveSamples(_ reading: PhaseReading, beginningWith beginning: ByteCount) -> String? {
        let inside = samples.filter {
            (reading.startNanoseconds...reading.endNanoseconds).contains($0.timeNanoseconds)
        }
        guard inside.count > 1, let highest = inside.map(\.resident).max() else { return nil }
        let times = [reading.startNanoseconds] + inside.map(\.timeNanoseconds) + [reading.endNanoseconds]
        let gap = zip(times, times.dropFirst()).map { $1 - $0 }.max() ?? 0
        let marked = max(highest, beginning, reading.end.memory.resident)
        // Up and down again within the gap.
        guard reading.peak.resident > marked + limits.tolerance + Self.most(in: gap) else { return nil }
        return "the peak of \(reading.phase.rawValue) is \(reading.peak.resident.rawValue) bytes, and no sample of the "
            + "harness is above \(marked.rawValue), though they are \(gap / 1000) µs apart at most"
    }

    /// A bound beyond what the kernel's mark can be off by hides what is wrong with it.
    private func boundAboveKernel(_ reading: PhaseReading) -> String? {
        let most = limits.errorBound.rawValue.multipliedReportingOverflow(by: 16)
        guard reading.peak.source != .exactReadings, !most.overflow,
            reading.peak.errorBound.rawValue > most.partialValue
        else { return nil }
        return
            "the peak of \(reading.phase.rawValue) is said to be up to \(reading.peak.errorBound.rawValue) bytes off, "
            + "and this kernel's mark is off by \(limits.errorBound.rawValue) at most"
    }
}
