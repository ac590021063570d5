// SPDX-License-Identifier: Apache-2.0

/// A table of distinct values in the order of their first use, to which formats refer by number.
struct Numbered<Value: Hashable> {
    private(set) var values: [Value] = []
    private var places: [Value: Int] = [:]

    init(startingWith values: [Value] = []) {
        for value in values { _ = place(of: value) }
    }

    /// Returns the number of a value, from 0, adding it if it is new.
    mutating func place(of value: Value) -> Int {
        if let place = places[value] { return place }
        places[value] = values.count
        values.append(value)
        return values.count - 1
    }
}
