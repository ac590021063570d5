// SPDX-License-Identifier: Apache-2.0

/// The result of a scenario: figures, series and the trace that it followed.
public struct ScenarioReading: Codable, Hashable, Sendable {
    /// The figures by name: those that the scenario declares (``FigureDeclaration``), and the inputs of computed ones.
    public var figures: [String: Double]
    /// The series of readings by name, each in the order of time.
    public var series: [String: [Int]]
    /// The trace drawn from the seed, one event per line; empty for none.
    public var trace: [String]
    /// Remarks on the figures of this trial, one sentence each.
    public var remarks: [String]
    /// Conclusions of this trial; a table shows those that most trials share.
    public var conclusions: [String]
    /// The reading of the one body that was fetched repeatedly; `nil` for several bodies.
    public var body: BodyReading?
    /// True if that body was fetched once, so that its copies in memory can be counted.
    public var isOneFetch: Bool

    /// Creates a reading.
    public init(
        figures: [String: Double] = [:], series: [String: [Int]] = [:], trace: [String] = [], remarks: [String] = [],
        conclusions: [String] = [], body: BodyReading? = nil, isOneFetch: Bool = false
    ) {
        self.figures = figures
        self.series = series
        self.trace = trace
        self.remarks = remarks
        self.conclusions = conclusions
        self.body = body
        self.isOneFetch = isOneFetch
    }

    /// Decodes a reading; missing values are empty.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        figures = try container.decodeIfPresent([String: Double].self, forKey: .figures) ?? [:]
        series = try container.decodeIfPresent([String: [Int]].self, forKey: .series) ?? [:]
        trace = try container.decodeIfPresent([String].self, forKey: .trace) ?? []
        remarks = try container.decodeIfPresent([String].self, forKey: .remarks) ?? []
        conclusions = try container.decodeIfPresent([String].self, forKey: .conclusions) ?? []
        body = try container.decodeIfPresent(BodyReading.self, forKey: .body)
        isOneFetch = try container.decodeIfPresent(Bool.self, forKey: .isOneFetch) ?? false
    }

    private enum CodingKeys: String, CodingKey {
        case figures, series, trace, remarks, conclusions, body
        case isOneFetch = "one_fetch"
    }
}
