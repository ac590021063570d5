// SPDX-License-Identifier: Apache-2.0

/// A process of a command in a sample of all of them.
package struct TreePart: Hashable, Sendable {
    /// The index of the process.
    package var index: Int
    /// The number of its kin: processes that are copies of each other, by `fork` without an `exec` since.
    package var kin: Int
    package var reading: ResidentReading

    package init(index: Int, kin: Int, reading: ResidentReading) {
        self.index = index
        self.kin = kin
        self.reading = reading
    }
}

/// The bounds of the memory that several processes hold together at one instant.
///
/// A page that several of them map is one page, and it is in the reading of each. Memory without a file is shared
/// among kin alone, as after a fork; pages of files and shared memory may be shared by all.
package struct JointReading: Hashable, Sendable {
    /// What they hold for certain: of kin the largest, of pages of files the most that one of them has.
    package var least: ResidentReading
    /// What they hold if they share nothing.
    package var most: ResidentReading

    package static let none = JointReading([])

    package init(_ parts: [TreePart]) {
        self.init(parts, shared: \.reading.shared)
    }

    /// Counts only this part of each process's pages of files.
    package init(_ parts: [TreePart], shared: (TreePart) -> ByteCount) {
        var anonymous: [Int: ByteCount] = [:]
        var (sum, sumShared, largestShared) = (ByteCount.zero, ByteCount.zero, ByteCount.zero)
        for part in parts {
            anonymous[part.kin] = max(anonymous[part.kin] ?? .zero, part.reading.anonymous)
            let shared = shared(part)
            sum += part.reading.anonymous + shared
            sumShared += shared
            largestShared = max(largestShared, shared)
        }
        let certain = anonymous.values.reduce(.zero, +)
        least = ResidentReading(resident: certain + largestShared, shared: largestShared)
        most = ResidentReading(resident: sum, shared: sumShared)
    }
}
