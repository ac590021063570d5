// SPDX-License-Identifier: Apache-2.0

/// The process whose memory is read.
public enum ProcessTarget: Hashable, Sendable {
    /// The calling process.
    case current
    /// The process with this identifier, as this process's `/proc` numbers it.
    case pid(Int32)

    func folder(in procRoot: String) -> String {
        switch self {
        case .current: "\(procRoot)/self"
        case .pid(let identifier): "\(procRoot)/\(identifier)"
        }
    }
}
