// SPDX-License-Identifier: Apache-2.0

/// A named part of a trial, in the order in which they happen.
public enum Phase: String, Codable, Hashable, Sendable, CaseIterable {
    /// Nothing happens yet: the fetcher and the renderer are made.
    case idle
    /// The same mode fetches 1 KiB, so that libraries, thread pools and connections exist.
    case warmup
    /// The fetch that is measured.
    case fetch
    /// The body is kept alive, and verified.
    case hold
    /// The body is rendered and the picture kept.
    case render
    /// Everything is dropped.
    case release

    /// The phases that have columns of their own.
    public static let measured: [Phase] = [.fetch, .hold, .render, .release]

    /// The phases whose highest peak is the peak of the trial.
    public static let peaking: [Phase] = [.fetch, .hold, .render]
}
