// SPDX-License-Identifier: Apache-2.0

package import MemProbe

/// Memory that trials hold on purpose, to show that a check sees it; none in every real run.
package struct PlantedBallast: Hashable, Sendable {
    /// The word that stands for the start of a process in place of a mode.
    static let start = "start"

    /// Held from the fetch on, in every mode.
    private var everywhere = ByteCount.zero
    /// Held from the fetch on, by mode.
    private var modes: [String: ByteCount] = [:]
    /// Held from before the warm-up on.
    package private(set) var atStart = ByteCount.zero

    /// Creates none.
    package init() {}

    /// Reads `1MiB`, `download=256KiB` or `start=1MiB`, or returns `nil` where a text is none of these.
    package init?(parsing texts: [String]) {
        for text in texts {
            let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
            guard let last = parts.last, let size = ByteCount(parsing: last) else { return nil }
            switch parts.count {
            case 1: everywhere = size
            case _ where parts[0] == Self.start: atStart = size
            default: modes[parts[0]] = size
            }
        }
    }

    /// What the fetch of a mode holds.
    func size(in mode: String) -> ByteCount {
        modes[mode] ?? everywhere
    }
}
