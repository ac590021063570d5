// SPDX-License-Identifier: Apache-2.0

/// A command in any language that is measured like a mode.
package struct ExternalCommand: Codable, Hashable, Sendable {
    /// What stands for the asset's URL in a command.
    package static let urlPlaceholder = "{url}"
    /// What stands for the path of the file that the command has to make.
    package static let filePlaceholder = "{file}"
    /// What stands for the path of the authority that signs the embedded origin's certificate; empty without TLS.
    package static let authorityPlaceholder = "{ca}"

    /// The word in the column `mode`.
    package var name: String
    /// The command as it was written: words with `{url}`, `{file}` and `{ca}`, quoted as in a shell; no shell runs it.
    package var command: String
    /// Whether credentials or folders were taken out of the text, so that it cannot be run as it stands; else `nil`.
    package var isRedacted: Bool?

    private enum CodingKeys: String, CodingKey {
        case name, command
        case isRedacted = "redacted"
    }

    /// Creates a command.
    package init(name: String, command: String) {
        self.name = name
        self.command = command
    }

    /// Creates a command from `NAME=command with {url} {file}`.
    /// - Throws: ``CommandMistake`` where a part is missing or a quote is not closed.
    package init(parsing text: String) throws(CommandMistake) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, parts[0].allSatisfy({ Self.isNameCharacter($0) }) else {
            throw .noName
        }
        self.init(name: String(parts[0]), command: String(parts[1]))
        guard try !words().isEmpty else { throw .noCommand }
    }

    /// Whether the command makes a file that can be verified.
    package var makesFile: Bool { command.contains(Self.filePlaceholder) }

    /// The words of the command, not filled in.
    package func words() throws(CommandMistake) -> [String] {
        try CommandWords.split(command)
    }

    /// The words of the command with the asset's URL, the file's path and the authority's.
    package func words(url: String, file: String, authority: String? = nil) throws(CommandMistake) -> [String] {
        let values = [
            (Self.urlPlaceholder, url), (Self.filePlaceholder, file), (Self.authorityPlaceholder, authority ?? ""),
        ]
        return try words().map { Self.filled($0, with: values[...]) }
    }

    /// A word in which each placeholder is replaced, and nothing in what replaced another one.
    private static func filled(_ word: String, with values: ArraySlice<(String, String)>) -> String {
        guard let (placeholder, value) = values.first else { return word }
        return word.split(separator: placeholder, omittingEmptySubsequences: false)
            .map { filled(String($0), with: values.dropFirst()) }
            .joined(separator: value)
    }

    private static func isNameCharacter(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || "-_.".contains(character))
    }
}

/// What is wrong with a command as it was written.
package enum CommandMistake: Error, Hashable, Sendable {
    /// There is no `NAME=` before it, or the name has more than letters, digits, `-`, `_` and `.`.
    case noName
    /// There is no command behind the name.
    case noCommand
    /// A quote that begins at this position, counted from 1, is not closed.
    case openQuote(position: Int)

    /// What is wrong and what would be right.
    package var explanation: String {
        switch self {
        case .noName: "give NAME=command, with a name of letters, digits, '-', '_' and '.'"
        case .noCommand: "there is no command behind the name; give NAME=command with {url} {file}"
        case .openQuote(let position): "the quote at position \(position) of the command is not closed"
        }
    }
}
