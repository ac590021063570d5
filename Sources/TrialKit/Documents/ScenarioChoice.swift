// SPDX-License-Identifier: Apache-2.0

/// A scenario with its variant and its count: `repeat`, `repeat:1000`, `repeat:keep-64:1000`.
public struct ScenarioChoice: Hashable, Sendable {
    /// The name of the scenario.
    public var name: String
    /// The name of the variant, or `nil` for the scenario itself.
    public var variant: String?
    /// The number of repetitions, or `nil` for the scenario's own.
    public var count: Int?

    /// A single fetch without a scenario.
    public static let none = ScenarioChoice(name: "none")

    /// The largest count.
    public static let mostCount = 1_000_000

    /// Creates a choice.
    public init(name: String, variant: String? = nil, count: Int? = nil) {
        (self.name, self.variant, self.count) = (name, variant, count)
    }

    /// Parses a name, a variant and a number with colons between them; variant and number are optional.
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

    /// The text form, which ``init(_:)`` parses.
    public var text: String {
        ([name] + (variant.map { [$0] } ?? []) + (count.map { [String($0)] } ?? [])).joined(separator: ":")
    }

    private static func isWord(_ word: Substring) -> Bool {
        !word.isEmpty && word.allSatisfy { $0.isASCII && ($0.isLowercase || $0.isNumber || $0 == "-") }
    }
}

extension ScenarioChoice: Codable {
    /// Decodes the text form.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let choice = ScenarioChoice(text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "invalid scenario '\(text)'")
        }
        self = choice
    }

    /// Encodes the text form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

/// One asset of a set.
public struct ScenarioAsset: Codable, Hashable, Sendable {
    /// Its name in the set.
    public var name: String
    /// Its URL.
    public var url: String
    /// Its media type.
    public var mediaType: String
    /// Its size in bytes.
    public var byteCount: Int
    /// Its SHA-256 in hexadecimal.
    public var sha256: String
    /// Its width in pixels; `nil` if it is not a picture.
    public var width: Int?
    /// Its height in pixels; `nil` if it is not a picture.
    public var height: Int?

    /// Creates an asset of a set.
    public init(
        name: String, url: String, mediaType: String, byteCount: Int, sha256: String, width: Int? = nil,
        height: Int? = nil
    ) {
        (self.name, self.url, self.mediaType) = (name, url, mediaType)
        (self.byteCount, self.sha256, self.width) = (byteCount, sha256, width)
        self.height = height
    }

    private enum CodingKeys: String, CodingKey {
        case name, url, sha256, width, height
        case mediaType = "media_type"
        case byteCount = "bytes"
    }
}
