// SPDX-License-Identifier: Apache-2.0

import CMemProbe

/// One run of a sampler: the work of its thread, and its results.
///
/// All mutable state is written by the thread alone and read after it was joined.
final class SamplingRun: @unchecked Sendable {
    private let folder: Descriptor
    private let statm: Descriptor
    private let text = TextBuffer(capacity: 512)
    private let pageSize = PeakErrorBound.pageSize
    private let schedule: SamplingSchedule
    private let residentLimit: ByteCount?
    private let storage: SampleStorage
    private let alarm = AlarmClock()
    private let start = MonotonicClock.now()
    private var count = 0
    private var dropped = 0
    private var isDegraded = false
    private var longestGap = 0
    private var overLimit: ByteCount?
    private var interruption: MemProbeError?

    init(
        _ target: ProcessTarget, schedule: SamplingSchedule, residentLimit: ByteCount?, storage: SampleStorage
    ) throws(MemProbeError) {
        folder = try Descriptor(openingFolderOf: target, in: "/proc")
        statm = try Descriptor(opening: "statm", in: folder)
        self.schedule = schedule
        self.residentLimit = residentLimit
        self.storage = storage
    }

    /// Makes the thread take its last sample and end.
    func finish() { alarm.ring() }

    /// The results; valid when the thread has ended.
    var series: SampleSeries {
        SampleSeries(
            samples: storage.slots.prefix(count).map { $0.unpacked(pageSize: pageSize) }, dropped: dropped,
            isDegraded: isDegraded,
            longestGapNanoseconds: longestGap, overLimit: overLimit, interruption: interruption)
    }

    /// Samples until ``finish()`` or the end of the process, without allocating.
    func run() {
        // Not required: a late sample shows as a gap.
        cmemprobe_make_urgent()
        var due = start
        var last = start
        while true {
            let isFinishing = alarm.sleep(until: due)
            let now = MonotonicClock.now()
            let interval = schedule.interval(at: last - start)
            watch(gap: now - last, interval: interval)
            do {
                let reading = try ResidentReading(reading: statm, into: text, pageSize: pageSize)
                enforceLimit(on: reading.resident)
                try keep(reading, at: now)
            } catch {
                interruption = error
                return
            }
            if isFinishing { return }
            last = now
            due = SamplingSchedule.next(after: due, now: now, interval: schedule.interval(at: now - start))
        }
    }

    private func watch(gap: Int, interval: Int) {
        longestGap = max(longestGap, gap)
        isDegraded = isDegraded || gap > 5 * interval
    }

    /// Kills a process over its limit; while it can still be read, it may still grow.
    private func enforceLimit(on resident: ByteCount) {
        guard let residentLimit, resident > residentLimit else { return }
        overLimit = max(overLimit ?? .zero, resident)
        _ = cmemprobe_kill_behind(folder.number)
    }

    private func keep(_ reading: ResidentReading, at time: Int) throws(MemProbeError) {
        guard count < storage.slots.count else {
            dropped += 1
            return
        }
        storage.slots[count] = try PackedSample(reading, at: time, pageSize: pageSize)
        count += 1
    }
}
