// SPDX-License-Identifier: Apache-2.0

/// The costs of programs with the conditions of the measurement, for renderers.
package struct CostTable: Sendable {
    /// The program that wrote it: `fetchbench 0.1.0`.
    package let tool: String
    /// The start of the measurement, as ISO 8601 in UTC.
    package let measuredAt: String
    package let trials: Int
    package let seed: UInt64
    package let environment: MachineEnvironment
    package let rows: [CostRow]

    package init(
        tool: String, measuredAt: String, trials: Int, seed: UInt64, environment: MachineEnvironment, rows: [CostRow]
    ) {
        (self.tool, self.measuredAt, self.trials, self.seed) = (tool, measuredAt, trials, seed)
        (self.environment, self.rows) = (environment, rows)
    }

    package var isComplete: Bool {
        !rows.isEmpty && rows.allSatisfy { $0.failure == nil && $0.trials.count == trials }
    }

    package var doubts: [String] {
        rows.filter { !$0.trials.isEmpty && $0.linkage != $0.declaredLinkage && $0.declaredLinkage == .static }.map {
            "\($0.name) was given as a static build and loads Swift's libraries"
        }
    }

    package enum Linkage: String, Codable, Hashable, Sendable {
        case dynamic
        /// Linked into the program (`--static-swift-stdlib`); other libraries can still be dynamic.
        case `static`
    }

    package struct Figure: Sendable {
        package enum Unit: String, Codable, Sendable {
            case bytes, nanoseconds, count
        }

        package let name: String
        package let unit: Unit
        package let value: @Sendable (Trial) -> Double?
    }

    /// The cost report of one process, with the time of its spawning.
    package struct Trial: Hashable, Sendable {
        /// The instant before spawning, on the monotonic clock that all processes share.
        package let spawnedNanoseconds: Int
        package let start: CostReading
        /// The reading after the first 1 KiB.
        package let fetched: CostReading

        package init(spawnedNanoseconds: Int, start: CostReading, fetched: CostReading) {
            (self.spawnedNanoseconds, self.start) = (spawnedNanoseconds, start)
            self.fetched = fetched
        }
    }

    /// A figure that is read twice: at the start of a process and after its first 1 KiB.
    package struct ReadingFigure: Sendable {
        package let start: Figure
        package let fetched: Figure

        private init(
            _ name: String, _ unit: Figure.Unit, _ value: @escaping @Sendable (ProcessInventory) -> Double?
        ) {
            start = Figure(name: "start_" + name, unit: unit) { value($0.start.inventory) }
            fetched = Figure(name: "fetched_" + name, unit: unit) { value($0.fetched.inventory) }
        }

        package static let resident = ReadingFigure("resident_bytes", .bytes) { Double($0.resident.rawValue) }
        package static let anonymous = ReadingFigure("anonymous_bytes", .bytes) {
            Double($0.anonymous.rawValue)
        }
        package static let privateFile = ReadingFigure("private_file_bytes", .bytes) { inventory in
            inventory.privateFile.map { Double($0.rawValue) }
        }
        package static let sharedFile = ReadingFigure("shared_file_bytes", .bytes) { inventory in
            inventory.sharedFile.map { Double($0.rawValue) }
        }
        package static let threads = ReadingFigure("threads", .count) { Double($0.threads) }
        package static let descriptors = ReadingFigure("descriptors", .count) {
            $0.descriptors.map(Double.init)
        }
        package static let libraries = ReadingFigure("libraries", .count) {
            $0.libraries.map { Double($0.count) }
        }
        package static let libraryFiles = ReadingFigure("library_file_bytes", .bytes) { inventory in
            inventory.libraries?.reduce(Double?.some(0)) { sum, library in
                guard let sum, let size = library.fileSize else { return nil }
                return sum + Double(size.rawValue)
            }
        }

        /// All figures, in the order of the columns.
        package static let all = [
            resident, anonymous, privateFile, sharedFile, threads, descriptors, libraries, libraryFiles,
        ]
    }
}

package struct CostRow: Hashable, Sendable {
    package let name: String
    package let declaredLinkage: CostTable.Linkage
    package let mode: String?
    /// The length of the unstripped program file, or `nil` if it cannot be read.
    package let binary: ByteCount?
    package var trials: [CostTable.Trial] = []
    package var failure: FetchBenchError?

    package init(name: String, linkage: CostTable.Linkage, mode: String?, binary: ByteCount?) {
        self.name = name
        declaredLinkage = linkage
        (self.mode, self.binary) = (mode, binary)
    }

    /// The linkage according to the loaded libraries; the declared one if these are unknown.
    package var linkage: CostTable.Linkage {
        guard let libraries = trials.first?.start.inventory.libraries else { return declaredLinkage }
        return libraries.contains { Self.isSwift($0.path) } ? .dynamic : .static
    }

    package func values(of figure: CostTable.Figure) -> Distribution? {
        Distribution(trials.compactMap(figure.value))
    }

    private static func isSwift(_ path: String) -> Bool {
        PathText.name(of: path).hasPrefix("libswiftCore.so")
    }
}

extension CostTable.Figure {
    /// The time from spawning, measured by the harness, to the program's first mark.
    package static let startDuration = CostTable.Figure(name: "start_duration_ns", unit: .nanoseconds) { trial in
        Double(trial.start.timeNanoseconds - trial.spawnedNanoseconds)
    }

    /// All figures, in the order of the columns.
    package static let all =
        [startDuration] + CostTable.ReadingFigure.all.map(\.start) + CostTable.ReadingFigure.all.map(\.fetched)
}
