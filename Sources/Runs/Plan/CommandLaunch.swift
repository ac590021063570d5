// SPDX-License-Identifier: Apache-2.0

/// The policy of running commands by a shell.
package enum CommandShell: Codable, Hashable, Sendable {
    /// Commands with shell syntax run by `/bin/sh -c`, the others directly.
    case asNeeded
    /// All commands run by this shell, with `-c`.
    case always([String])
    /// All commands run directly.
    case never

    /// The shell of ``asNeeded``.
    static let standard = ["/bin/sh"]

    /// Parses a shell with its arguments: `bash`, `bash --norc`.
    package init(naming text: String) throws(PlanMistake) {
        let words: [String]
        do throws(CommandMistake) {
            words = try CommandWords.split(text)
        } catch {
            throw PlanMistake("--shell: \(error.explanation)")
        }
        guard !words.isEmpty else {
            throw PlanMistake("--shell: the name is empty; use --no-shell to run commands without a shell")
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

/// The arguments with which a command is started.
package struct CommandLaunch: Hashable, Sendable {
    /// The program and its arguments.
    package let words: [String]
    /// The shell command line such as `/bin/sh -c`, or `nil` without a shell.
    package let shell: String?

    /// - Throws: ``CommandMistake`` if the command is empty, or if it has an open quote and no shell runs it.
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
