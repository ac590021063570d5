// SPDX-License-Identifier: Apache-2.0

import Glibc

package enum SignalName {
    /// Returns the description of a signal: `Segmentation fault`.
    package static func text(of signal: Int32) -> String {
        strsignal(signal).map { String(cString: $0) } ?? "unknown"
    }
}
