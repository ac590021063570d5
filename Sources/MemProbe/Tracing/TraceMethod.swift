// SPDX-License-Identifier: Apache-2.0

/// How the peaks of a command's processes shall be found.
public enum TraceMethod: Hashable, Sendable, CaseIterable {
    /// Exactly where the kernel lets this process trace its children, else by polling.
    case automatic
    /// Exactly or not at all.
    case exitStops
    /// By polling, even where more is possible.
    case polled
}
