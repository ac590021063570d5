// SPDX-License-Identifier: Apache-2.0

/// Processes of one name that a trace does not list individually.
public struct OtherProcesses: Codable, Hashable, Sendable {
    /// The name of the program, as the kernel reports it.
    public var name: String
    /// The number of processes.
    public var count: Int
    /// The largest peak of one of them.
    public var largestPeak: ByteCount
    /// The sum of their peaks.
    public var sumOfPeaks: ByteCount
    /// The largest error bound of their peaks.
    public var errorBound: ByteCount
    /// The largest number of threads of one of them.
    public var threads: Int

    /// Creates a group of processes.
    public init(
        name: String, count: Int, largestPeak: ByteCount, sumOfPeaks: ByteCount, errorBound: ByteCount = .zero,
        threads: Int
    ) {
        self.errorBound = errorBound
        self.name = name
        self.count = count
        self.largestPeak = largestPeak
        self.sumOfPeaks = sumOfPeaks
        self.threads = threads
    }

    private enum CodingKeys: String, CodingKey {
        case name, count, threads
        case largestPeak = "largest_peak_bytes"
        case sumOfPeaks = "sum_of_peaks_bytes"
        case errorBound = "error_bound_bytes"
    }

    /// Returns the groups of processes, the largest first.
    static func byName(_ processes: [ProcessTrace], adding groups: [OtherProcesses]) -> [OtherProcesses] {
        var found = Dictionary(groups.map { ($0.name, $0) }) { first, _ in first }
        for process in processes {
            var group =
                found[process.name]
                ?? OtherProcesses(name: process.name, count: 0, largestPeak: .zero, sumOfPeaks: .zero, threads: 0)
            group.count += 1
            group.largestPeak = max(group.largestPeak, process.peak.resident)
            group.sumOfPeaks += process.peak.resident
            group.errorBound = max(group.errorBound, process.peak.errorBound)
            group.threads = max(group.threads, process.threads)
            found[process.name] = group
        }
        return found.values.sorted { ($1.largestPeak, $0.name) < ($0.largestPeak, $1.name) }
    }
}
