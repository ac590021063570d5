// SPDX-License-Identifier: Apache-2.0

package import Statistics
import Texts
import TrialKit

/// What the repetitions of a trial add, one request after the other: the answer to "leak or allocator?".
package struct RepetitionTrend: Hashable, Sendable {
    /// What one request adds to the resident size, in bytes.
    package let resident: RobustRegression
    /// What one request adds to the anonymous memory, in bytes.
    package let anonymous: RobustRegression
    /// What one request leaves allocated, in bytes as the allocator counts them; `nil` where it keeps no account.
    package let allocated: RobustRegression?
    /// What that means.
    package let verdict: RepetitionVerdict

    /// More points than this say no more, and take their square in time.
    private static let mostPoints = 100

    /// The series of what the allocator counts, without which nobody can tell a leak.
    package static let allocated = "allocated_bytes"

    /// Reads the series of a trial; `nil` where it repeated nothing, or too little for a line.
    package init?(_ trial: Trial) {
        guard trial.isCompleted, let reading = trial.report?.scenario,
            let resident = reading.series["resident_bytes"], let anonymous = reading.series["anonymous_bytes"],
            let allocated = reading.series[Self.allocated]
        else { return nil }
        self.init(
            resident: resident, anonymous: anonymous, allocated: allocated,
            requestsEach: Self.requestsEachReading(trial, reading))
    }

    /// What one request adds to a series that a trial read after every so many requests; `nil` where it has too little
    /// of it for a line, or nothing but zeros: an allocator that keeps no account.
    static func slope(of series: String, in trial: Trial) -> Double? {
        guard trial.isCompleted, let reading = trial.report?.scenario, let values = reading.series[series],
            values.contains(where: { $0 != 0 })
        else { return nil }
        return RepetitionLine(values, each: requestsEachReading(trial, reading), most: mostPoints)?.whole.slope
    }

    private static func requestsEachReading(_ trial: Trial, _ reading: ScenarioReading) -> Int {
        max(1, reading.figures["requests_each_reading"].map { Int($0) } ?? trial.cell.conditions.concurrency)
    }

    /// Fits lines to what was read after each repetition.
    /// - Parameter requestsEach: how many requests a repetition has.
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

/// What repeating a request does, in the words that users ask for.
package enum RepetitionVerdict: Hashable, Sendable {
    /// Nothing grows.
    case flat
    /// So many bytes a request stay allocated; of each request, or of each one from a certain request on.
    case leaks(bytes: Double, from: Int? = nil)
    /// So many bytes were allocated at first and stayed, as those of a cache do that fills; then nothing grows.
    case levels(bytes: Double)
    /// The resident size grows, and what is allocated does not.
    case keptByAllocator
    /// The resident size grows, and the allocator keeps no account that would say why.
    case grows

    /// Less than this a request is what an account's own rounding shows.
    package static let fewestBytes = 8.0
    /// Less than this a request is a page now and then.
    static let fewestResidentBytes = 64.0

    /// Less than this from some request on is a pool that fills: libdispatch keeps up to 1,024 blocks of 80 bytes for each
    /// thread, and begins whenever work starts to be handed from one thread to another.
    static let largestPool = 96.0 * 1024
    /// Less than this is not told apart from nothing: pools of a client and of its libraries fill.
    static let smallestLevel = 1_048_576.0

    init(resident: RepetitionLine, allocated: RepetitionLine?) {
        if let rise = allocated?.rise(atLeast: Self.fewestBytes), rise.start == nil || rise.amount > Self.largestPool {
            self = .leaks(bytes: rise.line.slope, from: rise.start)
        } else if resident.rise(atLeast: Self.fewestResidentBytes) != nil {
            self = allocated == nil ? .grows : .keptByAllocator
        } else if let bytes = allocated?.levelledRise(atLeast: Self.smallestLevel) {
            self = .levels(bytes: bytes)
        } else {
            self = .flat
        }
    }

    /// The words of tables.
    package var words: String {
        switch self {
        case .flat: "flat"
        case .leaks(let bytes, let start):
            "leaks \(Int(bytes.rounded())) B a request" + (start.map { " from about request \($0) on" } ?? "")
        case .levels(let bytes): "grows by \(ByteText.mebibytes(bytes)), then flat"
        case .keptByAllocator: "kept by the allocator"
        case .grows: "grows; this allocator keeps no account"
        }
    }
}
