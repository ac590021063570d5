// SPDX-License-Identifier: Apache-2.0

/// Whether commands are run by a shell.
package enum CommandShell: Codable, Hashable, Sendable {
    /// Those with shell syntax by `/bin/sh -c`, and plain words by themselves.
    case asNeeded
    /// All of them by this one, with `-c`.
    case always([String])
    /// None: they are words.
    case never

    /// What runs a command that needs a shell, where none is named.
    static let standard = ["/bin/sh"]

    /// A shell as it was named, with its arguments: `bash`, `bash --norc`.
    /// - Throws: ``PlanMistake`` where nothing is named.
    package init(naming text: String) throws(PlanMistake) {
        let words: [String]
        do throws(CommandMistake) {
            words = try CommandWords.split(text)
        } catch {
            throw PlanMistake("--shell: \(error.explanation)")
        }
        guard !words.isEmpty else {
            throw PlanMistake("--shell: nothing is named; --no-shell runs commands without one")
        }
        self = .always(words)
    }

    /// Decodes it: words are the shell, none of them that there is none.
    package init(from decoder: any Decoder) throws {
        let words = try decoder.singleValueContainer().decode([String].self)
        self = words.isEmpty ? .never : .always(words)
    }

    /// Encodes it; where a shell is used as needed nothing is stored, see ``ExternalCommand``.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if case .always(let words) = self { try container.encode(words) } else { try container.encode([String]()) }
    }
}

/// How a command is started: the words that the kernel gets.
package struct CommandLaunch: Hashable, Sendable {
    /// The program, and its arguments.
    package let words: [String]
    /// The shell that gets the command as a text, as people type it, or `nil` where there is none.
    package let shell: String?

    /// Decides how a command is started.
    /// - Throws: ``CommandMistake`` where it is empty, or where no shell may run it and a quote is not closed.
    package init(_ command: String, _ shell: CommandShell) throws(CommandMistake) {
        guard !command.allSatisfy(\.isWhitespace) else { throw .noCommand }
        switch shell {
        case .always(let words): self.init(command, by: words)
        case .asNeeded where ShellSyntax.isNeeded(for: command): self.init(command, by: CommandShell.standard)
        case .asNeeded, .never: self.init(words: try CommandWords.split(command), shell: nil)
        }
    }

    private init(_ command: String, by shell: [String]) {
        self.init(words: shell + ["-c", command], shell: (shell + ["-c"]).joined(separator: " "))
    }

    private init(words: [String], shell: String?) {
        self.words = words
        self.shell = shell
    }
}
