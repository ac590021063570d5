// SPDX-License-Identifier: Apache-2.0

/// Code that reads bytes which others wrote, and what has to hold of it whatever they are.
struct FuzzTarget: Sendable {
    /// The word on the command line, and the name of its folders of seeds and findings.
    let name: String
    /// The texts that are mutated, for lists.
    let summary: String
    /// Whether its documents are words of 64 bits, not text.
    var isBinary = false
    /// After how many inputs one is drawn in every format, too, which takes milliseconds.
    var drawingInterval = 64
    /// Reads the bytes, and throws what it likes where it refuses them; it never traps, hangs or throws ``BrokenPromise``.
    let read: @Sendable (_ bytes: [UInt8], _ draws: Bool) throws -> Void

    /// All targets, in the order of lists.
    static let all: [FuzzTarget] =
        [reports, descriptions, costs] + storedRuns + storedConclusions + [suites, budgets, words, headers]
        + [processFiles, recordings, answers, requests]

    /// The target of a name, or `nil`.
    static func named(_ name: String) -> FuzzTarget? {
        all.first { $0.name == name }
    }
}

/// Something that was read without an error and is not what it should be.
struct BrokenPromise: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Throws where a promise is broken.
func promise(_ holds: Bool, _ description: @autoclosure () -> String) throws(BrokenPromise) {
    guard holds else { throw BrokenPromise(description()) }
}
