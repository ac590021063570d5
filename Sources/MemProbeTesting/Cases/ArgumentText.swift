// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// A text for an argument of a test that is the same in every process if possible.
///
/// The order of sets and dictionaries differs in each process, so their elements are sorted.
package enum ArgumentText {
    /// The limits of nested values and of a collection's elements.
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

    /// Returns the value's test description, encoding or description, if it has one.
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

    /// Returns the type name of an object, which contains no address, or the printed form of a value.
    private static func plain(_ value: Any, _ mirror: Mirror) -> String {
        mirror.displayStyle == .class ? typeName(value) : String(describing: value)
    }

    private static func typeName(_ value: Any) -> String { String(reflecting: type(of: value)) }
}
