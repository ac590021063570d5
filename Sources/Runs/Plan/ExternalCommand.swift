// SPDX-License-Identifier: Apache-2.0

/// A measured command: one with `{url}` takes the place of a mode.
///
/// A command without `{url}` is a *plain command*: it fetches nothing and runs in the user's folder and environment.
package struct ExternalCommand: Codable, Hashable, Sendable {
    package static let urlPlaceholder = "{url}"
    package static let filePlaceholder = "{file}"
    /// The placeholder for the path of the origin's CA certificate; replaced by nothing without TLS.
    package static let authorityPlaceholder = "{ca}"

    package var name: String
    /// The command as it was written.
    ///
    /// With `{url}` it is split into words and run directly; a plain command may use shell syntax and parameters.
    package var command: String
    /// True if secrets or folders were removed, so that the text cannot be run again; otherwise `nil`.
    package var isRedacted: Bool?
    package var shell: CommandShell?
    package var preparation: String?
    /// The command that runs after each run of a plain command, or `nil`.
    package var cleanup: String?
    /// The request that is made of it while it runs, if it is a server.
    package var server: ServerRequest?

    private enum CodingKeys: String, CodingKey {
        case name, command, shell, cleanup, server
        case isRedacted = "redacted"
        case preparation = "prepare"
    }

    package init(name: String, command: String) {
        (self.name, self.command) = (name, command)
    }

    /// Parses `NAME=METHOD /path : command with {port}`.
    package init(parsingServer text: String) throws {
        let (name, rest) = try Self.named(text)
        guard let colon = rest.firstRange(of: " : ") else {
            throw FetchBenchError(
                usage:
                    "expected the request and the server with ' : ' between them: 'get=GET /big.bin : ./App --port {port}'"
            )
        }
        self.init(name: name, command: String(rest[colon.upperBound...]))
        server = try ServerRequest(parsing: rest[..<colon.lowerBound])
    }

    private static func named(_ text: String) throws -> (name: String, rest: Substring) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, parts[0].allSatisfy({ isNameCharacter($0) }) else {
            throw FetchBenchError(usage: "expected NAME=command, with a name of letters, digits, '-', '_' and '.'")
        }
        return (String(parts[0]), parts[1])
    }

    /// Parses `NAME=command with {url} {file}`.
    package init(parsing text: String) throws {
        let (name, rest) = try Self.named(text)
        self.init(name: name, command: String(rest))
        let isEmpty = fetches ? try words().isEmpty : command.allSatisfy(\.isWhitespace)
        guard !isEmpty else {
            throw FetchBenchError(
                usage: "missing command after 'NAME='; expected NAME=command, with {url} and {file} if it fetches")
        }
        if fetches { try checkPlaceholders() }
    }

    /// Rejects misspelled placeholders; other words in braces belong to the command, as in awk or Python.
    private func checkPlaceholders() throws {
        let known = [Self.urlPlaceholder, Self.filePlaceholder, Self.authorityPlaceholder]
        for match in command.matches(of: /(^|[^$])(\{[A-Za-z]{2,5}\})/) {
            let placeholder = String(match.2)
            guard !known.contains(placeholder),
                let nearest = Suggestion.nearest(to: placeholder, among: known.dropLast(), within: 1)
            else { continue }
            throw FetchBenchError(usage: "unknown placeholder \(placeholder): did you mean \(nearest)?")
        }
    }

    /// Rejects a plain command that cannot be started, or that has placeholders which only a fetch fills.
    /// - Parameter parameters: The parameters of the plan, which may have the names of those placeholders.
    package func check(with parameters: [CommandParameter]) throws {
        let own = parameters.map(\.placeholder)
        let filled = [ServerRequest.portPlaceholder, ServerRequest.originPlaceholder]
        if server != nil, let taken = own.first(where: filled.contains) {
            throw FetchBenchError(
                usage: "--parameter-list: \(taken) is filled for a server; give the list another name")
        }
        let subject = name.allSatisfy(\.isWhitespace) ? "the command" : "command \(SafeText.ofCommand(name))"
        for (text, what) in [
            (command, subject), (preparation, "--prepare"), (cleanup, "--cleanup"),
        ] {
            guard let text else { continue }
            guard !text.allSatisfy(\.isWhitespace) else {
                throw FetchBenchError(usage: "\(what) is empty: expected a program and its arguments")
            }
            do {
                for placeholder in [Self.filePlaceholder, Self.authorityPlaceholder]
                where text.contains(placeholder) && !own.contains(placeholder) {
                    throw FetchBenchError(
                        usage: "\(placeholder) needs {url} in the same command: add {url}, or remove \(placeholder)")
                }
                // A value can contain quotes, so every combination is checked.
                for values in CommandParameter.choices(of: parameters.filter(mentions)) {
                    _ = try launch(of: text, with: values)
                    if text == command { try server?.check(text, with: values) }
                }
            } catch {
                throw FetchBenchError(usage: "\(what): \(error)")
            }
        }
    }

    /// The text of a flag or of a suite behind `NAME=`.
    package var given: String { (server.map { $0.text + " : " } ?? "") + command }

    package var fetches: Bool { command.contains(Self.urlPlaceholder) }

    /// True if the parameter's placeholder occurs in any of the texts.
    package func mentions(_ parameter: CommandParameter) -> Bool {
        [command, name, preparation, cleanup, server?.text].contains { $0?.contains(parameter.placeholder) == true }
    }

    package func launch(with values: [CommandParameter.Value]) throws -> Launch {
        try launch(of: command, with: values)
    }

    /// Returns the arguments of a text that runs in this command's shell: itself, its preparation or its cleanup.
    package func launch(
        of text: String, with values: [CommandParameter.Value]
    ) throws -> Launch {
        try Launch(CommandTemplate.filled(text, with: values), shell ?? .asNeeded)
    }

    /// True if `NAME=command` can give the name; false for the text of a command of `exec`.
    package var hasShortName: Bool { !name.isEmpty && name.allSatisfy(Self.isNameCharacter) }

    package var makesFile: Bool { command.contains(Self.filePlaceholder) }

    package func words() throws -> [String] {
        try ShellSyntax.words(of: command)
    }

    package func words(url: String, file: String, authority: String? = nil) throws -> [String] {
        let values: [(placeholder: String, value: String)] = [
            (Self.urlPlaceholder, url), (Self.filePlaceholder, file), (Self.authorityPlaceholder, authority ?? ""),
        ]
        return try words().map { CommandTemplate.filled($0, replacing: values[...]) }
    }

    private static func isNameCharacter(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || "-_.".contains(character))
    }

    package struct Launch: Hashable, Sendable {
        package let words: [String]
        /// The shell command line such as `/bin/sh -c`, or `nil` without a shell.
        package let shell: String?

        package init(_ command: String, _ shell: CommandShell) throws {
            guard !command.allSatisfy(\.isWhitespace) else {
                throw FetchBenchError(usage: "the command is empty: expected a program and its arguments")
            }
            switch shell {
            case .always(let words): self.init(command, by: words)
            case .asNeeded where ShellSyntax.isNeeded(for: command): self.init(command, by: CommandShell.standard)
            case .asNeeded, .never: self.init(words: try ShellSyntax.words(of: command), shell: nil)
            }
        }

        private init(_ command: String, by shell: [String]) {
            self.init(words: shell + ["-c", command], shell: (shell + ["-c"]).joined(separator: " "))
        }

        private init(words: [String], shell: String?) {
            (self.words, self.shell) = (words, shell)
        }
    }
}

