// SPDX-License-Identifier: Apache-2.0

/// The category by which the viewer colours a function; raw values are indices in the list of ``FirefoxMeta``.
enum FirefoxCategory: Int, CaseIterable {
    /// `none` is for synthetic frames; the viewer expects a grey category first.
    case none, own, system

    var document: Document {
        switch self {
        case .none: Document(name: "Other", color: "grey")
        case .own: Document(name: "Own code", color: "blue")
        case .system: Document(name: "System", color: "yellow")
        }
    }

    struct Document: Encodable {
        let name: String
        let color: String
        var subcategories = ["Other"]
    }
}

struct FirefoxMeta: Encodable {
    /// The version of Firefox's own format, which is required but otherwise unused.
    private var version = 36
    /// The version of the processed format that is written; the viewer upgrades older ones.
    private var preprocessedProfileVersion = 70
    private var interval = 1
    private let startTime: Double
    private let profilingStartTime: Double
    private let profilingEndTime: Double
    private var processType = 0
    private var product = "fetchbench"
    private var importedFrom = "fetchbench explain"
    private var stackwalk = 1
    private var symbolicated = true
    private var usesOnlyOneStackType = true
    private var sourceCodeIsNotOnSearchfox = true
    private var initialVisibleThreads = [0]
    private var initialSelectedThreads = [0]
    private let arguments: String
    private var categories = FirefoxCategory.allCases.map(\.document)
    private var markerSchema = MarkerSchema.all
    private let extra: [Section]

    init(_ profile: HolderProfile, _ timeline: ProfileTimeline) {
        startTime = (timeline.startedAt ?? 0) * 1000
        profilingStartTime = FirefoxTime.milliseconds(timeline.startNanoseconds)
        // The viewer's ranges exclude their end.
        profilingEndTime = FirefoxTime.milliseconds(timeline.endNanoseconds) + Double(interval)
        arguments = profile.subject
        extra = [
            Section(
                label: "Explanation",
                entries: ProfileFacts(profile).all.map { Entry(label: $0.label, value: $0.value) })
        ]
    }

    private struct Section: Encodable {
        let label: String
        let entries: [Entry]
    }

    private struct Entry: Encodable {
        let label: String
        var format = "string"
        let value: String
    }

    private struct MarkerSchema: Encodable {
        let name: String
        let label: String
        let fields: [Field]

        struct Field: Encodable {
            let key, label, format: String
        }

        static let all = [
            MarkerSchema(
                name: "Phase", label: "{marker.data.name}",
                fields: [Field(key: "name", label: "Phase", format: "string")]),
            MarkerSchema(
                name: "Peak", label: "peak", fields: [Field(key: "bytes", label: "Kernel's figure", format: "bytes")]),
        ]

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(name, forKey: .name)
            for key in [Key.tooltipLabel, .tableLabel, .chartLabel] { try container.encode(label, forKey: key) }
            try container.encode(
                ["marker-chart", "marker-table", "timeline-overview", "timeline-memory"], forKey: .display)
            try container.encode(fields, forKey: .fields)
        }

        enum Key: String, CodingKey {
            case name, tooltipLabel, tableLabel, chartLabel, display, fields
        }
    }
}
