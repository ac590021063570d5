// SPDX-License-Identifier: Apache-2.0

package import MemProbe
import Support

extension CommandTrace {
    /// What is said where nothing told whose memory some processes used.
    package static func doubt(of undecided: ByteCount) -> String {
        "of some processes nothing told whether they used their parent's memory: they are in no figure, and may have "
            + "held \(ByteText.mebibytes(undecided)) more (the kernel refuses kcmp; in a container allow SYS_PTRACE)"
    }
}
