// SPDX-License-Identifier: Apache-2.0

/// Which scenario a trial plays, in which variant and how often: `repeat`, `repeat:1000`, `repeat:keep-64:1000`.
public struct ScenarioChoice: Hashable, Sendable {
    /// The name of the scenario; ``none`` has an empty variant and no count.
    public var name: String
    /// The word of a variant, or `nil` for the scenario as it is meant.
    public var variant: String?
    /// How often something is done, or `nil` for as often as the scenario does it by itself.
    public var count: Int?

    /// One fetch, and no scenario.
    public static let none = ScenarioChoice(name: "none")

    /// The most that can be asked for.
    public static let mostCount = 1_000_000

    /// Creates a choice.
    public init(name: String, variant: String? = nil, count: Int? = nil) {
        self.name = name
        self.variant = variant
        self.count = count
    }

    /// Reads a choice as it is typed; `nil` where the text is none.
    ///
    /// A name, then a variant, then a number, each behind a colon; variant and number may be left out.
    public init?(_ text: String) {
        var words = text.split(separator: ":", omittingEmptySubsequences: false)
        guard !words.isEmpty, words.count <= 3, words.allSatisfy(Self.isWord) else { return nil }
        name = String(words.removeFirst())
        if let last = words.last, last.allSatisfy(\.isNumber) {
            guard let count = Int(last), (1...Self.mostCount).contains(count) else { return nil }
            self.count = count
            words.removeLast()
        }
        guard words.count <= 1, self.name.first?.isLetter == true else { return nil }
        variant = words.first.map(String.init)
    }

    /// The choice as it is typed.
    public var text: String {
        ([name] + (variant.map { [$0] } ?? []) + (count.map { [String($0)] } ?? [])).joined(separator: ":")
    }

    private static func isWord(_ word: Substring) -> Bool {
        !word.isEmpty && word.allSatisfy { $0.isASCII && ($0.isLowercase || $0.isNumber || $0 == "-") }
    }
}

extension ScenarioChoice: Codable {
    /// Decodes the text of a choice.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let choice = ScenarioChoice(text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "'\(text)' is no scenario")
        }
        self = choice
    }

    /// Encodes the choice as its text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
