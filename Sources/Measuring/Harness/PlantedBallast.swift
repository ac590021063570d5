// SPDX-License-Identifier: Apache-2.0

package import MemProbe

/// Memory that trials hold on purpose, to prove that a check detects it; none in real runs.
package struct PlantedBallast: Hashable, Sendable {
    /// The word for the start of a process, in place of a mode.
    static let start = "start"

    private var everywhere = ByteCount.zero
    private var modes: [String: ByteCount] = [:]
    /// Held from before the warm-up.
    package private(set) var atStart = ByteCount.zero

    package init() {}

    /// Parses `1MiB`, `download=256KiB` or `start=1MiB`; `nil` for any other text.
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

    /// The size held from the fetch on in a mode.
    func size(in mode: String) -> ByteCount {
        modes[mode] ?? everywhere
    }
}
