// SPDX-License-Identifier: Apache-2.0

import TrialKit

/// What a reader has to know of the conditions in a plan; nothing where they are the usual ones.
struct ConditionNotes: Sendable {
    /// One sentence a line, each with its end.
    let text: String

    init(_ plan: Plan) {
        let conditions = Set(plan.cases.map(\.conditions))
        var lines: [String] = []
        if conditions.contains(where: { $0.concurrency > 1 }) {
            lines += [
                "With several fetches at once, k counts all that was asked for. All sessions of URLSession share one",
                "serial queue of their process on Linux: what its concurrency shows is that queue.",
            ]
        }
        if conditions.contains(where: { $0.consumerDelayNanoseconds > 0 }) {
            lines.append("A slow consumer sleeps for each piece it gets; how large a piece is, each mode decides.")
        }
        if conditions.contains(where: { $0.scheme == .https }) {
            lines += [
                "Over TLS the origin's certificate was made for the run; the warm-up has loaded what TLS needs. URLSession",
                "cannot be told of an authority on Linux: libcurl beneath it is told, before the trial.",
            ]
        }
        text = lines.map { $0 + "\n" }.joined()
    }
}
