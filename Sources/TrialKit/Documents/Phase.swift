// SPDX-License-Identifier: Apache-2.0

/// A named part of a trial, in the order of the cases.
public enum Phase: String, Codable, Hashable, Sendable, CaseIterable {
    /// The fetcher and the renderer are made.
    case idle
    /// The mode fetches 1 KiB, so that libraries, thread pools and connections exist.
    case warmup
    /// The measured fetch.
    case fetch
    /// The body is held and verified.
    case hold
    /// The body is rendered and the picture held.
    case render
    /// Everything is released.
    case release

    /// The phases with their own columns.
    public static let measured: [Phase] = [.fetch, .hold, .render, .release]

    /// The phases whose highest peak is the peak of the trial.
    public static let peaking: [Phase] = [.fetch, .hold, .render]
}
