// SPDX-License-Identifier: Apache-2.0

package import MemProbe

package enum AllocatorArm: String, Codable, Hashable, Sendable, CaseIterable {
    case glibc
    /// The C library's malloc with a fixed mmap threshold, which glibc otherwise adapts while it runs.
    case glibcPinned = "glibc-pinned"
    case jemalloc
    /// jemalloc with one arena that returns memory at once: its peak is live memory.
    case jemallocTight = "jemalloc-tight"
    /// An allocator that is part of the program, such as Go's, musl's or a JVM's; it is not compared with others.
    case own

    package var summary: String {
        switch self {
        case .glibc: "the C library's malloc, as it is"
        case .glibcPinned:
            "the same with MALLOC_MMAP_THRESHOLD_=131072, so that freed blocks return alike in every trial"
        case .jemalloc: "jemalloc preloaded, with its defaults"
        case .jemallocTight: "jemalloc preloaded, narenas:1,dirty_decay_ms:0 (peak = live memory, more CPU)"
        case .own: "the program's own allocator (Go, musl); the default for such programs"
        }
    }

    /// The file name of the preloaded library; the dynamic linker searches its own path.
    package var preloadedLibrary: String? {
        switch self {
        case .glibc, .glibcPinned, .own: nil
        case .jemalloc, .jemallocTight: "libjemalloc.so.2"
        }
    }

    package var environment: [String: String] {
        var variables: [String: String] = [:]
        variables["LD_PRELOAD"] = preloadedLibrary
        switch self {
        case .glibc, .jemalloc, .own: break
        case .glibcPinned: variables["MALLOC_MMAP_THRESHOLD_"] = "131072"
        case .jemallocTight: variables["MALLOC_CONF"] = "narenas:1,dirty_decay_ms:0"
        }
        return variables
    }

    /// True if a process's report on its allocator shows that it runs on this arm.
    ///
    /// Of a command only the mapped libraries are known: jemalloc or not.
    package func isProved(by identity: AllocatorIdentity, isCommand: Bool) -> Bool {
        if isCommand { return (identity.name == "jemalloc") == (preloadedLibrary != nil) }
        guard isNamed(identity.name) else { return false }
        return expectedSettings.allSatisfy { identity.configuration[$0.key] == $0.value }
    }

    private var expectedSettings: [String: String] {
        switch self {
        case .glibc, .jemalloc, .own: [:]
        case .glibcPinned: ["glibc.malloc.mmap_threshold": "131072"]
        case .jemallocTight: ["opt.narenas": "1", "opt.dirty_decay_ms": "0"]
        }
    }

    /// True if a process that reports this allocator name runs on this arm, apart from its settings.
    package func isNamed(_ name: String) -> Bool {
        switch self {
        case .glibc, .glibcPinned: name == "glibc"
        case .jemalloc, .jemallocTight: name == "jemalloc"
        case .own: !["glibc", "jemalloc"].contains(name)
        }
    }
}
