// SPDX-License-Identifier: Apache-2.0

import MemProbe
import TrialKit

/// One figure of a trial: its column, its unit, and how it is read.
package struct CostFigure: Sendable {
    /// The unit of the values.
    package enum Unit: String, Codable, Sendable {
        case bytes, nanoseconds, count
    }

    /// The column and the name in JSON.
    package let name: String
    /// The unit of the values.
    package let unit: Unit
    /// Its value of a trial, or `nil` where the machine does not give it.
    package let value: @Sendable (CostTrial) -> Double?
}

/// What is read of a process twice: at its start, and after its first 1 KiB.
package struct CostReadingFigure: Sendable {
    /// The figure at the start.
    package let start: CostFigure
    /// The same after the first 1 KiB.
    package let fetched: CostFigure

    private init(
        _ name: String, _ unit: CostFigure.Unit, _ value: @escaping @Sendable (ProcessInventory) -> Double?
    ) {
        start = CostFigure(name: "start_" + name, unit: unit) { value($0.start.inventory) }
        fetched = CostFigure(name: "fetched_" + name, unit: unit) { value($0.fetched.inventory) }
    }

    package static let resident = CostReadingFigure("resident_bytes", .bytes) { Double($0.resident.rawValue) }
    package static let anonymous = CostReadingFigure("anonymous_bytes", .bytes) { Double($0.anonymous.rawValue) }
    package static let privateFile = CostReadingFigure("private_file_bytes", .bytes) { inventory in
        inventory.privateFile.map { Double($0.rawValue) }
    }
    package static let sharedFile = CostReadingFigure("shared_file_bytes", .bytes) { inventory in
        inventory.sharedFile.map { Double($0.rawValue) }
    }
    package static let threads = CostReadingFigure("threads", .count) { Double($0.threads) }
    package static let descriptors = CostReadingFigure("descriptors", .count) { $0.descriptors.map(Double.init) }
    package static let libraries = CostReadingFigure("libraries", .count) { $0.libraries.map { Double($0.count) } }
    /// The lengths of the files together; absent where one of them cannot be read.
    package static let libraryFiles = CostReadingFigure("library_file_bytes", .bytes) { inventory in
        inventory.libraries?.reduce(Double?.some(0)) { sum, library in
            guard let sum, let size = library.fileSize else { return nil }
            return sum + Double(size.rawValue)
        }
    }

    /// All of them, in the order of the columns.
    package static let all = [
        resident, anonymous, privateFile, sharedFile, threads, descriptors, libraries, libraryFiles,
    ]
}

extension CostFigure {
    /// From the spawn, as the harness saw it, to the instant at which the program read its first mark.
    package static let startDuration = CostFigure(name: "start_duration_ns", unit: .nanoseconds) { trial in
        Double(trial.start.timeNanoseconds - trial.spawnedNanoseconds)
    }

    /// All figures, in the order of the columns.
    package static let all =
        [startDuration] + CostReadingFigure.all.map(\.start) + CostReadingFigure.all.map(\.fetched)
}
