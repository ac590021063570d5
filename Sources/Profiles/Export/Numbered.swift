// SPDX-License-Identifier: Apache-2.0

/// Values in the order in which they were first asked for, each once: the tables that formats refer to by number.
struct Numbered<Value: Hashable> {
    private(set) var values: [Value] = []
    private var places: [Value: Int] = [:]

    init(startingWith values: [Value] = []) {
        for value in values { _ = place(of: value) }
    }

    /// The number of a value, from 0.
    mutating func place(of value: Value) -> Int {
        if let place = places[value] { return place }
        places[value] = values.count
        values.append(value)
        return values.count - 1
    }
}
