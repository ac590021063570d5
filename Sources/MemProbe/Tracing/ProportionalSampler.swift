// SPDX-License-Identifier: Apache-2.0

/// Reads what a command's processes hold together by their proportional sizes, where it is worth it.
///
/// The kernel walks all page tables for that, 10 ms for a gigabyte, and the process cannot map memory meanwhile. So it
/// is done only where the bounds of cheap readings differ much, and for a fiftieth of the time.
package struct ProportionalSampler {
    private var pace: Pace
    /// A sample that counts if no process has ended or executed a program while it was taken.
    private var pending: (parts: [(index: Int, reading: ProportionalReading)], generation: Int, time: Int)?
    private var isHidden = false

    init(start: Int) { pace = Pace(start: start) }

    /// Takes a sample of all processes if one is due; to be called after each cheap sample.
    mutating func step(_ tree: inout ProcessTree, _ files: ProcessFiles, at time: Int) {
        if let pending, pending.generation == tree.generation {
            tree.note(proportional: pending.parts, at: pending.time)
        }
        pending = nil
        guard !isHidden, pace.isDue(tree.joint, known: tree.maximum.resident, at: time) else { return }
        let (generation, start) = (tree.generation, MonotonicClock.threadCPU())
        var parts: [(index: Int, reading: ProportionalReading)] = []
        for index in tree.living where tree.processes[index].ownsMemory {
            let process = tree.processes[index]
            guard let reading = files.proportional(of: process.identifier, threads: process.threads) else { continue }
            parts.append((index, reading))
        }
        // Processor time: beside other work the clock would run on while nothing is read.
        pace.note(nanoseconds: MonotonicClock.threadCPU() - start, for: tree.joint, at: time)
        isHidden = parts.isEmpty
        pending = (parts, generation, time)
    }

    /// The times at which proportional sizes are read.
    package struct Pace: Hashable, Sendable {
        /// The processor time in nanoseconds that readings may take in any case.
        private static let credit = 5_000_000
        /// The part of the time that they may take.
        private static let share = 50
        /// The difference of the bounds below which nothing is read.
        private static let tolerance = ByteCount.mebibytes(4)
        /// The time after which a reading is due even while the processes grow.
        private static let longestWait = 50_000_000

        private let start: Int
        private var spent = 0
        private var last: Int
        private var previous = ByteCount.zero
        /// The expected cost of a reading, as measured last.
        private var nanosecondsPerByte = 1e7 / Double(1 << 30)

        package init(start: Int) {
            self.start = start
            last = start
        }

        /// True if the bounds differ by more than 2 %, a reading is affordable, and the processes have settled.
        package mutating func isDue(_ joint: JointReading, known: ByteCount, at time: Int) -> Bool {
            let most = joint.most.resident
            let isSettled = max(most - previous, previous - most).rawValue <= most.rawValue / 100
            previous = most
            let gap = most - max(known, joint.least.resident)
            guard gap > max(Self.tolerance, ByteCount(most.rawValue / 50)) else { return false }
            guard isSettled || time - last > Self.longestWait else { return false }
            let cost = Int(Double(most.rawValue) * nanosecondsPerByte)
            return spent + cost <= Self.credit + (time - start) / Self.share
        }

        package mutating func note(nanoseconds: Int, for joint: JointReading, at time: Int) {
            spent += nanoseconds
            last = time
            guard joint.most.resident > .zero else { return }
            nanosecondsPerByte = Double(nanoseconds) / Double(joint.most.resident.rawValue)
        }
    }
}
