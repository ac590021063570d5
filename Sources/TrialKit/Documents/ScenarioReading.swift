// SPDX-License-Identifier: Apache-2.0

/// What a scenario came to, as its player answers: figures, series and the trace that it followed.
public struct ScenarioReading: Codable, Hashable, Sendable {
    /// Its figures by the names of metrics, which carry the unit as suffix.
    public var figures: [String: Double]
    /// Its series of readings by name, each in the order of time.
    public var series: [String: [Int]]
    /// What was drawn from the seed and followed, an event a line; empty where nothing was.
    public var trace: [String]
    /// What a reader of the figures has to know of this trial, a sentence a line.
    public var remarks: [String]
    /// The body that was fetched again and again, always the same; `nil` where there are many.
    public var body: BodyReading?

    /// Creates a reading.
    public init(
        figures: [String: Double] = [:], series: [String: [Int]] = [:], trace: [String] = [], remarks: [String] = [],
        body: BodyReading? = nil
    ) {
        self.figures = figures
        self.series = series
        self.trace = trace
        self.remarks = remarks
        self.body = body
    }
}
