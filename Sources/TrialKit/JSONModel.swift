// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Decodes the records of the origin's JSON documents and keeps them, as an application does with an API's answer.
///
/// The body is decoded where the fetch left it: bytes in memory without a copy, a file as a mapping, whose pages are
/// resident while they are read but never anonymous. Then it is dropped; strings and numbers of records are copies.
package struct JSONModel: RenderModel {
    package let name = "json"
    package let summary = """
        decodes a JSON asset with JSONDecoder (from memory, or from its file by mapping it) and keeps the Codable \
        records without the body
        """
    package let needsBody = true
    package let need = AssetNeed.json

    package init() {}

    package func makeRenderer(_ settings: RenderSettings) throws(RenderFailure) -> any Renderer {
        RecordDecoder()
    }

    private final class RecordDecoder: Renderer {
        private static let warmUpDocument = Array(
            #"[{"id":1,"title":"one of two","width":3,"height":2,"ratio":0.5,"tags":["a","b"]}]"#.utf8)

        func warmUp() throws(RenderFailure) {
            _ = try Self.records(in: Self.warmUpDocument)
        }

        func render(_ body: consuming FetchedBody) throws(RenderFailure) -> any RenderedImage {
            switch body.content {
            case .nothing: throw RenderFailure(.notRecords, "nothing was fetched")
            case .consumed: throw RenderFailure(.notRecords, "the body was consumed while it arrived")
            case .memory(let bytes): HeldRecords(try Self.records(in: bytes))
            case .file(let path): HeldRecords(try Self.records(in: try Self.mapped(path)))
            }
        }

        private static func mapped(_ path: String) throws(RenderFailure) -> Data {
            do {
                return try Data(contentsOf: URL(filePath: path), options: .alwaysMapped)
            } catch {
                // The error's own text has the path.
                throw RenderFailure(.system, "cannot map the body's file")
            }
        }

        private static func records(in bytes: any ContiguousBytes) throws(RenderFailure) -> [CatalogueRecord] {
            do {
                return try bytes.withUnsafeBytes { bytes in
                    // Modes return bytes of different types; none of them is copied.
                    let data = bytes.baseAddress.map { start in
                        Data(
                            bytesNoCopy: UnsafeMutableRawPointer(mutating: start), count: bytes.count,
                            deallocator: .none)
                    }
                    return try JSONDecoder().decode([CatalogueRecord].self, from: data ?? Data())
                }
            } catch {
                let words = (error as? DecodingError)?.words ?? "it is of another kind"
                throw RenderFailure(.notRecords, "the body cannot be decoded: \(words)")
            }
        }
    }

    private final class HeldRecords: RenderedImage {
        private let records: [CatalogueRecord]

        init(_ records: [CatalogueRecord]) { self.records = records }

        var decodedWidth: Int? { nil }
        var decodedHeight: Int? { nil }
        var bitmapByteCount: Int { 0 }
        var recordCount: Int? { records.count }
    }
}

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
