// SPDX-License-Identifier: Apache-2.0

package import MemProbe
import Texts

/// A placeholder in braces, such as `{threads}`, with its values.
package struct CommandParameter: Hashable, Sendable {
    package struct Value: Codable, Hashable, Sendable {
        package var name: String
        package var value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The name, without braces.
    package let name: String
    package let values: [String]

    package init(_ name: String, values: [String]) {
        self.name = name
        self.values = values
    }

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
        self.name = name
        self.values = values
    }

    package var placeholder: String { "{\(name)}" }

    /// The list as it is typed: `threads=1,2,4`.
    package var text: String {
        let words = values.map { value in
            value.reduce(into: "") { $0 += $1 == "," || $1 == "\\" ? "\\\($1)" : "\($1)" }
        }
        return name + "=" + words.joined(separator: ",")
    }

    package static func isName(_ word: String) -> Bool {
        !word.isEmpty && word.first != "-"
            && word.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) }
    }

    /// Returns every combination of values; the last parameter changes first.
    package static func choices(of parameters: [CommandParameter]) -> [[Value]] {
        parameters.reduce([[]]) { choices, parameter in
            choices.flatMap { choice in parameter.values.map { choice + [Value(parameter.name, $0)] } }
        }
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

/// A text with placeholders in braces.
package enum CommandTemplate {
    /// Returns the text with each placeholder replaced; placeholders within values are kept.
    package static func filled(_ text: String, with values: [CommandParameter.Value]) -> String {
        filled(text, replacing: values.map { ("{\($0.name)}", $0.value) }[...])
    }

    static func filled(_ text: String, replacing values: ArraySlice<(placeholder: String, value: String)>) -> String {
        guard let first = values.first else { return text }
        return text.split(separator: first.placeholder, omittingEmptySubsequences: false)
            .map { filled(String($0), replacing: values.dropFirst()) }
            .joined(separator: first.value)
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
