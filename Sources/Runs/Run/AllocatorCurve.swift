// SPDX-License-Identifier: Apache-2.0

/// The memory of a case's process and the account of its allocator in time, from a trial that is not measured.
package struct AllocatorCurve: Hashable, Sendable {
    package struct Row: Hashable, Sendable {
        /// The time since the first reading, in nanoseconds.
        package var time: Int
        /// The part of the trial: a phase, `settle`, `purge`, or empty between two phases.
        package var phase: String
        package var resident: Int
        package var anonymous: Int
        /// The allocator's own figures, with jemalloc's meanings; `nil` for those that it does not report.
        package var allocated: Int
        package var active: Int?
        package var residentOfAllocator: Int?
        package var mapped: Int?
        package var retained: Int?
    }

    package let cell: String
    package let rows: [Row]

    private init(_ cell: String, _ rows: [Row]) { (self.cell, self.rows) = (cell, rows) }

    package init?(_ trial: Trial) {
        guard let report = trial.report, let series = report.allocatorSeries, let start = series.times.first else {
            return nil
        }
        let clock = SamplesTable.PhaseClock(trial)
        func phase(at time: Int) -> String {
            if let phase = clock.phase(at: time) { return phase.rawValue }
            guard let released = report.phases.last(where: { $0.phase == .release })?.endNanoseconds, time > released
            else { return "" }
            return time <= report.settled?.memory.timeNanoseconds ?? .max ? "settle" : "purge"
        }
        self.init(
            trial.cell.identifier,
            series.times.indices.map { index in
                Row(
                    time: series.times[index] - start, phase: phase(at: series.times[index]),
                    resident: series.resident[index].rawValue, anonymous: series.anonymous[index].rawValue,
                    allocated: series.allocated[index].rawValue, active: series.active?[index].rawValue,
                    residentOfAllocator: series.residentOfAllocator?[index].rawValue,
                    mapped: series.mapped?[index].rawValue, retained: series.retained?[index].rawValue)
            })
    }
}

// MARK: - Who holds it

extension AllocatorCurve {
    /// The growth of the resident set since the warm-up, by who holds it.
    package struct Holding: Hashable, Sendable {
        package var resident: Int
        /// The growth of what the program has allocated and not freed.
        package var program: Int
        /// The growth of what the allocator holds beyond that: free pages, and its own data.
        ///
        /// Of glibc it is an upper bound: parts of its heap may not be resident.
        package var allocator: Int
        /// The remainder: mapped files, stacks, memory mapped past the allocator; less than 0 if the program has not
        /// touched all that it allocated.
        package var elsewhere: Int { resident - program - allocator }
    }

    /// The holder of what is left after everything was released.
    package enum Keeper: String, Sendable, CaseIterable {
        case nobody, program, allocator, elsewhere
    }

    /// At the highest resident set between the warm-up and the release; `nil` if nothing was fetched.
    package var atPeak: Holding? {
        let peaking = Set(Phase.peaking.map(\.rawValue))
        return rows.filter { peaking.contains($0.phase) }.max { $0.resident < $1.resident }.map(holding)
    }

    /// After everything was released and the process has settled, before the allocator is asked to give memory back.
    package var atEnd: Holding? {
        rows.last { $0.phase == "settle" || $0.phase == Phase.release.rawValue }.map(holding)
    }

    /// The holder of most of what is left; nobody below 1 MiB or a twentieth of the peak.
    package var keeper: Keeper? {
        guard let peak = atPeak, let end = atEnd else { return nil }
        guard end.resident > max(1 << 20, peak.resident / 20) else { return .nobody }
        let shares: [(Keeper, Int)] = [
            (.program, end.program), (.allocator, end.allocator), (.elsewhere, end.elsewhere),
        ]
        return shares.max { $0.1 < $1.1 }?.0
    }

    private func holding(at row: Row) -> Holding {
        let start = rows.last { $0.phase == Phase.warmup.rawValue } ?? rows[0]
        let (resident, program) = (row.resident - start.resident, row.allocated - start.allocated)
        let kept = max(0, row.kept - start.kept)
        return Holding(resident: resident, program: program, allocator: min(kept, max(0, resident - program)))
    }
}

extension AllocatorCurve.Row {
    /// An upper bound of the memory that the allocator holds beyond the program's blocks.
    fileprivate var kept: Int { max(0, (residentOfAllocator ?? mapped ?? allocated) - allocated) }
}

// MARK: - allocator.csv

extension AllocatorCurve {
    private static let columns = [
        "case", "time_ns", "phase", "resident_bytes", "anonymous_bytes", "allocator_allocated_bytes",
        "allocator_active_bytes", "allocator_resident_bytes", "allocator_mapped_bytes", "allocator_retained_bytes",
    ]

    /// Writes the curves of a run as `allocator.csv`, in place of earlier ones.
    package static func write(_ curves: [AllocatorCurve], to folder: RunFolder) throws {
        try folder.write(CSV.line(columns) + curves.map(\.text).joined(), to: .allocator)
    }

    private var text: String {
        rows.map { row in
            CSV.line(
                [cell, String(row.time), row.phase, String(row.resident), String(row.anonymous), String(row.allocated)]
                    + [row.active, row.residentOfAllocator, row.mapped, row.retained].map { $0.map(String.init) ?? "" })
        }.joined()
    }

    /// Reads the curves of a run, in the order of the file; empty without the file.
    package static func all(in folder: RunFolder) throws -> [AllocatorCurve] {
        guard folder.has(.allocator) else { return [] }
        var curves: [(cell: String, rows: [Row])] = []
        var line = 0
        try folder.eachLine(of: .allocator) { bytes, _ in
            line += 1
            let fields = CSV.fields(of: String(decoding: bytes, as: UTF8.self))
            guard line > 1 else {
                guard fields == columns else { throw invalid(line, folder) }
                return
            }
            guard fields.count == columns.count, let row = Row(Array(fields.dropFirst())) else {
                throw invalid(line, folder)
            }
            if curves.last?.cell == fields[0] {
                curves[curves.count - 1].rows.append(row)
            } else {
                curves.append((fields[0], [row]))
            }
        }
        return curves.map { AllocatorCurve($0.cell, $0.rows) }
    }

    private static func invalid(_ line: Int, _ folder: RunFolder) -> FetchBenchError {
        .malformedRun(
            name: folder.name, reason: "line \(line) of \(RunFolder.File.allocator.rawValue) is not a reading")
    }
}

extension AllocatorCurve.Row {
    /// Parses the fields after the case; `nil` if one is missing or out of range.
    fileprivate init?(_ fields: [String]) {
        let names = Phase.allCases.map(\.rawValue) + ["settle", "purge", ""]
        let texts = fields.prefix(1) + fields.dropFirst(2)
        let figures = texts.map { Int($0) }
        guard names.contains(fields[1]), figures.allSatisfy({ (0...Limits.count).contains($0 ?? 0) }),
            zip(texts, figures).allSatisfy({ $0.isEmpty == ($1 == nil) }),
            let time = figures[0], let resident = figures[1], let anonymous = figures[2], let allocated = figures[3]
        else { return nil }
        self.init(
            time: time, phase: fields[1], resident: resident, anonymous: anonymous, allocated: allocated,
            active: figures[4], residentOfAllocator: figures[5], mapped: figures[6], retained: figures[7])
    }
}
