// SPDX-License-Identifier: Apache-2.0

import MemProbe

/// The readings after each repetition, in memory that is touched before the first one.
struct RepeatReadings: ~Copyable {
    /// The series, whose names a trial stores.
    private enum Series: Int, CaseIterable {
        case resident, anonymous, allocated

        var name: String { "\(self)_bytes" }
    }

    private let buffer: UnsafeMutableBufferPointer<Int>
    private let capacity: Int
    private var count = 0

    init(capacity: Int) {
        self.capacity = capacity
        buffer = .allocate(capacity: capacity * Series.allCases.count)
        buffer.initialize(repeating: 0)
    }

    deinit {
        buffer.deallocate()
    }

    /// Reads the process; allocates nothing.
    mutating func append(_ probe: inout ProcessProbe) throws(MemProbeError) {
        let resident = try probe.resident()
        set(.resident, resident.resident.rawValue)
        set(.anonymous, (resident.resident - resident.shared).rawValue)
        // Memory in thread caches is free, and varies by hundreds of KiB from one request to the next.
        let account = AllocatorStatistics.read()
        set(.allocated, (account?.allocated.rawValue ?? 0) - (account?.cached?.rawValue ?? 0))
        count += 1
    }

    mutating func removeAll() {
        count = 0
    }

    var series: [String: [Int]] {
        Dictionary(
            uniqueKeysWithValues: Series.allCases.map { series in
                (series.name, Array(buffer[series.rawValue * capacity..<series.rawValue * capacity + count]))
            })
    }

    private func set(_ series: Series, _ value: Int) {
        buffer[series.rawValue * capacity + count] = value
    }
}
