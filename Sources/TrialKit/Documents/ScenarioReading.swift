// SPDX-License-Identifier: Apache-2.0

/// What a scenario came to, as its player answers: figures, series and the trace that it followed.
public struct ScenarioReading: Codable, Hashable, Sendable {
    /// Its figures by name: those that the scenario declares (``FigureDeclaration``), and what others are made of.
    public var figures: [String: Double]
    /// Its series of readings by name, each in the order of time.
    public var series: [String: [Int]]
    /// What was drawn from the seed and followed, an event a line; empty where nothing was.
    public var trace: [String]
    /// What a reader of the figures has to know of this trial, a sentence a line.
    public var remarks: [String]
    /// What this trial came to, in words, each by itself; a table has those that most trials share.
    public var conclusions: [String]
    /// The body that was fetched again and again, always the same; `nil` where there are many.
    public var body: BodyReading?
    /// Whether that body was fetched once, so that its copies in memory can be counted.
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

    /// Decodes a reading; what is left out is empty.
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
