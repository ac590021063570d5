// SPDX-License-Identifier: Apache-2.0

import OperatingSystem
package import Runs
import Texts

/// The plain commands of `fetchbench exec` with the commands around them.
package struct CommandsRequest: Sendable {
    package var commands: [String]
    /// Their names: none, or one for each.
    package var names: [String] = []
    /// The commands to run before each run: none, one for all, or one for each.
    package var preparations: [String] = []
    /// The commands to run after each run: none, one for all, or one for each.
    package var cleanups: [String] = []
    /// The shell to use; `nil` for one as needed.
    package var shell: CommandShell?

    package init(commands: [String]) {
        self.commands = commands
    }

    /// Returns the commands under unique names.
    /// - Throws: ``PlanMistake`` for invalid arguments.
    package func plainCommands(redaction: RedactedCommand) throws(PlanMistake) -> [ExternalCommand] {
        guard !commands.isEmpty else {
            throw PlanMistake("no command is given; for example: fetchbench exec 'sort file'")
        }
        try check(names, "--name", allowsOne: false)
        try check(preparations, "--prepare", allowsOne: true)
        try check(cleanups, "--cleanup", allowsOne: true)
        var made: [ExternalCommand] = []
        for (index, text) in commands.enumerated() {
            let name = try name(of: index, besides: made.map(\.name), redaction)
            var command = ExternalCommand(name: name, command: text)
            command.shell = shell
            command.preparation = preparations.count == 1 ? preparations[0] : preparations.dropFirst(index).first
            command.cleanup = cleanups.count == 1 ? cleanups[0] : cleanups.dropFirst(index).first
            if command.fetches {
                throw PlanMistake(
                    "'\(CommandText.safe(redaction.text(text)))' has {url}, which exec does not fill in; use "
                        + "`fetchbench run --exec 'NAME=command'`")
            }
            made.append(command)
        }
        return made
    }

    private func check(_ words: [String], _ flag: String, allowsOne: Bool) throws(PlanMistake) {
        guard !words.isEmpty, words.count != commands.count, !(allowsOne && words.count == 1) else { return }
        let wanted = allowsOne && commands.count > 1 ? "1 or \(commands.count)" : "\(commands.count)"
        throw PlanMistake(
            "\(flag) is given \(words.count) times for \(commands.count) commands: expected \(wanted)")
    }

    /// Checks a given name; numbers repeated commands, which may be intended.
    private func name(
        of index: Int, besides taken: [String], _ redaction: RedactedCommand
    ) throws(PlanMistake) -> String {
        let title = SafeText.withBytesShown(redaction.text(names.isEmpty ? commands[index] : names[index]))
        guard names.isEmpty || !title.allSatisfy(\.isWhitespace) else {
            throw PlanMistake("invalid --name '\(CommandText.safe(title))': expected one line of printable characters")
        }
        // `none` is the case that fetches and runs nothing.
        guard title != Case.nullMode else {
            throw PlanMistake("'none' is the name of the null case; give the command another one with --name")
        }
        guard taken.contains(title) else { return title }
        guard names.isEmpty else {
            throw PlanMistake("--name '\(CommandText.safe(title))' is given to two commands; names have to differ")
        }
        var number = 2
        while taken.contains("\(title) (\(number))") { number += 1 }
        return "\(title) (\(number))"
    }
}
