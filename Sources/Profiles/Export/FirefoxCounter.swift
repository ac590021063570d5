// SPDX-License-Identifier: Apache-2.0

/// A memory track of a Firefox profile.
struct FirefoxCounter: Encodable {
    /// The process of all counters and threads.
    static let process = "1"

    private let name: String
    private var category = "Memory"
    private let description: String
    private var pid = FirefoxCounter.process
    private var mainThreadIndex = 0
    private let samples: Samples
    private let display: Display

    /// Returns the counters of a timeline: resident memory, and the anonymous part if every sample has it.
    static func all(of timeline: ProfileTimeline) -> [FirefoxCounter] {
        guard !timeline.samples.isEmpty else { return [] }
        let times = timeline.samples.map { FirefoxTime.milliseconds($0.nanoseconds) }
        let resident = FirefoxCounter(
            "resident", "Resident memory", color: "orange", place: 20, times, timeline.samples.map(\.residentBytes))
        let anonymous = timeline.samples.compactMap(\.anonymousBytes)
        guard anonymous.count == times.count else { return [resident] }
        return [
            resident, FirefoxCounter("anonymous", "Anonymous memory", color: "purple", place: 21, times, anonymous),
        ]
    }

    private init(_ name: String, _ label: String, color: String, place: Int, _ times: [Double], _ bytes: [Int]) {
        self.name = name
        description = label
        // The viewer sums the differences and takes the first one for 0; the extra 0 makes the curve absolute.
        let differences = [0] + zip(bytes, [0] + bytes.dropLast()).map { $0 - $1 }
        samples = Samples(time: times.prefix(1) + times, count: differences, length: differences.count)
        display = Display(color: color, sortWeight: place, label: label)
    }

    private struct Samples: Encodable {
        let time: [Double]
        let count: [Int]
        let length: Int
    }

    private struct Display: Encodable {
        var graphType = "line-accumulated"
        var unit = "bytes"
        let color: String
        var markerSchemaLocation = "timeline-memory"
        let sortWeight: Int
        let label: String
        var tooltipRows = [
            TooltipRow(source: "accumulated", label: "at this time"),
            TooltipRow(source: "count-range", label: "from the least to the most in the graph"),
        ]
    }

    private struct TooltipRow: Encodable {
        var type = "value"
        let source: String
        var format = ["unit": "bytes"]
        let label: String
    }
}
