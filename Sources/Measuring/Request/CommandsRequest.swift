// SPDX-License-Identifier: Apache-2.0

package import Runs

package struct CommandsRequest: Sendable {
    package var commands: [String]
    package var names: [String] = []
    package var preparations: [String] = []
    /// The commands to run after each run: none, one for all, or one for each.
    package var cleanups: [String] = []
    package var shell: CommandShell?

    package init(commands: [String]) { self.commands = commands }

    /// Returns the commands under unique names.
    package func plainCommands(redaction: RedactedCommand) throws -> [ExternalCommand] {
        guard !commands.isEmpty else {
            throw FetchBenchError(usage: "no command is given; for example: fetchbench exec 'sort file'")
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
                throw FetchBenchError(
                    usage: "'\(SafeText.ofCommand(redaction.text(text)))' has {url}, which exec does not fill in; use "
                        + "`fetchbench run --exec 'NAME=command'`")
            }
            made.append(command)
        }
        return made
    }

    private func check(_ words: [String], _ flag: String, allowsOne: Bool) throws {
        guard !words.isEmpty, words.count != commands.count, !(allowsOne && words.count == 1) else { return }
        let wanted = allowsOne && commands.count > 1 ? "1 or \(commands.count)" : "\(commands.count)"
        throw FetchBenchError(
            usage: "\(flag) is given \(words.count) times for \(commands.count) commands: expected \(wanted)")
    }

    /// Checks a given name; numbers repeated commands, which may be intended.
    private func name(
        of index: Int, besides taken: [String], _ redaction: RedactedCommand
    ) throws -> String {
        let title = SafeText.withBytesShown(redaction.text(names.isEmpty ? commands[index] : names[index]))
        guard names.isEmpty || !title.allSatisfy(\.isWhitespace) else {
            throw FetchBenchError(
                usage: "invalid --name '\(SafeText.ofCommand(title))': expected one line of printable characters")
        }
        // `none` is the case that fetches and runs nothing.
        guard title != Case.nullMode else {
            throw FetchBenchError(
                usage: "'none' is the name of the null case; give the command another one with --name")
        }
        guard taken.contains(title) else { return title }
        guard names.isEmpty else {
            throw FetchBenchError(
                usage: "--name '\(SafeText.ofCommand(title))' is given to two commands; names have to differ")
        }
        var number = 2
        while taken.contains("\(title) (\(number))") { number += 1 }
        return "\(title) (\(number))"
    }
}

package struct CommandParameters: Hashable, Sendable {
    private static let mostCases = 1000

    package let all: [CommandParameter]

    /// Parses the lists and checks them against the commands.
    init(_ texts: [String], of commands: [ExternalCommand]) throws {
        var all: [CommandParameter] = []
        for text in texts {
            let parameter = try CommandParameter(parsing: text)
            guard !all.contains(where: { $0.name == parameter.name }) else {
                throw FetchBenchError(usage: "--parameter-list: parameter \(parameter.name) is given twice")
            }
            guard commands.contains(where: { $0.mentions(parameter) }) else {
                throw FetchBenchError(
                    usage:
                        "--parameter-list: no command without {url} uses \(parameter.placeholder); add it to a command")
            }
            all.append(parameter)
        }
        self.all = all
        let cases = commands.reduce(0) { sum, command in
            let own = all.filter(command.mentions).reduce(1) { min($0 * $1.values.count, Self.mostCases + 1) }
            return min(sum + own, Self.mostCases + 1)
        }
        guard cases <= Self.mostCases else {
            throw FetchBenchError(
                usage: "--parameter-list: the lists make more than \(Self.mostCases) commands; give fewer values")
        }
    }

    /// Returns the parameters as they may be stored, with secret values replaced by their numbers.
    ///
    /// A value is secret if redaction removes it from a command that it was filled into.
    func stored(in commands: [ExternalCommand], _ redaction: RedactedCommand) -> [CommandParameter] {
        all.map { parameter in
            let isSecret = parameter.values.contains { value in
                commands.contains { command in
                    let texts = [command.name, command.command, command.preparation, command.cleanup].compactMap(\.self)
                    return texts.contains { text in
                        guard text.contains(parameter.placeholder) else { return false }
                        let filled = CommandTemplate.filled(text, with: [CommandParameter.Value(parameter.name, value)])
                        return !redaction.text(filled).contains(value)
                    }
                }
            }
            guard isSecret else { return parameter }
            return CommandParameter(
                parameter.name, values: parameter.values.indices.map { "\(RedactedCommand.mark)-\($0 + 1)" })
        }
    }

    static func real(_ stored: [CommandParameter.Value], among all: [CommandParameter]) -> [CommandParameter.Value] {
        stored.map { value in
            let mark = RedactedCommand.mark + "-"
            guard value.value.hasPrefix(mark), let number = Int(value.value.dropFirst(mark.count)),
                let parameter = all.first(where: { $0.name == value.name }),
                parameter.values.indices.contains(number - 1)
            else { return value }
            return CommandParameter.Value(value.name, parameter.values[number - 1])
        }
    }
}
