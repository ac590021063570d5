// SPDX-License-Identifier: Apache-2.0

/// A command in any language that is measured: with `{url}` in the place of a mode, else for itself.
///
/// One without `{url}` is a *plain command*: it fetches nothing, and runs as in the user's own shell, in their folder and
/// their environment.
package struct ExternalCommand: Codable, Hashable, Sendable {
    /// What stands for the asset's URL in a command.
    package static let urlPlaceholder = "{url}"
    /// What stands for the path of the file that the command has to make.
    package static let filePlaceholder = "{file}"
    /// What stands for the path of the authority that signs the embedded origin's certificate; empty without TLS.
    package static let authorityPlaceholder = "{ca}"

    /// The word in the column `mode`.
    package var name: String
    /// The command as it was written: words with `{url}`, `{file}` and `{ca}`, quoted as in a shell, which no shell runs;
    /// or what a shell would get, with a word in braces for each parameter.
    package var command: String
    /// Whether credentials or folders were taken out of the text, so that it cannot be run as it stands; else `nil`.
    package var isRedacted: Bool?
    /// The shell of a plain command, or `nil` where one is used as needed.
    package var shell: CommandShell?
    /// What is run before each run of a plain command, or `nil`.
    package var preparation: String?
    /// What is run after each run of a plain command, or `nil`.
    package var cleanup: String?

    private enum CodingKeys: String, CodingKey {
        case name, command, shell, cleanup
        case isRedacted = "redacted"
        case preparation = "prepare"
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
        let isEmpty = fetches ? try words().isEmpty : command.allSatisfy(\.isWhitespace)
        guard !isEmpty else { throw .noCommand }
    }

    /// Refuses a plain command that cannot be started, or has what only a fetch fills in.
    /// - Parameter parameters: those of the plan, which may have any other name.
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
                // What a value makes of it counts, too: a quote in one may open another.
                for values in CommandParameter.choices(of: parameters.filter { text.contains($0.placeholder) }) {
                    _ = try launch(of: text, with: values)
                }
            } catch .noCommand {
                throw PlanMistake("\(what) is empty")
            } catch {
                throw PlanMistake("\(what): \(error.explanation)")
            }
        }
    }

    /// Whether it fetches an asset; else it is a plain command.
    package var fetches: Bool { command.contains(Self.urlPlaceholder) }

    /// Whether a word in braces stands anywhere in it.
    package func mentions(_ parameter: CommandParameter) -> Bool {
        [command, name, preparation, cleanup].contains { $0?.contains(parameter.placeholder) == true }
    }

    /// How a plain command is started, with values in the place of its parameters.
    package func launch(with values: [CommandParameter.Value]) throws(CommandMistake) -> CommandLaunch {
        try launch(of: command, with: values)
    }

    /// How a text is started as this command is: itself, or what goes before or after it.
    package func launch(
        of text: String, with values: [CommandParameter.Value]
    ) throws(CommandMistake) -> CommandLaunch {
        try CommandLaunch(CommandTemplate.filled(text, with: values), shell ?? .asNeeded)
    }

    /// Whether its name is one that `NAME=command` can give, and not the text of a command of `exec`.
    package var hasShortName: Bool { !name.isEmpty && name.allSatisfy(Self.isNameCharacter) }

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
    /// It has what only a fetch fills in, and no `{url}`.
    case withoutURL(placeholder: String)

    /// What is wrong and what would be right.
    package var explanation: String {
        switch self {
        case .noName: "give NAME=command, with a name of letters, digits, '-', '_' and '.'"
        case .noCommand: "there is no command behind the name; give NAME=command, with {url} {file} where it fetches"
        case .withoutURL(let placeholder):
            "it has \(placeholder) and no {url}: a command without {url} fetches nothing; give it {url}, or leave "
                + "\(placeholder) out"
        case .openQuote(let position): "the quote at position \(position) of the command is not closed"
        }
    }
}
