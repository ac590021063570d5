// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A JSON document with one value replaced.
enum MutatedJSON {
    private struct NoSuchPlace: Error {
        let path: String
    }

    /// The text of a document.
    /// - Parameters:
    ///   - path: where the value is: keys and indices with dots between them.
    ///   - value: the text of the new one; empty to remove it.
    static func text(of document: Data, setting path: String, to value: String) throws -> String {
        let whole = try JSONSerialization.jsonObject(with: document)
        // The value stands for itself until it is text: not every number that can be written can be held.
        let mark = "HERE-IT-IS"
        let changed = try replaced(whole, path.split(separator: ".").map(String.init), by: value.isEmpty ? nil : mark)
        let text = try JSONSerialization.data(withJSONObject: changed, options: [.sortedKeys])
        return String(decoding: text, as: UTF8.self).replacing("\"\(mark)\"", with: value)
    }

    private static func replaced(_ whole: Any, _ path: [String], by value: Any?) throws -> Any {
        guard let key = path.first else { return value ?? NSNull() }
        let rest = Array(path.dropFirst())
        if var object = whole as? [String: Any] {
            object[key] = rest.isEmpty ? value : try replaced(object[key] ?? [String: Any](), rest, by: value)
            return object
        }
        guard var list = whole as? [Any], let index = Int(key), list.indices.contains(index) else {
            throw NoSuchPlace(path: key)
        }
        if rest.isEmpty, value == nil {
            list.remove(at: index)
        } else {
            list[index] = try replaced(list[index], rest, by: value)
        }
        return list
    }
}
