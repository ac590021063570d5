// SPDX-License-Identifier: Apache-2.0

package import MemProbe

extension ExactnessProbe.Result {
    /// The text stored in runs: `exact`, `off by up to N KiB`, `unknown`.
    package var description: String {
        switch self {
        case .exact: "exact"
        case .off(let difference): "off by up to \((difference.rawValue + 1023) / 1024) KiB"
        case .unknown: "unknown"
        }
    }
}
