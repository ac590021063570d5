// SPDX-License-Identifier: Apache-2.0

import MemProbe
import Texts

/// Judges the peaks of fresh processes against a limit.
struct PeakVerdict: Hashable, Sendable {
    /// The number of processes that have to exceed the limit for a failure.
    static let processes = 3

    let limit: ByteCount
    /// The limit as written, if it is a formula.
    var formula: String?
    /// The growth of each process, in order.
    let growths: [PeakGrowth]

    /// Returns the message of a failure: growth, limit, margin, spread.
    func words(_ circumstances: Circumstances) -> String {
        let sizes = growths.map(\.growth)
        let least = sizes.min() ?? .zero
        let bound = growths.map(\.peak.errorBound).max() ?? .zero
        let pages = growths.compactMap(\.programPages).max()
        return """
            peak memory grew by \(Self.text(least)), limit \(Self.text(limit))\(formula.map { " (\($0))" } ?? ""): \
            \(Self.text(least - limit)) too much. \
            \(sizes.count) fresh processes: \(sizes.map { ByteText.fixed($0.mebibytes, places: 2) }.joined(separator: ", ")) MiB \
            (each ± \(Self.text(bound))\(pages.map { "; up to \(Self.text($0)) of program pages are not counted" } ?? "")). \
            \(circumstances.words)
            """
    }

    private static func text(_ count: ByteCount) -> String { ByteText.fixed(count.mebibytes, places: 2) + " MiB" }
}
