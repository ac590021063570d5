// SPDX-License-Identifier: Apache-2.0

import Foundation
import MemProbeTesting
import Testing

/// What is known of an argument in every process alike.
struct ArgumentTextTests {
    private struct Plain {
        var name: String
        var inner: Set<Int>
    }

    private final class Object {}

    @Test func theOrderOfASetDoesNotMatter() {
        var first = Set<Int>(minimumCapacity: 1)
        var second = Set<Int>(minimumCapacity: 512)
        for number in 0..<100 { first.insert(number) }
        for number in (0..<100).reversed() { second.insert(number) }
        #expect(Array(first) != Array(second), "they are in another order")
        #expect(ArgumentText.text(of: first) == ArgumentText.text(of: second))
        #expect(
            ArgumentText.text(of: Plain(name: "a", inner: first))
                == ArgumentText.text(of: Plain(name: "a", inner: second)))
    }

    @Test func differentValuesHaveDifferentTexts() {
        let values: [Any] = [
            1, 2, "a", "b", [1, 2], [2, 1], (1, "a"), Plain(name: "a", inner: []), Plain(name: "b", inner: []),
            Data([1]), Data([2]), Int?.some(7) as Any, ["a": 1], ["a": 2], Date(timeIntervalSince1970: 0),
        ]
        #expect(Set(values.map { ArgumentText.text(of: $0) }).count == values.count)
    }

    @Test func anObjectIsKnownByItsTypeNotByItsAddress() {
        #expect(ArgumentText.text(of: Object()) == ArgumentText.text(of: Object()))
        #expect(
            ArgumentText.text(of: Data(repeating: 1, count: 1000))
                == ArgumentText.text(of: Data(repeating: 1, count: 1000)))
    }
}
