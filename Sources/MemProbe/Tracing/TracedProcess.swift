// SPDX-License-Identifier: Apache-2.0

/// The state of one process of a command, from its start to its end.
package struct TracedProcess: Hashable, Sendable {
    /// The process identifier, which may be reused later.
    package let identifier: Int32
    package let parent: Int?
    package private(set) var name: String
    /// Whose memory it uses: its parent's between `vfork` and `exec`.
    package private(set) var memory: ChildMemory
    /// The index of the process whose memory it uses, or `nil` if it has its own.
    package var memoryOwner: Int?
    /// The number of its kin: processes that are copies of each other.
    package var kin = 0
    package private(set) var threads: Set<Int32>
    package private(set) var mostThreads = 1
    package private(set) var cpuNanoseconds = 0
    package let startNanoseconds: Int
    package private(set) var endNanoseconds: Int?
    package var outlived = false
    /// The signal that ended it, unless this process sent it.
    package var signal: Int32?
    /// The upper bound of its peak if its end was not read.
    package var largestPossible: ByteCount?

    /// The mark and the largest reading of its current program.
    private var mark: ByteCount?
    private var record = PeakRecord.ofLifetime
    /// The same of its earlier programs.
    private var earlierMark = ByteCount.zero
    private var earlierReading = ByteCount.zero
    /// The largest peak of its ended descendants, which the kernel counts as its own once it has waited for them.
    package private(set) var largestChild = ByteCount.zero
    /// The largest reading while it was unknown whose memory it uses.
    package private(set) var largestUndecided = ByteCount.zero
    /// `ru_maxrss` at the last `exec`, or `nil` before the first.
    private var largestAtExec: ByteCount?
    private var anonymousAtEnd: ByteCount?
    private var filesAtEnd: ByteCount?
    /// The program pages of its current program, as last read.
    package private(set) var programPages: ByteCount?
    /// The largest sample of anonymous memory, over all of its programs.
    private var largestAnonymous = ByteCount.zero
    private var mapsJemalloc = false

    package init(identifier: Int32, parent: Int?, name: String, memory: ChildMemory, at time: Int) {
        (self.identifier, self.parent, self.name) = (identifier, parent, name)
        self.memory = memory
        threads = [identifier]
        startNanoseconds = time
    }

    package var ownsMemory: Bool { memory == .own }

    /// The resident pages of files that it has mapped as data, as last read; `nil` if they are unknown.
    var dataPages: ByteCount? {
        guard let filesAtEnd, let programPages else { return nil }
        return max(.zero, filesAtEnd - programPages)
    }

    package var hasExecuted: Bool { largestAtExec != nil }

    /// True if memory of its own was ever read: not of a child that ended before its `exec`.
    package var wasRead: Bool { mark != nil || max(record.largestReading, earlierMark, earlierReading) > .zero }

    package mutating func begin(thread: Int32) {
        threads.insert(thread)
        mostThreads = max(mostThreads, threads.count)
    }

    package mutating func end(thread: Int32) { threads.remove(thread) }

    package mutating func note(threads count: Int) { mostThreads = max(mostThreads, count) }

    package mutating func end(at time: Int) {
        threads = []
        endNanoseconds = time
    }

    /// Notes whose memory it uses, if that was unknown or has changed.
    package mutating func decide(_ memory: ChildMemory) {
        self.memory = memory
        if memory == .own { record.note(largestUndecided) }
        largestUndecided = .zero
    }

    /// Notes the peak of an ended child or of one of its descendants.
    package mutating func note(largestChild: ByteCount) { self.largestChild = max(self.largestChild, largestChild) }

    /// Notes an `exec`.
    ///
    /// The memory of the previous program is gone without a reading at its end. Nothing is kept of the first one, which
    /// was the parent's. Of a later one the kernel keeps `ru_maxrss`; that is its peak if it exceeds the value at the
    /// previous `exec` and the peaks of the children, which it includes.
    package mutating func become(_ name: String, largestResident: ByteCount) {
        if largestAtExec == nil { largestAnonymous = .zero }
        if let before = largestAtExec {
            if largestResident > before && largestResident > largestChild {
                earlierMark = max(earlierMark, largestResident)
            }
            earlierMark = max(earlierMark, mark ?? .zero)
            earlierReading = max(earlierReading, record.largestReading)
        }
        largestAtExec = largestResident
        mark = nil
        record = .ofLifetime
        (anonymousAtEnd, filesAtEnd, programPages) = (nil, nil, nil)
        mapsJemalloc = false
        self.name = name
        memory = .own
        largestUndecided = .zero
    }

    /// Lets its peak count from now on; `isReset` tells whether the kernel has reset its mark.
    package mutating func beginWindow(isReset: Bool) {
        record = PeakRecord(start: isReset ? .reset : .refused(mark: mark))
        (mark, earlierMark, earlierReading, largestChild) = (nil, .zero, .zero, .zero)
        (largestAnonymous, largestUndecided, mostThreads) = (.zero, .zero, max(1, threads.count))
    }

    /// Notes a reading of `status`; the last one before the end stays.
    package mutating func note(_ reading: ProcessReading) {
        cpuNanoseconds = max(cpuNanoseconds, reading.cpuNanoseconds)
        if memory == .unknown { largestUndecided = max(largestUndecided, reading.mark ?? .zero) }
        guard ownsMemory else { return }
        if let found = reading.mark { mark = max(mark ?? .zero, found) }
        anonymousAtEnd = reading.anonymous ?? anonymousAtEnd
        filesAtEnd = reading.files ?? filesAtEnd
        programPages = reading.programPages ?? programPages
        mapsJemalloc = reading.mapsJemalloc ?? mapsJemalloc
    }

    package mutating func note(_ reading: ResidentReading) {
        if memory == .unknown { largestUndecided = max(largestUndecided, reading.resident) }
        guard ownsMemory else { return }
        record.note(reading)
        largestAnonymous = max(largestAnonymous, reading.anonymous)
    }

    package func peak(bound: ByteCount) -> PeakReading {
        let bound = bound + ByteCount((mostThreads - 1) * PeakErrorBound.machine.ofThread.rawValue)
        if !wasRead, let largestPossible {
            return PeakReading(resident: .zero, source: .exactReadings, errorBound: largestPossible)
        }
        let last = record.reading(mark: mark, bound: bound)
        if earlierMark > last.resident && earlierMark >= earlierReading {
            return PeakReading(resident: earlierMark, source: .highWaterMarkWithoutReset, errorBound: bound)
        }
        guard earlierReading > last.resident else { return last }
        return PeakReading(resident: earlierReading, source: .exactReadings, errorBound: bound)
    }

    /// Returns the peak without program pages, or `nil` if these are unknown.
    ///
    /// They only grow while a program runs, so subtracting those at its end gives a lower bound; a sample may show
    /// more. Of a replaced program only samples are known.
    package func netPeak(bound: ByteCount) -> ByteCount? {
        guard let programPages else { return nil }
        let last = record.reading(mark: mark, bound: bound)
        return max(.zero, last.resident - programPages, largestAnonymous, anonymousAtEnd ?? .zero)
    }

    /// Returns the peak with an error bound that includes growth that polling may have missed.
    private func boundedPeak(bound: ByteCount) -> PeakReading {
        var peak = peak(bound: bound)
        guard wasRead, let largestPossible else { return peak }
        peak.errorBound = max(peak.errorBound, largestPossible - peak.resident + peak.errorBound)
        return peak
    }

    package func trace(order: Int, parentOrder: Int?, bound: ByteCount, end: Int) -> ProcessTrace {
        var trace = ProcessTrace(
            order: order, parentOrder: parentOrder, name: name, peak: boundedPeak(bound: bound),
            programPages: programPages, netPeak: netPeak(bound: bound), anonymousAtEnd: anonymousAtEnd,
            hugetlb: record.largestHugetlb > .zero ? record.largestHugetlb : nil, threads: mostThreads,
            outlived: outlived, startNanoseconds: startNanoseconds,
            endNanoseconds: endNanoseconds ?? end, mapsJemalloc: mapsJemalloc)
        trace.signal = signal
        return trace
    }
}
