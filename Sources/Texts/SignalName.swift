// SPDX-License-Identifier: Apache-2.0

import Glibc

package enum SignalName {
    /// What a signal is called, in words: `Segmentation fault`.
    package static func text(of signal: Int32) -> String {
        strsignal(signal).map { String(cString: $0) } ?? "unknown"
    }
}
