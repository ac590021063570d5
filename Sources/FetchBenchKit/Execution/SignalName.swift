// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The names of signals.
enum SignalName {
    /// What a signal is called, in words: `Segmentation fault`.
    static func text(of signal: Int32) -> String {
        strsignal(signal).map { String(cString: $0) } ?? "unknown"
    }
}
