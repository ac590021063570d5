// SPDX-License-Identifier: Apache-2.0

import MemProbe
package import TrialKit

/// The check that a trial's report is possible, independent of its request and author.
///
/// The parts that the outcome requires have to exist, in the order of time, with figures within the machine's limits.
///
/// Checked values can be added, subtracted and multiplied. Reports are checked on arrival and when a stored run is
/// read; ``ReportWitness`` checks what only the harness of the trial knows.
package struct ReportCheck {
    /// The tolerance of CPU time in nanoseconds, because the two clocks are read one after the other.
    private static let clockSlack = 50_000_000.0

    private let limits: MachineLimits
    private var fields = FieldChecks()

    package static func mistakes(in report: TrialReport, limits: MachineLimits) -> [DocumentMistake] {
        var check = ReportCheck(limits: limits)
        check.check(report)
        return check.fields.mistakes
    }

    private mutating func check(_ report: TrialReport) {
        fields.number(report.version, "version", from: 1, to: FieldChecks.Bound(1 << 31))
        if !Self.isExactness(report.exactness) {
            fields.add(
                "exactness",
                "is '\(DocumentMistake.shown(report.exactness))', expected exact, unknown or off by up to N KiB")
        }
        if let failure = report.failure, !Self.isCode(failure.code) {
            fields.add(
                "failure.code",
                "is '\(DocumentMistake.shown(failure.code))', expected lower-case letters, digits and _")
        }
        checkParts(of: report)
        checkOrder(of: report)
        mark(report.baseline, { "baseline" }, isCommand: report.command != nil)
        for index in report.phases.indices where !fields.isFull {
            let next = report.phases.dropFirst(index + 1).first
            phase(
                report.phases[index], { "phases[\(index)]" }, isCommand: report.command != nil,
                until: next?.startNanoseconds)
        }
        mark(report.settled, { "settled" }, isCommand: report.command != nil)
        mark(report.purged, { "purged" }, isCommand: report.command != nil)
        body(report.body, { "body" })
        picture(report.picture)
        fields.number(report.recordCount, "records", to: FieldChecks.Bound(Limits.count))
        if let series = report.allocatorSeries { check(series) }
        if let scenario = report.scenario { check(scenario) }
        if let command = report.command { fields.check(command, { "command" }) }
    }

    private mutating func checkParts(of report: TrialReport) {
        let expected = report.command == nil ? Phase.measured : [.fetch]
        for (index, reading) in report.phases.prefix(expected.count + 1).enumerated() {
            guard index < expected.count else {
                return fields.add("phases", "are \(report.phases.count), expected at most \(expected.count)")
            }
            guard reading.phase == expected[index] else {
                return fields.add(
                    "phases[\(index)].phase", "is \(reading.phase.rawValue), expected \(expected[index].rawValue)")
            }
        }
        guard report.failure == nil else { return }
        if report.phases.count < expected.count {
            fields.add("phases", "lack \(expected[report.phases.count].rawValue), and the trial did not fail")
        }
        if report.baseline == nil { fields.add("baseline", "is missing, and the trial did not fail") }
        if report.command == nil, report.settled == nil {
            fields.add("settled", "is missing, and the trial did not fail")
        }
    }

    private mutating func checkOrder(of report: TrialReport) {
        var last = FieldChecks.Bound(0)
        for instant in ReportInstant.all(of: report) where !fields.isFull {
            fields.number(instant.time, instant.field, from: last, to: FieldChecks.Bound(Limits.time))
            last = FieldChecks.Bound(max(last.value, instant.time), instant.field)
        }
    }

    package struct ReportInstant {
        package let field: String
        /// The instant on the monotonic clock, in nanoseconds.
        package let time: Int

        package static func all(of report: TrialReport) -> [ReportInstant] {
            var all: [ReportInstant] = []
            func add(_ field: String, _ time: Int?) {
                if let time { all.append(ReportInstant(field: field, time: time)) }
            }
            add("baseline.memory.time_ns", report.baseline?.memory.timeNanoseconds)
            // More phases are reported as a mistake elsewhere.
            for (index, reading) in report.phases.prefix(Phase.measured.count).enumerated() {
                add("phases[\(index)].start_ns", reading.startNanoseconds)
                add("phases[\(index)].end_ns", reading.endNanoseconds)
                add("phases[\(index)].end.memory.time_ns", reading.end.memory.timeNanoseconds)
            }
            add("settled.memory.time_ns", report.settled?.memory.timeNanoseconds)
            add("purged.memory.time_ns", report.purged?.memory.timeNanoseconds)
            return all
        }
    }
}

