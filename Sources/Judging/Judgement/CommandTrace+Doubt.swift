// SPDX-License-Identifier: Apache-2.0

package import MemProbe
import Texts

extension CommandTrace {
    /// Returns the warning about processes that may share their parent's memory.
    package static func doubt(of undecided: ByteCount) -> String {
        "could not determine whether some processes share their parent's memory: they are not counted, and up to "
            + "\(ByteText.mebibytes(undecided)) may be missing (the kernel refuses kcmp; in a container allow SYS_PTRACE)"
    }
}
