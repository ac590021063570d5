// SPDX-License-Identifier: Apache-2.0

import MemProbe
import TrialKit

/// A figure of a cost trial: its column, its unit, and its value.
package struct CostFigure: Sendable {
    package enum Unit: String, Codable, Sendable {
        case bytes, nanoseconds, count
    }

    /// The name of the column and in JSON.
    package let name: String
    package let unit: Unit
    /// The value of a trial, or `nil` if the machine does not provide it.
    package let value: @Sendable (CostTrial) -> Double?
}

/// A figure that is read twice: at the start of a process and after its first 1 KiB.
package struct CostReadingFigure: Sendable {
    package let start: CostFigure
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
    /// The total length of the library files, or `nil` if one of them cannot be read.
    package static let libraryFiles = CostReadingFigure("library_file_bytes", .bytes) { inventory in
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

extension CostFigure {
    /// The time from spawning, measured by the harness, to the program's first mark.
    package static let startDuration = CostFigure(name: "start_duration_ns", unit: .nanoseconds) { trial in
        Double(trial.start.timeNanoseconds - trial.spawnedNanoseconds)
    }

    /// All figures, in the order of the columns.
    package static let all =
        [startDuration] + CostReadingFigure.all.map(\.start) + CostReadingFigure.all.map(\.fetched)
}