// MARK: - Readings of memory

extension ReportCheck {
    private mutating func phase(_ reading: PhaseReading, _ place: FieldChecks.Place, isCommand: Bool, until: Int?) {
        let peak = reading.peak
        let resident = limits.memoryBound
        fields.size(peak.resident, "peak.resident_bytes", place, to: resident)
        fields.size(peak.errorBound, "peak.error_bound_bytes", place, to: errorBound(of: peak, isCommand: isCommand))
        fields.size(reading.startShared, "start_shared_bytes", place, to: resident)
        let memory = reading.end.memory
        mark(reading.end, { place() + ".end" }, isCommand: isCommand, until: until)
        guard (0...Limits.time).contains(reading.startNanoseconds),
            (reading.startNanoseconds...Limits.time).contains(reading.endNanoseconds), !isCommand
        else {
            return fields.number(reading.cpuNanoseconds, "cpu_ns", place, to: FieldChecks.Bound(Limits.time))
        }
        let wall = Double(reading.endNanoseconds - reading.startNanoseconds)
        fields.number(
            reading.cpuNanoseconds, "cpu_ns", place,
            to: FieldChecks.Bound(
                Int(min(wall * Double(limits.processors) + Self.clockSlack, Double(Limits.time))),
                "the CPU time of \(limits.processors) processors from start_ns to end_ns"))
        // The following arithmetic needs checked values.
        guard fields.mistakes.isEmpty else { return }
        let (highest, inexact) = (peak.resident + limits.tolerance, "minus tolerance")
        // The mark is read after the peak, and background activity may have allocated more by then.
        let later = MachineLimits.mostChange(in: memory.timeNanoseconds - reading.endNanoseconds)
        let end = FieldChecks.Bound(
            max(.zero, memory.resident - limits.tolerance - later), "end.memory.resident_bytes \(inexact)")
        // Of a peak below both the beginning and the end, these two are hardly the mistake.
        let start = FieldChecks.Bound(
            max(.zero, reading.startShared - limits.tolerance), "start_shared_bytes \(inexact)")
        let isBelowBoth = highest < reading.startShared && highest < memory.resident
        fields.size(
            peak.resident, "peak.resident_bytes", place, from: isBelowBoth ? start : end, to: resident)
        guard !isBelowBoth else { return }
        fields.size(
            reading.startShared, "start_shared_bytes", place,
            to: FieldChecks.Bound(highest, "peak.resident_bytes plus tolerance"))
    }

    /// Returns the bound of a peak's error; for a polled command only the maximum of its memory may be known.
    private func errorBound(of peak: PeakReading, isCommand: Bool) -> FieldChecks.Bound {
        isCommand
            ? FieldChecks.Bound(Limits.addresses) : limits.memoryBound
    }

