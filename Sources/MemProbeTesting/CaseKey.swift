// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing

/// The identity of a test's case across processes.
///
/// The testing library does not number cases and runs them in parallel, so their order differs between processes. A
/// case is identified by its arguments, and by a number among those that look alike.
struct CaseKey: Codable, Hashable, Sendable {
    /// A hash of 64 bits of the arguments as text; empty if there are none.
    var arguments: String
    var number: Int

    static func arguments(of testCase: Test.Case) -> String {
        guard let found = CaseArguments(in: testCase) else { return "" }
        return hash(found.values.map { ArgumentText.text(of: $0) }.joined(separator: ";") + "#\(found.discriminator)")
    }

    /// Returns the FNV-1a hash; unlike Swift's own hashes it is the same in each process.
    static func hash(_ text: String) -> String {
        let hash = text.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return String(hash, radix: 16)
    }

    /// The arguments of a case, which the testing library exposes only to mirrors.
    ///
    /// If a later version of the library stores them elsewhere, none are found, and cases are identified by their order.
    private struct CaseArguments {
        let values: [Any]
        /// The library's own number among arguments that look alike.
        let discriminator: String

        init?(in value: Any, depth: Int = 0) {
            let children = Mirror(reflecting: value).children
            if let list = children.first(where: { $0.label == "arguments" }) {
                values = Mirror(reflecting: list.value).children.map { argument in
                    Mirror(reflecting: argument.value).children.first { $0.label == "value" }?.value ?? argument.value
                }
                discriminator = children.first { $0.label == "discriminator" }.map { "\($0.value)" } ?? ""
                return
            }
            guard depth < 3 else { return nil }
            for child in children {
                guard let found = CaseArguments(in: child.value, depth: depth + 1) else { continue }
                self = found
                return
            }
            return nil
        }
    }

    /// Numbers the cases of one test that look alike, from 0 in each run of the test.
    final class CaseCounts: Sendable {
        @TaskLocal private static var current: CaseCounts?

        private let counts = Mutex<[String: Int]>([:])

        /// Runs `body` with the numbers reset.
        static func counting(_ body: () async throws -> Void) async throws {
            try await $current.withValue(CaseCounts()) { try await body() }
        }

        static func key(of testCase: Test.Case) -> CaseKey {
            let arguments = CaseKey.arguments(of: testCase)
            return CaseKey(arguments: arguments, number: current?.next(arguments) ?? 0)
        }

        private func next(_ arguments: String) -> Int {
            counts.withLock { counts in
                defer { counts[arguments, default: 0] += 1 }
                return counts[arguments, default: 0]
            }
        }
    }
}

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
