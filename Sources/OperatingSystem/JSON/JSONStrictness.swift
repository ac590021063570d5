// SPDX-License-Identifier: Apache-2.0

/// Rejects `null` and duplicate keys, which JSON allows: of two equal keys, readers may take either.
struct JSONStrictness {
    let source: JSONSource

    /// Throws a `DecodingError` with the path of the first violation.
    func check() throws {
        for index in source.parts.indices {
            switch source.parts[index].kind {
            case .null: throw fault(at: index, "null is not allowed; omit the key")
            case .object: try checkKeys(of: index)
            default: continue
            }
        }
    }

    private func checkKeys(of object: Int) throws {
        var seen: Set<String> = []
        var index = object + 1
        while index < source.parts[object].next {
            guard let key = source.string(at: index), seen.insert(key).inserted else {
                throw fault(at: index + 1, "duplicate key")
            }
            index = source.parts[index + 1].next
        }
    }

    private func fault(at index: Int, _ words: String) -> DecodingError {
        .dataCorrupted(DecodingError.Context(codingPath: source.path(to: index), debugDescription: words))
    }
}
