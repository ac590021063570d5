// SPDX-License-Identifier: Apache-2.0

import CMemProbe

/// One run of a sampler of a process's resident set, and its results.
final class SamplingRun: SamplingThread, @unchecked Sendable {
    private let folder: Descriptor
    private let file: ResidentFile
    private let text = TextBuffer(capacity: ResidentFile.roomForReading)
    private let pageSize = PeakErrorBound.pageSize
    private var limit: NetLimit?
    /// Reads program pages; only where there is a limit, as its buffers cost memory.
    private let program: ProgramReader?
    private let storage: SampleStorage<PackedSample>
    private var count = 0
    private var dropped = 0
    private var overLimit: ByteCount?

    init(
        _ target: ProcessTarget, schedule: SamplingSchedule, residentLimit: ByteCount?,
        storage: SampleStorage<PackedSample>
    ) throws(MemProbeError) {
        folder = try Descriptor(openingFolderOf: target, in: "/proc")
        file = try ResidentFile(in: folder)
        limit = residentLimit.map { NetLimit($0) }
        program = residentLimit.map { _ in ProgramReader() }
        self.storage = storage
        super.init(schedule)
    }

    /// The results; valid when the thread has ended.
    var series: SampleSeries {
        SampleSeries(
            samples: storage.slots.prefix(count).map { $0.unpacked(pageSize: pageSize) }, dropped: dropped,
            isDegraded: isDegraded,
            longestGapNanoseconds: longestGap, overLimit: overLimit, interruption: interruption)
    }

    override func take(at now: Int) throws(MemProbeError) {
        let reading = try file.read(into: text, pageSize: pageSize)
        enforceLimit(on: reading.resident)
        guard count < storage.slots.count else {
            dropped += 1
            return
        }
        storage.slots[count] = try PackedSample(reading, at: now, pageSize: pageSize)
        count += 1
    }

    /// Kills a process over its limit; while it can still be read, it may still grow.
    private func enforceLimit(on resident: ByteCount) {
        guard let excess = limit?.excess(of: resident, programPages: { program?.pages(in: folder) }) else { return }
        overLimit = max(overLimit ?? .zero, excess)
        _ = cmemprobe_kill_behind(folder.number)
    }
}

/// Reads the program pages of a process.
private final class ProgramReader {
    private var mappings = ProgramMappings()
    private let text = TextBuffer()

    /// Returns them; `nil` if they are hidden, or the process is gone.
    func pages(in folder: borrowing Descriptor) -> ByteCount? {
        guard let maps = try? Descriptor(opening: "maps", in: folder),
            let pagemap = try? Descriptor(opening: "pagemap", in: folder)
        else { return nil }
        return try? mappings.programPages(
            maps: maps, pagemap: pagemap, pageSize: PeakErrorBound.pageSize, through: text)
    }
}
