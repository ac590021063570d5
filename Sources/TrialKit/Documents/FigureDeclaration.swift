// SPDX-License-Identifier: Apache-2.0

/// A figure of a scenario, declared by the program that measures it: its column, its name in budgets, and its verdict.
///
/// By default the player reports it by its name in ``ScenarioReading/figures``. At most one of ``slopeOf``,
/// ``readingOf`` and ``quotient`` makes the harness compute it instead.
public struct FigureDeclaration: Codable, Hashable, Sendable {
    /// A base unit.
    public enum Unit: String, Codable, Hashable, Sendable, CaseIterable {
        /// Bytes; the name ends with `_bytes`.
        case bytes
        /// Nanoseconds; the name ends with `_ns`.
        case nanoseconds = "ns"
        /// A number: a count or a quotient.
        case ratio
    }

    /// The direction in which a figure is better.
    public enum Direction: String, Codable, Hashable, Sendable, CaseIterable {
        /// Lower is better.
        case lower
        /// Higher is better.
        case higher
        /// Neither: it explains other figures.
        case neither
    }

    /// The format of a figure in a table.
    public enum Style: String, Codable, Hashable, Sendable, CaseIterable {
        /// Bytes, as MiB.
        case size
        /// Bytes over a mark, as signed MiB.
        case growth
        /// Bytes as an integer.
        case bytes
        /// Milliseconds.
        case milliseconds
        /// A percentage.
        case percent
        /// A number with two decimals.
        case ratio
        /// An integer.
        case count
    }

    /// The name in columns and budgets, with the unit as suffix: lower-case letters, digits and `_`.
    public var name: String
    /// A shorter name for budgets; by default ``name``.
    public var shortName: String
    /// The unit.
    public var unit: Unit
    /// The direction in which it is better.
    public var better: Direction
    /// A description that fits into a sentence.
    public var summary: String
    /// The heading of its column in the scenario's table; `nil` for no column.
    public var heading: String?
    /// The format in that table; `nil` for the default of the unit.
    public var style: Style?
    /// The change from which it decides a check; `nil` if it never does.
    public var decides: DecidingStep?
    /// The values that make a trial suspect; `nil` for none.
    public var suspect: SuspectLimit?
    /// The name of a ``ScenarioReading/series``, whose growth per request the figure is: its Theil–Sen slope, divided
    /// by the figure `requests_each_reading` if that is reported.
    public var slopeOf: String?
    /// The reading of resident sizes that it is, minus the resident size at the mark after the warm-up.
    public var readingOf: SeriesReading?
    /// The quotient that it is.
    public var quotient: FigureQuotient?

    /// Declares a figure.
    public init(
        _ name: String, short: String? = nil, _ unit: Unit, _ summary: String, better: Direction = .lower,
        heading: String? = nil, style: Style? = nil, decides: DecidingStep? = nil, suspect: SuspectLimit? = nil,
        slopeOf: String? = nil, readingOf: SeriesReading? = nil, quotient: FigureQuotient? = nil
    ) {
        self.name = name
        shortName = short ?? name
        (self.unit, self.better, self.summary, self.heading) = (unit, better, summary, heading)
        (self.style, self.decides, self.suspect) = (style, decides, suspect)
        (self.slopeOf, self.readingOf, self.quotient) = (slopeOf, readingOf, quotient)
    }

    /// True if the harness computes it from a series or from other figures.
    package var isMade: Bool { slopeOf != nil || readingOf != nil || quotient != nil }

    /// The number of requests of a scenario, which explains other figures.
    public static func requests(heading: String = "requests", decides step: DecidingStep? = nil) -> FigureDeclaration {
        FigureDeclaration(
            "scenario_requests", short: "requests", .ratio, "how many requests a scenario made", better: .neither,
            heading: heading, style: .count, decides: step)
    }

    /// Decodes a declaration; missing values have the initialiser's defaults.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = try container.decode(String.self, forKey: .name)
        shortName = try container.decodeIfPresent(String.self, forKey: .shortName) ?? name
        unit = try container.word(Unit.self, forKey: .unit)
        better = container.contains(.better) ? try container.word(Direction.self, forKey: .better) : .lower
        summary = try container.decode(String.self, forKey: .summary)
        heading = try container.decodeIfPresent(String.self, forKey: .heading)
        style = container.contains(.style) ? try container.word(Style.self, forKey: .style) : nil
        decides = try container.decodeIfPresent(DecidingStep.self, forKey: .decides)
        suspect = try container.decodeIfPresent(SuspectLimit.self, forKey: .suspect)
        slopeOf = try container.decodeIfPresent(String.self, forKey: .slopeOf)
        readingOf = try container.decodeIfPresent(SeriesReading.self, forKey: .readingOf)
        quotient = try container.decodeIfPresent(FigureQuotient.self, forKey: .quotient)
    }

    private enum CodingKeys: String, CodingKey {
        case name, unit, better, summary, heading, style, decides, suspect, quotient
        case shortName = "short"
        case slopeOf = "slope_of"
        case readingOf = "reading_of"
    }
}

