// SPDX-License-Identifier: Apache-2.0

/// Numbers as they are typed: without a fraction where there is none.
enum CompactNumber {
    static func text(_ number: Double) -> String {
        Int(exactly: number).map(String.init) ?? "\(number)"
    }
}
