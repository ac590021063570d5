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
        (self.name, self.version, self.configuration) = (name, version, configuration)
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
        let environment = (try? Descriptor.text(ofFileAt: "/proc/self/environ")) ?? ""
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

/// The glibc malloc settings that a process was started with.
///
/// glibc reads them once, before `main`: the environment at the start counts, not the current one.
package struct GlibcTunables: Hashable, Sendable {
    /// The values as written, by the name of the tunable.
    package private(set) var values: [String: String] = [:]

    /// The tunables that correspond to the older variables.
    private static let aliases = [
        "MALLOC_ARENA_MAX": "arena_max",
        "MALLOC_ARENA_TEST": "arena_test",
        "MALLOC_MMAP_MAX_": "mmap_max",
        "MALLOC_MMAP_THRESHOLD_": "mmap_threshold",
        "MALLOC_PERTURB_": "perturb",
        "MALLOC_TOP_PAD_": "top_pad",
        "MALLOC_TRIM_THRESHOLD_": "trim_threshold",
    ]

    /// Parses the format of `/proc/PID/environ`: `NAME=value`, each ended by a zero byte.
    package init(parsingEnvironment text: String) {
        for variable in text.split(separator: "\0") {
            guard let (name, value) = Self.pair(variable) else { continue }
            if name == "GLIBC_TUNABLES" {
                readTunables(value)
            } else if let tunable = Self.aliases[name] {
                set("glibc.malloc.\(tunable)", value)
            }
        }
    }

    private mutating func readTunables(_ text: String) {
        for tunable in text.split(separator: ":") {
            guard let (name, value) = Self.pair(tunable), name.hasPrefix("glibc.malloc.") else { continue }
            set(name, value)
        }
    }

    /// Sets a value once: glibc keeps the first.
    private mutating func set(_ name: String, _ value: String) {
        guard !value.isEmpty, values[name] == nil else { return }
        values[name] = value
    }

    private static func pair(_ text: Substring) -> (name: String, value: String)? {
        guard let equals = text.firstIndex(of: "=") else { return nil }
        return (String(text[..<equals]), String(text[text.index(after: equals)...]))
    }
}
