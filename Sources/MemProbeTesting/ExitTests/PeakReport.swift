// SPDX-License-Identifier: Apache-2.0

import Foundation
public import MemProbe
public import Testing

/// The growth that an exit test measured of itself, where a trait does not fit.
///
/// <!-- snippet: exit-test -->
/// ```swift
/// let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
///     try await PeakReport.emit { _ = try await makeThumbnail() }
/// }
/// #expect(try PeakReport(result).growth < .mebibytes(24))
/// ```
public struct PeakReport: Codable, Hashable, Sendable {
    /// What stands before the report in a line of its own.
    private static let prefix = "memprobe-peak-report: "

    /// What was measured.
    public let peak: PeakGrowth

    /// The peak over the start without the program pages that came in, in bytes.
    public var growth: ByteCount { peak.growth }

    /// Does something in the process of an exit test, measures it by `MemoryPeak`, and prints the report as a line of
    /// standard output.
    ///
    /// - Throws: what `body` throws, or a `MemProbeError` where nothing can be measured.
    public static func emit(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Void
    ) async throws {
        let (_, peak) = try await MemoryPeak.measure(body)
        let line = try JSONEncoder().encode(PeakReport(peak: peak))
        // What the test has printed may lack the end of its last line.
        FileHandle.standardOutput.write(Data("\n\(prefix)".utf8) + line + Data("\n".utf8))
    }

    init(peak: PeakGrowth) { self.peak = peak }

    /// Reads the report of an exit test that has ended.
    ///
    /// - Parameter result: what `#expect(processExitsWith:observing:)` gave, with standard output observed.
    /// - Throws: ``Missing`` where there is no report in it.
    public init(_ result: ExitTest.Result?) throws(Missing) {
        guard let result else { throw Missing(reason: "the exit test failed") }
        try self.init(parsing: result.standardOutputContent)
    }

    init(parsing output: [UInt8]) throws(Missing) {
        let lines = String(decoding: output, as: UTF8.self).split(separator: "\n")
        guard let line = lines.last(where: { $0.hasPrefix(Self.prefix) }) else {
            throw Missing(
                reason: output.isEmpty
                    ? "standard output is empty: was it observed (observing: [\\.standardOutputContent])?"
                    : "standard output holds no report: was PeakReport.emit called?")
        }
        guard let report = try? JSONDecoder().decode(Self.self, from: Data(line.dropFirst(Self.prefix.count).utf8))
        else {
            throw Missing(reason: "the report on standard output cannot be read")
        }
        self = report
    }

    /// Why there is no report.
    public struct Missing: Error, Hashable, Sendable, CustomStringConvertible {
        /// The reason in words.
        public let reason: String

        /// What is missing, and why.
        public var description: String { "no peak report: \(reason)" }
    }
}
