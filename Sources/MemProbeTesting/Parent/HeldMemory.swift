// SPDX-License-Identifier: Apache-2.0

import MemProbe
import Texts

/// The memory of a running child.
package struct HeldMemory: Hashable, Sendable {
    package var resident: ByteCount
    /// The peak since the test began, or of the whole process if it has not begun.
    package var peak: ByteCount
}

extension HeldMemory {
    /// Reads a process; `nil` if it has ended or cannot be read.
    init?(of process: Int32) {
        guard var probe = try? ProcessProbe(.pid(process)), let resident = try? probe.resident().resident,
            let peak = try? probe.peakSinceReset().resident
        else { return nil }
        self.init(resident: resident, peak: peak)
    }

    var words: String {
        "it held \(ByteText.fixed(resident.mebibytes, places: 2)) MiB then, its peak was "
            + "\(ByteText.fixed(peak.mebibytes, places: 2)) MiB"
    }
}
