// SPDX-License-Identifier: Apache-2.0

/// The requested method of finding the peaks of a command's processes.
public enum TraceMethod: Hashable, Sendable, CaseIterable {
    /// Exactly if the kernel lets this process trace its children, else by polling.
    case automatic
    /// Exactly or not at all.
    case exitStops
    /// By polling, even where more is possible.
    case polled
}
