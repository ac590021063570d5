// SPDX-License-Identifier: Apache-2.0

extension ProcessProbe {
    /// Begins a new phase: the kernel's high-water mark falls to what is resident now.
    ///
    /// The corresponding file is `/proc/PID/clear_refs`, to which `5` is written (kernel 4.0).
    ///
    /// - Returns: false where the kernel or its permissions refuse the reset. The phase begins all the same:
    ///   its peak is then the mark if it rises, else the largest exact reading.
    /// - Throws: ``MemProbeError/Code/noSuchProcess`` when the process has ended.
    public mutating func resetPeak() throws(MemProbeError) -> Bool {
        let isReset = try writeReset()
        // After a reset the old mark is gone; where it stayed, only a rise above it belongs to this phase.
        peak = PeakRecord(start: isReset ? .reset : .refused(mark: try readStatus().peakResident))
        _ = try resident()
        return isReset
    }

    /// Reads the largest resident set since the last ``resetPeak()``, or since the process began.
    ///
    /// - Throws: ``MemProbeError/Code/noSuchProcess`` when the process has ended: a zombie has no mark any more.
    public mutating func peakSinceReset() throws(MemProbeError) -> PeakReading {
        _ = try resident()
        let status = try readStatus()
        return peak.reading(mark: status.peakResident, bound: PeakErrorBound.current(threads: status.threads))
    }

    /// Adds a reading of the same process that was taken elsewhere, by a sampler for instance.
    public mutating func note(_ reading: ResidentReading) {
        peak.note(reading.resident)
    }

    /// Asks the kernel for the reset and returns whether it obeyed.
    private func writeReset() throws(MemProbeError) -> Bool {
        switch clearRefs {
        case .none:
            return false
        case .some(let file):
            do {
                try file.write(UInt8(ascii: "5"))
                return true
            } catch {
                guard error.code == .noSuchProcess else { return false }
                throw error
            }
        }
    }
}
