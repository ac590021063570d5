// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// What an argument of a test says of itself, the same in every process where that is possible.
///
/// Sets and dictionaries are in another order in each process, so that their elements are sorted here.
package enum ArgumentText {
    /// How deep values are looked into, and how many elements of a collection are.
    private static let deepest = 6
    private static let mostElements = 1000

    package static func text(of value: Any) -> String { text(of: value, depth: 0) }

    private static func text(of value: Any, depth: Int) -> String {
        let mirror = Mirror(reflecting: value)
        guard depth < deepest else { return typeName(value) }
        let elements = { mirror.children.prefix(mostElements).map { text(of: $0.value, depth: depth + 1) } }
        switch mirror.displayStyle {
        case .set, .dictionary: return "{\(elements().sorted().joined(separator: ","))}"
        case .tuple, .optional, .collection: return "[\(mirror.children.count):\(elements().joined(separator: ","))]"
        default: return words(of: value) ?? (mirror.children.isEmpty ? plain(value, mirror) : fields(mirror, depth))
        }
    }

    /// What the value is called, where its type gives it a name or can be written down.
    private static func words(of value: Any) -> String? {
        if let value = value as? any CustomTestStringConvertible { return value.testDescription }
        if let value = value as? any Encodable, let text = encoded(value) { return text }
        return (value as? any CustomStringConvertible)?.description
    }

    private static func encoded(_ value: any Encodable) -> String? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) }
    }

    private static func fields(_ mirror: Mirror, _ depth: Int) -> String {
        let fields = mirror.children.map { "\($0.label ?? "")=\(text(of: $0.value, depth: depth + 1))" }
        return "\(mirror.subjectType)(\(fields.joined(separator: ",")))"
    }

    /// The name of an object's type, which says nothing of its address, and else what a value is printed as.
    private static func plain(_ value: Any, _ mirror: Mirror) -> String {
        mirror.displayStyle == .class ? typeName(value) : String(describing: value)
    }

    private static func typeName(_ value: Any) -> String { String(reflecting: type(of: value)) }
}
