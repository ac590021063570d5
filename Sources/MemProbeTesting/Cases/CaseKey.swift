// SPDX-License-Identifier: Apache-2.0

import Testing

/// The identity of a test's case across processes.
///
/// The testing library does not number cases and runs them in parallel, so their order differs between processes. A
/// case is identified by its arguments, and by a number among those that look alike.
struct CaseKey: Codable, Hashable, Sendable {
    /// A hash of 64 bits of the arguments as text; empty if there are none.
    var arguments: String
    /// The number of earlier cases with the same arguments.
    var number: Int

    /// Returns the hash of a case's arguments.
    static func arguments(of testCase: Test.Case) -> String {
        guard let found = CaseArguments(in: testCase) else { return "" }
        return hash(found.values.map { ArgumentText.text(of: $0) }.joined(separator: ";") + "#\(found.discriminator)")
    }

    /// Returns the FNV-1a hash; unlike Swift's own hashes it is the same in each process.
    static func hash(_ text: String) -> String {
        let hash = text.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return String(hash, radix: 16)
    }
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
