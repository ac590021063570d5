// SPDX-License-Identifier: Apache-2.0

import Foundation
public import MemProbe
public import Testing

/// The growth that an exit test measures of itself, for cases in which a trait does not fit.
///
/// <!-- snippet: exit-test -->
/// ```swift
/// let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
///     try await PeakReport.emit { _ = try await makeThumbnail() }
/// }
/// #expect(try PeakReport(result).growth < .mebibytes(24))
/// ```
public struct PeakReport: Codable, Hashable, Sendable {
    /// The start of the line that holds the report.
    private static let prefix = "memprobe-peak-report: "

    /// The measured growth.
    public let peak: PeakGrowth
    /// The peak above the start without the program pages loaded meanwhile, in bytes.
    public var growth: ByteCount { peak.growth }

    /// Runs `body` in the process of an exit test, and prints its growth as a line of standard output.
    ///
    /// - Parameters:
    ///   - isolation: the actor to run on; by default that of the caller.
    ///   - body: the operation to measure, by `MemoryPeak`.
    /// - Throws: the errors of `body`, or a `MemProbeError` if nothing can be measured.
    public static func emit(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Void
    ) async throws {
        let (_, peak) = try await MemoryPeak.measure(body)
        let line = try JSONEncoder().encode(PeakReport(peak: peak))
        // The test's own output may lack a final newline.
        FileHandle.standardOutput.write(Data("\n\(prefix)".utf8) + line + Data("\n".utf8))
    }

    init(peak: PeakGrowth) { self.peak = peak }

    /// Reads the report of a finished exit test.
    ///
    /// - Parameter result: the result of `#expect(processExitsWith:observing:)`, with standard output observed.
    /// - Throws: ``Missing`` if it contains no report.
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

    /// The error for output without a report.
    public struct Missing: Error, Hashable, Sendable, CustomStringConvertible {
        /// The reason in words.
        public let reason: String

        /// The reason as a message.
        public var description: String { "no peak report: \(reason)" }
    }
}
