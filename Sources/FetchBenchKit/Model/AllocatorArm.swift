// SPDX-License-Identifier: Apache-2.0

/// The malloc that a trial's process is given.
public enum AllocatorArm: String, Codable, Hashable, Sendable, CaseIterable {
    /// The C library's, as it is.
    case glibc
    /// The C library's with a fixed threshold for mappings, which glibc otherwise moves while it runs.
    case glibcPinned = "glibc-pinned"
    /// jemalloc with its defaults: what users of it get.
    case jemalloc
    /// jemalloc with one arena that gives memory back at once: its peak is live memory.
    case jemallocTight = "jemalloc-tight"

    /// One line for `fetchbench list`.
    public var summary: String {
        switch self {
        case .glibc: "the C library's malloc, as it is"
        case .glibcPinned:
            "the same with MALLOC_MMAP_THRESHOLD_=131072, so that freed blocks return alike in every trial"
        case .jemalloc: "jemalloc preloaded, with its defaults"
        case .jemallocTight: "jemalloc preloaded, narenas:1,dirty_decay_ms:0 (peak = live memory, more CPU)"
        }
    }

    /// The file name of the library that is preloaded; the dynamic linker finds it on its own path.
    public var preloadedLibrary: String? {
        switch self {
        case .glibc, .glibcPinned: nil
        case .jemalloc, .jemallocTight: "libjemalloc.so.2"
        }
    }

    /// What the trial's environment has to hold.
    public var environment: [String: String] {
        var variables: [String: String] = [:]
        variables["LD_PRELOAD"] = preloadedLibrary
        switch self {
        case .glibc, .jemalloc: break
        case .glibcPinned: variables["MALLOC_MMAP_THRESHOLD_"] = "131072"
        case .jemallocTight: variables["MALLOC_CONF"] = "narenas:1,dirty_decay_ms:0"
        }
        return variables
    }

    /// The name by which the process has to identify its allocator; anything else fails the trial.
    public var expectedIdentity: String {
        preloadedLibrary == nil ? "glibc" : "jemalloc"
    }
}
