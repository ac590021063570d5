// SPDX-License-Identifier: Apache-2.0

package import MemProbe
import Texts

extension CommandParameter {
    /// Parses `threads=1,2,4`; a backslash escapes a comma.
    /// - Throws: ``PlanMistake`` for an invalid name, no values, an empty value or a duplicate.
    package init(parsing text: String) throws(PlanMistake) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        guard parts.count == 2, Self.isName(name) else {
            throw PlanMistake(
                "--parameter-list: '\(SafeText.ofCommand(text))' is none; give NAME=VALUE,VALUE or NAME VALUE,VALUE, "
                    + "with a name of letters, digits, '-' and '_'")
        }
        guard "{\(name)}" != ExternalCommand.urlPlaceholder else {
            throw PlanMistake("--parameter-list: {url} stands for the URL of an asset; give the list another name")
        }
        let values = Self.split(parts[1])
        guard !values.contains("") else {
            throw PlanMistake(
                "--parameter-list: \(name) has an empty value in '\(SafeText.ofCommand(String(parts[1])))'")
        }
        if let double = values.indices.first(where: { values[..<$0].contains(values[$0]) }) {
            throw PlanMistake("--parameter-list: \(name) has the value '\(SafeText.ofCommand(values[double]))' twice")
        }
        self.init(name, values: values)
    }

    private static func split(_ text: Substring) -> [String] {
        var values = [""]
        var isEscaped = false
        for character in text {
            if isEscaped {
                if character != ",", character != "\\" { values[values.count - 1].append("\\") }
                values[values.count - 1].append(character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else if character == "," {
                values.append("")
            } else {
                values[values.count - 1].append(character)
            }
        }
        if isEscaped { values[values.count - 1].append("\\") }
        return values
    }
}

/// The settings of a run that only plain commands use.
package struct CommandSettings: Codable, Hashable, Sendable {
    /// The number of discarded runs of each command before the measured ones.
    package var warmup = 0
    /// The path of the standard input file, or `nil` for none.
    package var input: String?
    /// True if a nonzero status or a signal does not make a run invalid.
    package var ignoresFailure = false
    /// The memory limit of a run, or `nil`.
    package var limit: ByteCount?
    /// The time that what a command started may run after it, in seconds; `nil` for the standard of 0.2.
    package var childrenSeconds: Double?
    /// How processes are read; `nil` for the default.
    package var method: Method?
    /// The title of the reference command, or `nil` for the first one.
    package var reference: String?

    /// A method of reading the peaks of processes.
    package enum Method: String, Codable, Hashable, Sendable, CaseIterable {
        /// At the end of each process, by `ptrace`, if the kernel allows it; otherwise by polling.
        case automatic
        /// By polling, for programs that use `ptrace` themselves.
        case polled
    }

    package init() {}

    private enum CodingKeys: String, CodingKey {
        case warmup, input, method, reference
        case ignoresFailure = "ignores_failure"
        case limit = "limit_bytes"
        case childrenSeconds = "children_seconds"
    }
}
