// SPDX-License-Identifier: Apache-2.0

/// A kind of URLSession session, by the place of its cookies and its cache.
public enum SessionKind: String, Hashable, Sendable, CaseIterable {
    /// An ephemeral configuration without a cache and without cookies.
    case bare
    /// Apple's ephemeral configuration: cache and cookies in memory.
    case ephemeral
    /// The default configuration: cache and cookies in the stores that sessions share.
    case `default`
    /// The session that the whole process shares, `URLSession.shared`.
    case shared

    /// True if tasks have a cache: URLSession can trap when one of them is cancelled.
    package var hasCache: Bool { self != .bare }

    /// The first version of the document between harness and trial with this kind.
    package var documentVersion: Int { self == .ephemeral || self == .shared ? 8 : 2 }
}

extension SessionKind: Codable {
    /// The word in documents.
    ///
    /// Stored runs and older programs call ``bare`` *ephemeral*; so that none of them is read as Apple's, that has
    /// another word.
    private var documentWord: String {
        switch self {
        case .bare: "ephemeral"
        case .ephemeral: "in-memory"
        case .default, .shared: rawValue
        }
    }

    /// Decodes the word of a document.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let word = try container.decode(String.self)
        guard let kind = Self.allCases.first(where: { $0.documentWord == word }) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "unknown kind of session")
        }
        self = kind
    }

    /// Encodes the word of a document.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(documentWord)
    }
}
