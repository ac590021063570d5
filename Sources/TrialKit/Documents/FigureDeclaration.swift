// SPDX-License-Identifier: Apache-2.0

/// A figure of a scenario, as the program declares it that measures it: a column, a word of budgets, and what is judged.
///
/// Where nothing else is said, the player answers it under its name in ``ScenarioReading/figures``; ``slopeOf``,
/// ``readingOf`` and ``quotient`` say what the harness makes it of instead, and at most one of them may be there.
public struct FigureDeclaration: Codable, Hashable, Sendable {
    /// The base units.
    public enum Unit: String, Codable, Hashable, Sendable, CaseIterable {
        /// Bytes: the name ends with `_bytes`.
        case bytes
        /// Nanoseconds: the name ends with `_ns`.
        case nanoseconds = "ns"
        /// A pure number: a count, or one thing ÷ another.
        case ratio
    }

    /// Which way a figure is better.
    public enum Direction: String, Codable, Hashable, Sendable, CaseIterable {
        /// The less, the better.
        case lower
        /// The more, the better.
        case higher
        /// It explains other figures, and is neither good nor bad.
        case neither
    }

    /// How a figure is written in a table.
    public enum Style: String, Codable, Hashable, Sendable, CaseIterable {
        /// Bytes, as MiB.
        case size
        /// Bytes over a mark, as MiB with a sign.
        case growth
        /// Bytes, as they are.
        case bytes
        /// Nanoseconds, as milliseconds.
        case milliseconds
        /// A share of one, as percent.
        case percent
        /// A number with two places.
        case ratio
        /// A whole number.
        case count
    }

    /// The word of the columns and of budgets, with its unit as suffix: small letters, digits and `_`.
    public var name: String
    /// A shorter word for budgets; the name where there is none.
    public var shortName: String
    /// The unit.
    public var unit: Unit
    /// Which way is better.
    public var better: Direction
    /// What it says, as a part of a sentence.
    public var summary: String
    /// The heading of its column in the scenario's table; `nil` where it has none there.
    public var heading: String?
    /// How it is written there; `nil` for what is usual for its unit.
    public var style: Style?
    /// From which change on it decides a check; `nil` where it explains and does not decide.
    public var decides: DecidingStep?
    /// When it makes a trial suspect; `nil` where no value does.
    public var suspect: SuspectLimit?
    /// The series whose growth a request it is: the Theil–Sen slope of ``ScenarioReading/series``, ÷ the figure
    /// `requests_each_reading` where that is answered.
    public var slopeOf: String?
    /// The reading of a series of resident sizes that it is, over the resident size at the mark after the warm-up.
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
        self.unit = unit
        self.better = better
        self.summary = summary
        self.heading = heading
        self.style = style
        self.decides = decides
        self.suspect = suspect
        self.slopeOf = slopeOf
        self.readingOf = readingOf
        self.quotient = quotient
    }

    /// Whether the harness makes it of a series or of other figures, so that nobody answers it.
    package var isMade: Bool { slopeOf != nil || readingOf != nil || quotient != nil }

    /// How many requests the scenario made: explains the others.
    public static func requests(heading: String = "requests", decides step: DecidingStep? = nil) -> FigureDeclaration {
        FigureDeclaration(
            "scenario_requests", short: "requests", .ratio, "how many requests a scenario made", better: .neither,
            heading: heading, style: .count, decides: step)
    }

    /// Decodes a declaration; what is left out is as the initialiser has it.
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
    /// One of some words; another one is refused with all of them.
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

/// From which change on a figure of a scenario counts, in the unit of the figure.
///
/// Such figures are no part of a whole: what a request leaves behind may be none, and one wrong picture is one too many.
public struct DecidingStep: Codable, Hashable, Sendable {
    /// The smallest change that counts.
    public var smallest: Double
    /// The change that the trials have to be able to see, or there is no answer.
    public var visible: Double

    /// Decodes a step; what it does not say of what has to be visible is the smallest that counts.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        smallest = try container.decode(Double.self, forKey: .smallest)
        visible = try container.decodeIfPresent(Double.self, forKey: .visible) ?? smallest
    }

    /// Creates a step.
    /// - Parameters:
    ///   - smallest: The smallest change that counts.
    ///   - visible: The change that the trials have to be able to see; `nil` for the smallest that counts.
    public init(_ smallest: Double, visible: Double? = nil) {
        self.smallest = smallest
        self.visible = visible ?? smallest
    }

    /// A whole one more.
    public static let one = DecidingStep(1)
}

/// Which values of a figure make a trial suspect, and what is said of it then; a trial without the figure is told, too.
public struct SuspectLimit: Codable, Hashable, Sendable {
    /// Values above it are suspect; `nil` where none is.
    public var above: Double?
    /// Values below it are suspect; `nil` where none is.
    public var below: Double?
    /// What is said of them, as a part of a sentence.
    public var words: String

    /// Creates a limit.
    public init(above: Double? = nil, below: Double? = nil, _ words: String) {
        self.above = above
        self.below = below
        self.words = words
    }
}

/// One reading of a series of resident sizes, by its place: a figure is that much more than at the mark.
public struct SeriesReading: Codable, Hashable, Sendable {
    /// The name of the series in ``ScenarioReading/series``.
    public var series: String
    /// Its place, from 0.
    public var index: Int

    /// Creates a reading.
    public init(_ series: String, at index: Int) {
        self.series = series
        self.index = index
    }
}

/// A figure that is made of others: (one − others) ÷ others.
///
/// Each word is the name of a figure that the player answers, the column of a metric that every trial has, such as
/// `peak_anonymous_growth_bytes`, or `asset_bytes`. Where one of them is not available, or the divisor is 0, the figure
/// is not available.
public struct FigureQuotient: Codable, Hashable, Sendable {
    /// What is divided.
    public var of: String
    /// What is taken off first.
    public var less: [String]
    /// What it is divided by, all of them multiplied; nothing for 1.
    public var by: [String]
    /// The smallest divisor by which the figure still says something.
    public var smallestDivisor: Double?

    /// Creates a quotient.
    public init(of: String, less: [String] = [], by: [String] = [], smallestDivisor: Double? = nil) {
        self.of = of
        self.less = less
        self.by = by
        self.smallestDivisor = smallestDivisor
    }

    /// Decodes a quotient; lists that are left out are empty.
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
