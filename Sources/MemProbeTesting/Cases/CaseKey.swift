// SPDX-License-Identifier: Apache-2.0

import Testing

/// Which case of a test is meant, in a form that another process finds again.
///
/// The testing library does not number the cases, and runs them beside one another, so that counting them would tell
/// different numbers in different processes. A case is known by its arguments. Cases that look alike are counted.
struct CaseKey: Codable, Hashable, Sendable {
    /// The arguments as text, in 64 bits; empty where there are none.
    var arguments: String
    /// How many cases of the same arguments came before it.
    var number: Int

    /// The arguments of a case in the form of keys.
    static func arguments(of testCase: Test.Case) -> String {
        guard let found = CaseArguments(in: testCase) else { return "" }
        return hash(found.values.map { ArgumentText.text(of: $0) }.joined(separator: ";") + "#\(found.discriminator)")
    }

    /// FNV-1a, which is the same everywhere; Swift's own hashes differ in each process.
    static func hash(_ text: String) -> String {
        let hash = text.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return String(hash, radix: 16)
    }
}

/// The arguments of a case, which the testing library shows to nobody but mirrors.
///
/// Where a later version of the library keeps them elsewhere none are found, and cases are told apart by their order.
private struct CaseArguments {
    let values: [Any]
    /// The library's own count of arguments that look alike.
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
