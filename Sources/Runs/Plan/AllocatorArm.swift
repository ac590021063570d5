// SPDX-License-Identifier: Apache-2.0

package import MemProbe

/// The malloc that a trial's process is given.
package enum AllocatorArm: String, Codable, Hashable, Sendable, CaseIterable {
    /// The C library's, as it is.
    case glibc
    /// The C library's with a fixed threshold for mappings, which glibc otherwise moves while it runs.
    case glibcPinned = "glibc-pinned"
    /// jemalloc with its defaults: what users of it get.
    case jemalloc
    /// jemalloc with one arena that gives memory back at once: its peak is live memory.
    case jemallocTight = "jemalloc-tight"

    /// One line for `fetchbench list`.
    package var summary: String {
        switch self {
        case .glibc: "the C library's malloc, as it is"
        case .glibcPinned:
            "the same with MALLOC_MMAP_THRESHOLD_=131072, so that freed blocks return alike in every trial"
        case .jemalloc: "jemalloc preloaded, with its defaults"
        case .jemallocTight: "jemalloc preloaded, narenas:1,dirty_decay_ms:0 (peak = live memory, more CPU)"
        }
    }

    /// The file name of the library that is preloaded; the dynamic linker finds it on its own path.
    package var preloadedLibrary: String? {
        switch self {
        case .glibc, .glibcPinned: nil
        case .jemalloc, .jemallocTight: "libjemalloc.so.2"
        }
    }

    /// What the trial's environment has to hold.
    package var environment: [String: String] {
        var variables: [String: String] = [:]
        variables["LD_PRELOAD"] = preloadedLibrary
        switch self {
        case .glibc, .jemalloc: break
        case .glibcPinned: variables["MALLOC_MMAP_THRESHOLD_"] = "131072"
        case .jemallocTight: variables["MALLOC_CONF"] = "narenas:1,dirty_decay_ms:0"
        }
        return variables
    }

    /// Whether a process's own account of its allocator shows that it runs on this arm.
    ///
    /// A command is only seen to have mapped jemalloc or not; what else it may run on is its own affair.
    package func isProved(by identity: AllocatorIdentity, isCommand: Bool) -> Bool {
        if isCommand { return (identity.name == "jemalloc") == (preloadedLibrary != nil) }
        guard identity.name == expectedIdentity else { return false }
        return expectedSettings.allSatisfy { identity.configuration[$0.key] == $0.value }
    }

    /// The settings that the allocator has to report.
    private var expectedSettings: [String: String] {
        switch self {
        case .glibc, .jemalloc: [:]
        case .glibcPinned: ["glibc.malloc.mmap_threshold": "131072"]
        case .jemallocTight: ["opt.narenas": "1", "opt.dirty_decay_ms": "0"]
        }
    }

    /// The name by which the process has to identify its allocator; anything else fails the trial.
    package var expectedIdentity: String {
        preloadedLibrary == nil ? "glibc" : "jemalloc"
    }
}
