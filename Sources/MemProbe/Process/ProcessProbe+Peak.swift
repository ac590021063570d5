// SPDX-License-Identifier: Apache-2.0

extension ProcessProbe {
    /// Begins a new phase: the kernel's high-water mark falls to what is resident now.
    ///
    /// It writes `5` to `/proc/PID/clear_refs` (kernel 4.0).
    ///
    /// - Returns: false if the kernel or its permissions refuse the reset. The phase begins nevertheless: its peak is
    ///   then the mark if that rises, else the largest exact reading.
    /// - Throws: ``MemProbeError/Code/noSuchProcess`` if the process has ended.
    public mutating func resetPeak() throws(MemProbeError) -> Bool {
        let isReset = try writeReset()
        // After a reset the old mark is gone; without one, only a rise above it belongs to this phase.
        peak = PeakRecord(start: isReset ? .reset : .refused(mark: try readStatus().peakResident))
        _ = try resident()
        return isReset
    }

    /// Reads the largest resident set since the last ``resetPeak()``, or since the process began.
    ///
    /// - Throws: ``MemProbeError/Code/noSuchProcess`` if the process has ended: a zombie has no mark.
    public mutating func peakSinceReset() throws(MemProbeError) -> PeakReading {
        _ = try resident()
        let status = try readStatus()
        return peak.reading(mark: status.peakResident, bound: PeakErrorBound.current(threads: status.threads))
    }

    /// Adds a reading of the same process that was taken elsewhere, for example by a sampler.
    public mutating func note(_ reading: ResidentReading) { peak.note(reading) }

    /// Requests the reset; returns false if the kernel refuses it.
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