extension KeyedDecodingContainer {
    /// Decodes a raw value; the error for an unknown one lists all.
    fileprivate func word<Word: RawRepresentable<String> & CaseIterable>(
        _ type: Word.Type, forKey key: Key
    ) throws -> Word {
        let text = try decode(String.self, forKey: key)
        guard let word = Word(rawValue: text) else {
            let choices = Word.allCases.map(\.rawValue).joined(separator: ", ")
            throw DecodingError.dataCorruptedError(
                forKey: key, in: self, debugDescription: "'\(text)' is none of \(choices)")
        }
        return word
    }
}

/// The change from which a scenario's figure counts, in the unit of the figure.
///
/// It is absolute, because these figures can be 0, and one wrong picture is one too many.
public struct DecidingStep: Codable, Hashable, Sendable {
    /// The smallest change that counts.
    public var smallest: Double
    /// The change that the trials have to be able to detect for a verdict.
    public var visible: Double

    /// Decodes a step; `visible` is `smallest` by default.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        smallest = try container.decode(Double.self, forKey: .smallest)
        visible = try container.decodeIfPresent(Double.self, forKey: .visible) ?? smallest
    }

    /// Creates a step.
    /// - Parameters:
    ///   - smallest: The smallest change that counts.
    ///   - visible: The change that the trials have to be able to detect; `nil` for `smallest`.
    public init(_ smallest: Double, visible: Double? = nil) {
        self.smallest = smallest
        self.visible = visible ?? smallest
    }

    /// A step of 1.
    public static let one = DecidingStep(1)
}

/// The values of a figure that make a trial suspect, with their description; a missing figure is reported as well.
public struct SuspectLimit: Codable, Hashable, Sendable {
    /// The highest value that is not suspect; `nil` for no limit.
    public var above: Double?
    /// The lowest value that is not suspect; `nil` for no limit.
    public var below: Double?
    /// A description that fits into a sentence.
    public var words: String

    /// Creates a limit.
    public init(above: Double? = nil, below: Double? = nil, _ words: String) {
        (self.above, self.below, self.words) = (above, below, words)
    }
}

/// A reading of a series of resident sizes; the figure is its growth since the mark.
public struct SeriesReading: Codable, Hashable, Sendable {
    /// The name of the series in ``ScenarioReading/series``.
    public var series: String
    /// The index of the reading.
    public var index: Int

    /// Creates a reading.
    public init(_ series: String, at index: Int) {
        (self.series, self.index) = (series, index)
    }
}

/// A figure computed from others: (`of` − `less`) ÷ `by`.
///
/// Each name is that of a figure that the player reports, the column of a metric of every trial, such as
/// `peak_anonymous_growth_bytes`, or `asset_bytes`. Without one of them, or if the divisor is 0, the figure is not
/// available.
public struct FigureQuotient: Codable, Hashable, Sendable {
    /// The dividend.
    public var of: String
    /// The figures subtracted from it.
    public var less: [String]
    /// The divisors, which are multiplied; empty for 1.
    public var by: [String]
    /// The smallest divisor for which the figure is meaningful.
    public var smallestDivisor: Double?

    /// Creates a quotient.
    public init(of: String, less: [String] = [], by: [String] = [], smallestDivisor: Double? = nil) {
        (self.of, self.less, self.by, self.smallestDivisor) = (of, less, by, smallestDivisor)
    }

    /// Decodes a quotient; missing lists are empty.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        of = try container.decode(String.self, forKey: .of)
        less = try container.decodeIfPresent([String].self, forKey: .less) ?? []
        by = try container.decodeIfPresent([String].self, forKey: .by) ?? []
        smallestDivisor = try container.decodeIfPresent(Double.self, forKey: .smallestDivisor)
    }

    private enum CodingKeys: String, CodingKey {
        case of, less, by
        case smallestDivisor = "smallest_divisor"
    }
}
