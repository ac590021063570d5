// SPDX-License-Identifier: Apache-2.0

/// The counters of `/proc/PID/stat`, without the resident set (field 24), which is approximate on every kernel.
package struct StatFile: Hashable, Sendable, ParsedText {
    /// Field 3: `R`, `S`, `D`, `Z` …, as an ASCII byte.
    package var state: UInt8
    /// Field 10: faults served without reading a disk.
    package var minorFaults: Int
    /// Field 12: faults that waited for a disk.
    package var majorFaults: Int
    /// Fields 14 and 15, user and system time together, in clock ticks.
    package var cpuTicks: Int
    /// Field 20: the number of threads.
    package var threads: Int

    package init(parsing text: Span<UInt8>) throws(MemProbeError) {
        // The command's name may contain spaces and parentheses; only numbers follow its last parenthesis.
        guard let nameEnd = text.indices.last(where: { text[$0] == UInt8(ascii: ")") }) else {
            throw MemProbeError(.malformed, source: "stat")
        }
        var fields = Fields(nameEnd: nameEnd)
        state = try fields.state(text)
        minorFaults = try fields.number(10, text)
        majorFaults = try fields.number(12, text)
        let user = try fields.number(14, text)
        let system = try fields.number(15, text)
        threads = try fields.number(20, text)
        let (ticks, overflow) = user.addingReportingOverflow(system)
        guard !overflow else { throw MemProbeError(.malformed, source: "stat") }
        cpuTicks = ticks
    }
}

/// The fields after the command's name, by the numbers of `proc_pid_stat(5)`.
private struct Fields {
    private var scanner = ByteScanner()
    private var next = 3

    init(nameEnd: Int) { scanner.position = nameEnd + 1 }

    mutating func state(_ text: Span<UInt8>) throws(MemProbeError) -> UInt8 {
        scanner.skipBlanks(in: text)
        let start = scanner.position
        scanner.skipWord(in: text)
        guard scanner.position == start + 1 else { throw MemProbeError(.malformed, source: "stat") }
        next += 1
        return text[start]
    }

    /// Reads a field; fields have to be read in their order.
    mutating func number(_ field: Int, _ text: Span<UInt8>) throws(MemProbeError) -> Int {
        while next < field {
            scanner.skipBlanks(in: text)
            scanner.skipWord(in: text)
            next += 1
        }
        scanner.skipBlanks(in: text)
        next += 1
        guard let number = scanner.number(in: text) else { throw MemProbeError(.malformed, source: "stat") }
        return number
    }
}
