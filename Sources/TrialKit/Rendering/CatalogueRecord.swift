// SPDX-License-Identifier: Apache-2.0

/// One record of the origin's JSON documents.
package struct CatalogueRecord: Codable, Hashable, Sendable {
    package var id: Int
    package var title: String
    package var width: Int
    package var height: Int
    package var ratio: Double
    package var tags: [String]
}

extension DecodingError {
    /// A description of the error without any content of the body.
    package var words: String {
        switch self {
        case .dataCorrupted: "not JSON"
        case .keyNotFound(let key, _): "a record has no '\(key.stringValue)'"
        case .typeMismatch(let type, _), .valueNotFound(let type, _): "a value is not a \(type)"
        @unknown default: "it is of another kind"
        }
    }
}
