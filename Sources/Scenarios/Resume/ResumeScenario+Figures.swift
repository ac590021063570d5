// SPDX-License-Identifier: Apache-2.0

package import TrialKit

extension ResumeScenario {
    package var question: String? { "which bytes are fetched twice after an interrupted download?" }

    package var figures: [FigureDeclaration] {
        [
            FigureDeclaration(
                "refetched_bytes", short: "refetched", .bytes,
                "resume: bytes that the killed process had read and the next one fetched again",
                heading: "fetched twice, B", style: .count, decides: DecidingStep(65_536, visible: 1_048_576)),
            FigureDeclaration(
                "refetched_ratio", short: "refetched_share", .ratio, "resume: refetched_bytes ÷ size",
                heading: "of the body", style: .percent),
            FigureDeclaration(
                "cut_received_bytes", short: "cut_received", .bytes,
                "resume: bytes of the body that the first process had read from its connection when it was cut",
                better: .neither, heading: "had arrived, B", style: .count),
            FigureDeclaration(
                "cut_kept_bytes", short: "cut_kept", .bytes,
                "resume: bytes of the body that were on disk when it was cut", better: .neither, heading: "on disk, B",
                style: .count),
            FigureDeclaration(
                "cut_underway_bytes", short: "cut_underway", .bytes,
                "resume: bytes of the body that the origin sent and the first process did not live to read",
                better: .neither, heading: "under way, B", style: .count),
            .requests(),
            FigureDeclaration(
                "paused_held_bytes", short: "paused", .bytes,
                "resume:pause: resident memory that a paused download holds", heading: "held in a pause", style: .growth
            ),
        ]
    }

    package var legend: [String] {
        [
            "The growth is that of the process that continues; the previous one was killed while its body arrived. *Fetched",
            "twice*: bytes that it had read from its connection (sent by the origin and no longer in its socket) and that the",
            "next process fetched again; a pause has no bytes in transit. *changed* and *no-ranges* have to fetch the whole body",
            "again. URLSession has no resume data on Linux: `stream` requests the rest itself, as the other modes do. The trace",
            "of each trial has the position of the cut.",
        ]
    }

    /// The bytes that a process may have read and not written yet: one piece of a body.
    private static let onePiece = 64.0 * 1024

    /// Returns whether a download continued where it ended.
    static func conclusion(refetched byteCount: Double, as variant: Variant?) -> String {
        guard byteCount > onePiece else { return "goes on where it ended" }
        let cannot = variant == .changed || variant == .noRanges
        return cannot ? "fetches all of it again, as it has to" : "refetches received bytes"
    }
}