package enum CommandShell: Codable, Hashable, Sendable {
    /// Commands with shell syntax run by `/bin/sh -c`, the others directly.
    case asNeeded
    case always([String])
    case never

    static let standard = ["/bin/sh"]

    /// Parses a shell with its arguments: `bash`, `bash --norc`.
    package init(naming text: String) throws {
        let words: [String]
        do {
            words = try ShellSyntax.words(of: text)
        } catch {
            throw FetchBenchError(usage: "--shell: \(error)")
        }
        guard !words.isEmpty else {
            throw FetchBenchError(usage: "--shell: the name is empty; use --no-shell to run commands without a shell")
        }
        self = .always(words)
    }

    /// Decodes a list of words; an empty one means ``never``.
    package init(from decoder: any Decoder) throws {
        let words = try decoder.singleValueContainer().decode([String].self)
        self = words.isEmpty ? .never : .always(words)
    }

    /// Encodes a list of words; ``asNeeded`` is stored as a missing value by ``ExternalCommand``.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if case .always(let words) = self { try container.encode(words) } else { try container.encode([String]()) }
    }
}

/// The syntax of a POSIX shell in commands: words, without expansions, and what needs a shell.
package enum ShellSyntax {
    /// The characters that are special anywhere outside of quotes.
    private static let special: Set<Unicode.Scalar> = [
        "|", "&", ";", "<", ">", "(", ")", "$", "`", "*", "?", "[", "{", "}",
    ]
    /// The characters that are special at the beginning of a word.
    private static let specialFirst: Set<Unicode.Scalar> = ["~", "#", "!"]
    /// The word separators; other white space is part of a word.
    static let blanks: Set<Unicode.Scalar> = [" ", "\t", "\n"]

    /// The keywords and builtins of shells, which need not exist as programs.
    private static let ownWords: Set<String> = [
        ".", ":", "alias", "bg", "break", "builtin", "case", "cd", "command", "continue", "eval", "exec", "exit",
        "export", "fg", "for", "function", "getopts", "hash", "if", "jobs", "local", "read", "readonly", "return",
        "select", "set", "shift", "source", "time", "times", "trap", "type", "ulimit", "umask", "unalias", "unset",
        "until", "wait", "while",
    ]

    /// True if a command needs a shell; in doubt it is true, which is always correct.
    static func isNeeded(for command: String) -> Bool {
        hasSpecialCharacters(command) || beginsLikeAShell(command)
    }

    private static func hasSpecialCharacters(_ command: String) -> Bool {
        var quote: Unicode.Scalar?
        var isEscaped = false
        var beginsWord = true
        for character in command.unicodeScalars {
            let wasBeginning = beginsWord
            beginsWord = false
            if isEscaped {
                // Only a shell joins continued lines.
                if character == "\n" { return true }
                isEscaped = false
            } else if character == "\\", quote != "'" {
                isEscaped = true
            } else if let open = quote {
                if character == open {
                    quote = nil
                } else if open == "\"", character == "$" || character == "`" {
                    return true
                }
            } else if character == "'" || character == "\"" {
                quote = character
            } else if blanks.contains(character) {
                // A shell ends a command at a line feed.
                if character == "\n" { return true }
                beginsWord = true
            } else if special.contains(character) || (wasBeginning && specialFirst.contains(character)) {
                return true
            }
        }
        return false
    }

    /// True if the first word is an assignment, a keyword or a builtin.
    private static func beginsLikeAShell(_ command: String) -> Bool {
        let first = String(
            command.unicodeScalars.drop { blanks.contains($0) }.prefix { !blanks.contains($0) })
        guard let equals = first.firstIndex(of: "=") else { return ownWords.contains(first) }
        let name = first[..<equals]
        return name.first.map { !$0.isNumber } == true
            && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
    }

    /// Returns words separated by spaces, tabs and line feeds, as for a shell; quotes and backslashes preserve them.
    package static func words(of text: String) throws -> [String] {
        var words: [String] = []
        var word: String?
        var quote: (character: Unicode.Scalar, position: Int)?
        var isEscaped = false
        // By scalars: a combining mark would make one character of itself and a quote or a blank.
        for (index, character) in text.unicodeScalars.enumerated() {
            if isEscaped {
                // Within double quotes a backslash escapes only special characters.
                if quote != nil, !"\\\"$`".unicodeScalars.contains(character) { word = (word ?? "") + "\\" }
                word = (word ?? "") + String(character)
                isEscaped = false
            } else if character == "\\", quote?.character != "'" {
                isEscaped = true
            } else if let open = quote {
                if character == open.character { quote = nil } else { word = (word ?? "") + String(character) }
            } else if character == "'" || character == "\"" {
                quote = (character, index + 1)
                word = word ?? ""
            } else if blanks.contains(character) {
                if let finished = word { words.append(finished) }
                word = nil
            } else {
                word = (word ?? "") + String(character)
            }
        }
        if let quote {
            throw FetchBenchError(
                usage: "the quote at position \(quote.position) of the command is not closed; add the other one")
        }
        if isEscaped { word = (word ?? "") + "\\" }
        if let finished = word { words.append(finished) }
        return words
    }
}