    /// Checks a mark, whose reading ended at the time `until` if memory could change meanwhile.
    private mutating func mark(_ mark: Mark?, _ place: FieldChecks.Place, isCommand: Bool, until: Int? = nil) {
        guard let mark else { return }
        let memory = mark.memory
        let machine = limits.memoryBound
        fields.size(memory.resident, "memory.resident_bytes", place, to: machine)
        fields.size(memory.swapped, "memory.swapped_bytes", place, to: machine)
        fields.size(memory.peakResident, "memory.peak_resident_bytes", place, to: machine)
        guard (0...limits.memory.rawValue).contains(memory.resident.rawValue) else { return }
        let whole = FieldChecks.Bound(memory.resident + limits.tolerance, "resident_bytes plus tolerance")
        fields.size(memory.anonymous, "memory.anonymous_bytes", place, to: whole)
        fields.size(memory.file, "memory.file_bytes", place, to: whole)
        fields.size(memory.shmem, "memory.shmem_bytes", place, to: whole)
        checkWalked(memory, place, until: until)
        fields.number(memory.minorFaults, "memory.minor_faults", place, to: FieldChecks.Bound(Limits.count))
        fields.number(memory.majorFaults, "memory.major_faults", place, to: FieldChecks.Bound(Limits.count))
        let threads = FieldChecks.Bound(isCommand ? 0 : 1)
        fields.number(memory.threads, "memory.threads", place, from: threads, to: FieldChecks.Bound(Limits.threads))
        fields.number(memory.cpuNanoseconds, "memory.cpu_ns", place, to: FieldChecks.Bound(Limits.time))
        allocator(mark.allocator, place)
    }

    /// Checks what the page tables were walked for: it is read after the sizes, and background activity may have
    /// allocated more by then, but hardly loaded more of the program.
    private mutating func checkWalked(_ memory: Snapshot, _ place: FieldChecks.Place, until: Int?) {
        let times = 0...Limits.time
        let later =
            if let until, times.contains(until), times.contains(memory.timeNanoseconds) {
                MachineLimits.mostChange(in: until - memory.timeNanoseconds)
            } else {
                ByteCount.zero
            }
        let whole = FieldChecks.Bound(
            memory.resident + limits.tolerance + later, "resident_bytes plus tolerance")
        fields.size(memory.proportional, "memory.proportional_bytes", place, to: whole)
        fields.size(memory.unique, "memory.unique_bytes", place, to: whole)
        guard (0...(memory.resident + limits.tolerance).rawValue).contains(memory.anonymous.rawValue) else { return }
        fields.size(
            memory.programPages, "memory.program_bytes", place,
            to: FieldChecks.Bound(
                max(.zero, memory.resident - memory.anonymous) + limits.tolerance,
                "resident_bytes minus anonymous_bytes plus tolerance"))
    }

    private mutating func allocator(_ statistics: AllocatorStatistics?, _ place: FieldChecks.Place) {
        guard let statistics else { return }
        let most = FieldChecks.Bound(Limits.addresses)
        fields.size(statistics.allocated, "allocator.allocated_bytes", place, to: most)
        fields.size(statistics.cached, "allocator.cached_bytes", place, to: most)
        fields.size(statistics.active, "allocator.active_bytes", place, to: most)
        fields.size(statistics.metadata, "allocator.metadata_bytes", place, to: most)
        fields.size(statistics.resident, "allocator.resident_bytes", place, to: most)
        fields.size(statistics.mapped, "allocator.mapped_bytes", place, to: most)
        fields.size(statistics.retained, "allocator.retained_bytes", place, to: most)
    }
}

// MARK: - The allocator's series

extension ReportCheck {
    private mutating func check(_ series: AllocatorSeries) {
        let place = { "allocator_series" }
        let columns: [(name: String, sizes: [ByteCount]?, bound: FieldChecks.Bound)] = [
            ("resident_bytes", series.resident, limits.memoryBound),
            ("anonymous_bytes", series.anonymous, limits.memoryBound),
            ("allocator_allocated_bytes", series.allocated, FieldChecks.Bound(Limits.addresses)),
            ("allocator_active_bytes", series.active, FieldChecks.Bound(Limits.addresses)),
            ("allocator_resident_bytes", series.residentOfAllocator, FieldChecks.Bound(Limits.addresses)),
            ("allocator_mapped_bytes", series.mapped, FieldChecks.Bound(Limits.addresses)),
            ("allocator_retained_bytes", series.retained, FieldChecks.Bound(Limits.addresses)),
        ]
        var last = 0
        for time in series.times where !fields.isFull {
            fields.number(time, "time_ns", place, from: FieldChecks.Bound(last), to: FieldChecks.Bound(Limits.time))
            last = max(last, time)
        }
        for column in columns where !fields.isFull {
            guard let sizes = column.sizes else { continue }
            if sizes.count != series.times.count {
                fields.add(column.name, "has \(sizes.count) values, expected \(series.times.count)", in: place)
            }
            for size in sizes where !fields.isFull { fields.size(size, column.name, place, to: column.bound) }
        }
    }
}

