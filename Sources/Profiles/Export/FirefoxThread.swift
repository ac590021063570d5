// SPDX-License-Identifier: Apache-2.0

/// The only thread of a Firefox profile: stacks weighted by bytes, and phases as markers.
struct FirefoxThread: Encodable {
    private var processType = "default"
    private var processName = "explained process"
    private let processStartupTime: Double
    private let processShutdownTime: Double
    private let registerTime: Double
    private let unregisterTime: Double
    private var pausedRanges: [String] = []
    private var showMarkersInTimeline = true
    private let name: String
    private var isMainThread = true
    /// Required by the format; the numbers have no meaning.
    private var pid = FirefoxCounter.process
    private var tid = 1
    private let samples: Samples
    private let markers: FirefoxMarkers

    init(name: String, timeline: ProfileTimeline, stacks: [Int?], weights: [Int], markers: FirefoxMarkers) {
        self.name = name
        self.markers = markers
        processStartupTime = FirefoxTime.milliseconds(timeline.startNanoseconds)
        registerTime = processStartupTime
        processShutdownTime = FirefoxTime.milliseconds(timeline.endNanoseconds)
        unregisterTime = processShutdownTime
        let peak = FirefoxTime.milliseconds(timeline.bestPeakNanoseconds)
        samples = Samples(
            stack: stacks, time: stacks.map { _ in peak }, weight: weights, length: stacks.count)
    }

    private struct Samples: Encodable {
        let stack: [Int?]
        let time: [Double]
        let weight: [Int]
        var weightType = "bytes"
        let length: Int
    }
}

struct FirefoxMarkers: Encodable {
    private var data: [Payload] = []
    private var name: [Int] = []
    private var startTime: [Double] = []
    private var endTime: [Double?] = []
    private var phase: [Int] = []
    private var category: [Int] = []
    private var length = 0

    /// The data of a marker, by the schema of its type.
    struct Payload: Encodable {
        let type: String
        let name: String?
        let bytes: Int?
    }

    /// Adds a marker, an instant if it has no end; `name` is an index in the table of strings.
    mutating func append(name: Int, start: Int, end: Int?, data: Payload) {
        self.data.append(data)
        self.name.append(name)
        startTime.append(FirefoxTime.milliseconds(start))
        endTime.append(end.map(FirefoxTime.milliseconds))
        phase.append(end == nil ? 0 : 1)
        category.append(FirefoxCategory.none.rawValue)
        length += 1
    }
}
