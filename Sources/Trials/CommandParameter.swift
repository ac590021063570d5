// SPDX-License-Identifier: Apache-2.0

/// A placeholder in braces, such as `{threads}`, with its values.
package struct CommandParameter: Hashable, Sendable {
    package struct Value: Codable, Hashable, Sendable {
        package var name: String
        package var value: String

        package init(_ name: String, _ value: String) {
            (self.name, self.value) = (name, value)
        }
    }

    /// The name, without braces.
    package let name: String
    package let values: [String]

    package init(_ name: String, values: [String]) {
        (self.name, self.values) = (name, values)
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

    package static func choices(of parameters: [CommandParameter]) -> [[Value]] {
        parameters.reduce([[]]) { choices, parameter in
            choices.flatMap { choice in parameter.values.map { choice + [Value(parameter.name, $0)] } }
        }
    }
}

package enum CommandTemplate {
    /// Returns the text with each placeholder replaced; placeholders within values are kept.
    package static func filled(_ text: String, with values: [CommandParameter.Value]) -> String {
        filled(text, replacing: values.map { ("{\($0.name)}", $0.value) }[...])
    }

    package static func filled(
        _ text: String, replacing values: ArraySlice<(placeholder: String, value: String)>
    ) -> String {
        guard let first = values.first else { return text }
        return text.split(separator: first.placeholder, omittingEmptySubsequences: false)
            .map { filled(String($0), replacing: values.dropFirst()) }
            .joined(separator: first.value)
    }
}
