// SPDX-License-Identifier: Apache-2.0

import Texts

/// A measured command: one with `{url}` takes the place of a mode.
///
/// A command without `{url}` is a *plain command*: it fetches nothing and runs in the user's folder and environment.
package struct ExternalCommand: Codable, Hashable, Sendable {
    /// The placeholder for the asset's URL.
    package static let urlPlaceholder = "{url}"
    /// The placeholder for the path of the file that the command writes.
    package static let filePlaceholder = "{file}"
    /// The placeholder for the path of the origin's CA certificate; replaced by nothing without TLS.
    package static let authorityPlaceholder = "{ca}"

    /// The value of the column `mode`.
    package var name: String
    /// The command as it was written.
    ///
    /// With `{url}` it is split into words and run directly; a plain command may use shell syntax and parameters.
    package var command: String
    /// True if secrets or folders were removed, so that the text cannot be run again; otherwise `nil`.
    package var isRedacted: Bool?
    /// The shell of a plain command, or `nil` for ``CommandShell/asNeeded``.
    package var shell: CommandShell?
    /// The command that runs before each run of a plain command, or `nil`.
    package var preparation: String?
    /// The command that runs after each run of a plain command, or `nil`.
    package var cleanup: String?

    private enum CodingKeys: String, CodingKey {
        case name, command, shell, cleanup
        case isRedacted = "redacted"
        case preparation = "prepare"
    }

    package init(name: String, command: String) {
        self.name = name
        self.command = command
    }

    /// Parses `NAME=command with {url} {file}`.
    package init(parsing text: String) throws(CommandMistake) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, parts[0].allSatisfy({ Self.isNameCharacter($0) }) else {
            throw .noName
        }
        self.init(name: String(parts[0]), command: String(parts[1]))
        let isEmpty = fetches ? try words().isEmpty : command.allSatisfy(\.isWhitespace)
        guard !isEmpty else { throw .noCommand }
        if fetches { try checkPlaceholders() }
    }

    /// Rejects misspelled placeholders; other words in braces belong to the command, as in awk or Python.
    private func checkPlaceholders() throws(CommandMistake) {
        let known = [Self.urlPlaceholder, Self.filePlaceholder, Self.authorityPlaceholder]
        for match in command.matches(of: /(^|[^$])(\{[A-Za-z]{2,5}\})/) {
            let placeholder = String(match.2)
            guard !known.contains(placeholder),
                let nearest = Suggestion.nearest(to: placeholder, among: known.dropLast(), within: 1)
            else { continue }
            throw .unknownPlaceholder(placeholder, nearest: nearest)
        }
    }

    /// Rejects a plain command that cannot be started, or that has placeholders which only a fetch fills.
    /// - Parameter parameters: The parameters of the plan, which may have the names of those placeholders.
    package func check(with parameters: [CommandParameter]) throws(PlanMistake) {
        let own = parameters.map(\.placeholder)
        let subject = name.allSatisfy(\.isWhitespace) ? "the command" : "command \(CommandText.safe(name))"
        for (text, what) in [
            (command, subject), (preparation, "--prepare"), (cleanup, "--cleanup"),
        ] {
            guard let text else { continue }
            do throws(CommandMistake) {
                for placeholder in [Self.filePlaceholder, Self.authorityPlaceholder]
                where text.contains(placeholder) && !own.contains(placeholder) {
                    throw .withoutURL(placeholder: placeholder)
                }
                // A value can contain quotes, so every combination is checked.
                for values in CommandParameter.choices(of: parameters.filter { text.contains($0.placeholder) }) {
                    _ = try launch(of: text, with: values)
                }
            } catch .noCommand {
                throw PlanMistake("\(what) is empty: expected a program and its arguments")
            } catch {
                throw PlanMistake("\(what): \(error.explanation)")
            }
        }
    }

    /// True if the command fetches an asset; otherwise it is a plain command.
    package var fetches: Bool { command.contains(Self.urlPlaceholder) }

    /// True if the parameter's placeholder occurs in any of the texts.
    package func mentions(_ parameter: CommandParameter) -> Bool {
        [command, name, preparation, cleanup].contains { $0?.contains(parameter.placeholder) == true }
    }

    /// Returns the arguments of a plain command, with its parameters replaced.
    package func launch(with values: [CommandParameter.Value]) throws(CommandMistake) -> CommandLaunch {
        try launch(of: command, with: values)
    }

    /// Returns the arguments of a text that runs in this command's shell: itself, its preparation or its cleanup.
    package func launch(
        of text: String, with values: [CommandParameter.Value]
    ) throws(CommandMistake) -> CommandLaunch {
        try CommandLaunch(CommandTemplate.filled(text, with: values), shell ?? .asNeeded)
    }

    /// True if `NAME=command` can give the name; false for the text of a command of `exec`.
    package var hasShortName: Bool { !name.isEmpty && name.allSatisfy(Self.isNameCharacter) }

    /// True if the command writes a file that can be verified.
    package var makesFile: Bool { command.contains(Self.filePlaceholder) }

    /// Returns the words of the command with their placeholders.
    package func words() throws(CommandMistake) -> [String] {
        try CommandWords.split(command)
    }

    /// Returns the words of the command with their placeholders replaced.
    package func words(url: String, file: String, authority: String? = nil) throws(CommandMistake) -> [String] {
        let values: [(placeholder: String, value: String)] = [
            (Self.urlPlaceholder, url), (Self.filePlaceholder, file), (Self.authorityPlaceholder, authority ?? ""),
        ]
        return try words().map { CommandTemplate.filled($0, replacing: values[...]) }
    }

    private static func isNameCharacter(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || "-_.".contains(character))
    }
}

/// An error in the text of a command.
package enum CommandMistake: Error, Hashable, Sendable {
    /// There is no `NAME=`, or the name has other characters than letters, digits, `-`, `_` and `.`.
    case noName
    /// There is no command after the name.
    case noCommand
    /// A quote is not closed; its position counts from 1.
    case openQuote(position: Int)
    /// The command has a placeholder that only a fetch fills, but no `{url}`.
    case withoutURL(placeholder: String)
    /// The command has a placeholder that differs from a known one by a letter or by case.
    case unknownPlaceholder(String, nearest: String)

    /// The error and its remedy.
    package var explanation: String {
        switch self {
        case .noName: "expected NAME=command, with a name of letters, digits, '-', '_' and '.'"
        case .noCommand: "missing command after 'NAME='; expected NAME=command, with {url} and {file} if it fetches"
        case .withoutURL(let placeholder):
            "\(placeholder) needs {url} in the same command: add {url}, or remove \(placeholder)"
        case .unknownPlaceholder(let placeholder, let nearest):
            "unknown placeholder \(placeholder): did you mean \(nearest)?"
        case .openQuote(let position): "the quote at position \(position) of the command is not closed"
        }
    }
}
