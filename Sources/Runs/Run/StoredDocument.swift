// SPDX-License-Identifier: Apache-2.0

package import Foundation

package enum StoredDocument {
    private struct Version: Decodable {
        let schema: Int
    }

    /// Decodes a document.
    /// - Parameters:
    ///   - schema: The number that its `schema` must have; `nil` if it has none.
    ///   - remedy: What to do about another schema; `nil` for the same as about any mistake.
    ///   - refusal: Returns the error for a reason that it cannot be used.
    package static func decode<Value: Decodable>(
        _ type: Value.Type, from data: Data, schema: Int? = nil, remedy: String? = nil,
        refusal: (String) -> FetchBenchError
    ) throws -> Value {
        func decoded<Part: Decodable>(_ type: Part.Type) throws -> Part {
            do {
                return try JSONDecoder().value(type, in: data)
            } catch {
                throw refusal((error is DecodingError ? "" : "invalid JSON: ") + DocumentMistake(error).description)
            }
        }
        if let schema {
            let found = try decoded(Version.self).schema
            guard found == schema else {
                let error = refusal("it has schema \(found), and this version of fetchbench reads \(schema)")
                throw remedy.map(error.adding) ?? error
            }
        }
        return try decoded(type)
    }
}
