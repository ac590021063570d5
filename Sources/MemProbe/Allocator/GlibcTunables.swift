// SPDX-License-Identifier: Apache-2.0

/// The settings of glibc's malloc that a process was started with.
///
/// glibc reads them once, before `main`: what counts is the environment at the start, not the one of now.
package struct GlibcTunables: Hashable, Sendable {
    /// The values as they were written, by the name of the tunable.
    package private(set) var values: [String: String] = [:]

    /// The older variables and the tunables they set.
    private static let aliases = [
        "MALLOC_ARENA_MAX": "arena_max",
        "MALLOC_ARENA_TEST": "arena_test",
        "MALLOC_MMAP_MAX_": "mmap_max",
        "MALLOC_MMAP_THRESHOLD_": "mmap_threshold",
        "MALLOC_PERTURB_": "perturb",
        "MALLOC_TOP_PAD_": "top_pad",
        "MALLOC_TRIM_THRESHOLD_": "trim_threshold",
    ]

    /// Parses an environment as `/proc/PID/environ` has it: `NAME=value`, each ended by a zero byte.
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

    /// Sets a value once: glibc keeps the first that it meets.
    private mutating func set(_ name: String, _ value: String) {
        guard !value.isEmpty, values[name] == nil else { return }
        values[name] = value
    }

    private static func pair(_ text: Substring) -> (name: String, value: String)? {
        guard let equals = text.firstIndex(of: "=") else { return nil }
        return (String(text[..<equals]), String(text[text.index(after: equals)...]))
    }
}