extension SafeText {
    /// Returns a command, or its first 59 characters, safe for a terminal.
    package static func ofCommand(_ text: String) -> String {
        forTerminal(text.count > 60 ? text.prefix(59) + "…" : text)
    }
}

extension CommandParameter {
    /// Parses `threads=1,2,4`; a backslash escapes a comma.
    package init(parsing text: String) throws {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        guard parts.count == 2, Self.isName(name) else {
            throw FetchBenchError(
                usage: "invalid --parameter-list '\(SafeText.ofCommand(text))': expected NAME=VALUE,VALUE or NAME "
                    + "VALUE,VALUE, with a name of letters, digits, '-' and '_'")
        }
        guard "{\(name)}" != ExternalCommand.urlPlaceholder else {
            throw FetchBenchError(
                usage: "--parameter-list: {url} stands for the URL of an asset; give the list another name")
        }
        let values = Self.split(parts[1])
        guard !values.contains("") else {
            throw FetchBenchError(
                usage: "--parameter-list: \(name) has an empty value in '\(SafeText.ofCommand(String(parts[1])))'")
        }
        if let double = values.indices.first(where: { values[..<$0].contains(values[$0]) }) {
            throw FetchBenchError(
                usage: "--parameter-list: \(name) has the value '\(SafeText.ofCommand(values[double]))' twice")
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