// MARK: - Bodies, pictures and scenarios

extension ReportCheck {
    private mutating func body(_ body: BodyReading?, _ place: FieldChecks.Place) {
        guard let body else { return }
        fields.size(body.byteCount, "bytes", place, to: FieldChecks.Bound(Limits.body))
        fields.size(body.pageCache, "page_cache_bytes", place, to: FieldChecks.Bound(Limits.body))
        fields.number(body.bodyCount, "bodies", place, from: 1, to: FieldChecks.Bound(Limits.fetches))
        fields.number(
            body.verificationCPUNanoseconds, "verification_cpu_ns", place, to: FieldChecks.Bound(Limits.duration))
        guard let hash = body.sha256, !Self.isHash(hash) else { return }
        fields.add(
            "sha256", "is '\(DocumentMistake.shown(hash))', expected 64 lower-case hexadecimal digits", in: place)
    }

    private mutating func picture(_ picture: PictureReading?) {
        guard let picture else { return }
        let side = FieldChecks.Bound(1 << 31 - 1)
        fields.number(picture.width, "picture.width", to: side)
        fields.number(picture.height, "picture.height", to: side)
        fields.size(picture.bitmapByteCount, "picture.bitmap_bytes", to: FieldChecks.Bound(Limits.addresses))
        fields.number(picture.fallbackCount, "picture.fallbacks", to: FieldChecks.Bound(Limits.fetches))
    }

    /// The maximum number of a trial's conclusions, which share one column.
    private static let mostConclusions = 20

    private mutating func check(_ scenario: ScenarioReading) {
        for (name, value) in scenario.figures where !fields.isFull {
            let place = { "scenario.figures" }
            if name == "requests_each_reading" {
                fields.figure(value, name, place, in: 1...Double(Limits.fetches))
            } else {
                fields.figure(value, DocumentMistake.shown(name), place)
            }
        }
        for (name, values) in scenario.series where !fields.isFull {
            guard let wrong = values.first(where: { $0.magnitude > Limits.count }) else { continue }
            fields.add(
                "scenario.series.\(DocumentMistake.shown(name))",
                "has \(wrong), expected at most \(Limits.count) either way")
        }
        if scenario.conclusions.count > Self.mostConclusions {
            fields.add(
                "scenario.conclusions",
                "has \(scenario.conclusions.count) lines, expected at most \(Self.mostConclusions)")
        }
        body(scenario.body, { "scenario.body" })
    }

    static func isHash(_ text: String) -> Bool {
        text.utf8.count == 64 && text.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
    }

    private static func isCode(_ text: String) -> Bool {
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        return text.utf8.count <= 64 && text.utf8.first.map(letters.contains) ?? false
            && text.utf8.allSatisfy { letters.contains($0) || (48...57).contains($0) || $0 == UInt8(ascii: "_") }
    }

    private static func isExactness(_ text: String) -> Bool {
        if text == "exact" || text == "unknown" { return true }
        let (head, tail) = ("off by up to ", " KiB")
        guard text.hasPrefix(head), text.hasSuffix(tail), text.utf8.count < 64 else { return false }
        let digits = text.dropFirst(head.count).dropLast(tail.count)
        return !digits.isEmpty && digits.utf8.allSatisfy { (48...57).contains($0) }
    }
}
