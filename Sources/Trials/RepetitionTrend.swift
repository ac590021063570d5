// SPDX-License-Identifier: Apache-2.0

package import Statistics
import Texts
import TrialKit

/// The growth per request in a trial that repeats its fetch, which tells leaks from memory that the allocator keeps.
package struct RepetitionTrend: Hashable, Sendable {
    /// The resident bytes that each request adds.
    package let resident: RobustRegression
    /// The anonymous bytes that each request adds.
    package let anonymous: RobustRegression
    /// The bytes that each request leaves allocated; `nil` if the allocator has no statistics.
    package let allocated: RobustRegression?
    package let verdict: RepetitionVerdict

    /// The maximum number of points of a fit, whose time grows with their square; more do not improve it.
    private static let mostPoints = 100

    /// The series of the allocator's statistics, without which a leak cannot be detected.
    package static let allocated = "allocated_bytes"

    /// Reads the series of a trial; returns `nil` without repetitions, or with too few for a line.
    package init?(_ trial: Trial) {
        guard trial.isCompleted, let reading = trial.report?.scenario,
            let resident = reading.series["resident_bytes"], let anonymous = reading.series["anonymous_bytes"],
            let allocated = reading.series[Self.allocated]
        else { return nil }
        self.init(
            resident: resident, anonymous: anonymous, allocated: allocated,
            requestsEach: Self.requestsEachReading(trial, reading))
    }

    /// Returns the growth of a series per request.
    ///
    /// It is `nil` with too few values for a line, or with zeros only: an allocator without statistics.
    static func slope(of series: String, in trial: Trial) -> Double? {
        guard trial.isCompleted, let reading = trial.report?.scenario, let values = reading.series[series],
            values.contains(where: { $0 != 0 })
        else { return nil }
        return RepetitionLine(values, each: requestsEachReading(trial, reading), most: mostPoints)?.whole.slope
    }

    private static func requestsEachReading(_ trial: Trial, _ reading: ScenarioReading) -> Int {
        max(1, reading.figures["requests_each_reading"].map { Int($0) } ?? trial.cell.conditions.concurrency)
    }

    /// Fits lines to the readings after each repetition.
    /// - Parameter requestsEach: The number of requests in a repetition.
    package init?(resident: [Int], anonymous: [Int], allocated: [Int], requestsEach: Int) {
        func line(_ values: [Int]) -> RepetitionLine? {
            RepetitionLine(values, each: requestsEach, most: Self.mostPoints)
        }
        guard let resident = line(resident), let anonymous = line(anonymous) else { return nil }
        let allocated = allocated.contains { $0 != 0 } ? line(allocated) : nil
        self.resident = resident.whole
        self.anonymous = anonymous.whole
        self.allocated = allocated?.whole
        verdict = RepetitionVerdict(resident: resident, allocated: allocated)
    }
}

package enum RepetitionVerdict: Hashable, Sendable {
    case flat
    /// Every request leaves these bytes allocated, or every request from a certain one on.
    case leaks(bytes: Double, from: Int? = nil)
    /// Allocated memory rises with every request, but by less in all than a pool that fills.
    case undecided
    /// These bytes were allocated at first and stayed, as in a cache that fills; then nothing grew.
    case levels(bytes: Double)
    /// The resident size grows, but not the allocated bytes.
    case keptByAllocator
    /// The resident size grows, and the allocator has no statistics that explain it.
    case grows

    /// The smallest leak per request; less is rounding of the allocator's statistics.
    package static let fewestBytes = 8.0
    /// The smallest resident growth per request; less is an occasional page.
    static let fewestResidentBytes = 64.0

    /// The smallest total that is judged; less is a few blocks in glibc's thread caches, which count as allocated.
    static let smallestRise = 8_000.0
    /// The largest total that a pool that fills can have; more is a leak.
    ///
    /// libdispatch keeps up to 1,024 blocks of 80 bytes for each thread, starting whenever work moves between threads.
    /// A trial whose memory rises goes on until it has more, or until there is no time.
    static let largestPool = 96.0 * 1024
    /// The smallest initial rise that is reported; less is pools of a client and its libraries that fill.
    static let smallestLevel = 1_048_576.0

    init(resident: RepetitionLine, allocated: RepetitionLine?) {
        let rise = allocated?.rise(atLeast: Self.fewestBytes)
        if let rise, rise.amount >= Self.largestPool {
            self = .leaks(bytes: rise.line.slope, from: rise.start)
        } else if let rise, rise.start == nil, rise.amount >= Self.smallestRise {
            self = .undecided
        } else if resident.rise(atLeast: Self.fewestResidentBytes) != nil {
            self = allocated == nil ? .grows : .keptByAllocator
        } else if let bytes = allocated?.levelledRise(atLeast: Self.smallestLevel) {
            self = .levels(bytes: bytes)
        } else {
            self = .flat
        }
    }

    package var words: String {
        switch self {
        case .flat: "flat"
        case .leaks(let bytes, let start):
            "leaks \(Int(bytes.rounded())) B a request" + (start.map { " from about request \($0) on" } ?? "")
        case .undecided: "undecided (rises)"
        case .levels(let bytes): "grows by \(ByteText.mebibytes(bytes)), then flat"
        case .keptByAllocator: "kept by the allocator"
        case .grows: "grows; this allocator keeps no account"
        }
    }
}
