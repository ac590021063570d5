// SPDX-License-Identifier: Apache-2.0

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
