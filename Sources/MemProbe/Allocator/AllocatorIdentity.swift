// SPDX-License-Identifier: Apache-2.0

import CMemProbe

/// The `malloc` that this process runs on, as it identifies itself.
public struct AllocatorIdentity: Codable, Hashable, Sendable {
    /// `jemalloc`, `glibc`, `musl` or `unknown`.
    public var name: String
    /// The allocator's version, or `nil` if it reports none.
    public var version: String?
    /// The settings that are known for certain, by the allocator's own names.
    ///
    /// For jemalloc, its effective `opt.*` and `arenas.narenas`. For glibc, the `glibc.malloc.*` tunables that the
    /// process was started with; the others have their defaults.
    public var configuration: [String: String]

    /// Creates an identity.
    public init(name: String, version: String? = nil, configuration: [String: String] = [:]) {
        self.name = name
        self.version = version
        self.configuration = configuration
    }

    /// The allocator of this process.
    public static var current: AllocatorIdentity {
        if Jemalloc.isPresent {
            return AllocatorIdentity(
                name: "jemalloc", version: Jemalloc.text("version"), configuration: Jemalloc.configuration)
        }
        guard cmemprobe_malloc_is_libc() else { return AllocatorIdentity(name: "unknown") }
        guard let version = cmemprobe_glibc_version() else {
            #if canImport(Musl)
                return AllocatorIdentity(name: "musl")
            #else
                return AllocatorIdentity(name: "unknown")
            #endif
        }
        // If the environment is hidden, no setting is known for certain.
        let environment = (try? SmallFile.text(at: "/proc/self/environ")) ?? ""
        return AllocatorIdentity(
            name: "glibc", version: String(cString: version),
            configuration: GlibcTunables(parsingEnvironment: environment).values)
    }
}

extension Jemalloc {
    /// The settings that change how much memory a program takes.
    fileprivate static var configuration: [String: String] {
        var settings: [String: String] = [:]
        for name: StaticString in ["opt.narenas", "arenas.narenas"] {
            settings["\(name)"] = value(name, from: CUnsignedInt.zero).map { "\($0)" }
        }
        for name: StaticString in ["opt.dirty_decay_ms", "opt.muzzy_decay_ms", "opt.lg_tcache_max"] {
            settings["\(name)"] = value(name, from: Int.zero).map { "\($0)" }
        }
        for name: StaticString in [
            "opt.background_thread", "opt.retain", "opt.tcache", "opt.zero", "config.stats", "config.prof",
            "config.fill",
        ] {
            settings["\(name)"] = value(name, from: false).map { "\($0)" }
        }
        for name: StaticString in ["opt.thp", "opt.metadata_thp", "opt.percpu_arena", "opt.dss"] {
            settings["\(name)"] = text(name)
        }
        return settings
    }
}
