// SPDX-License-Identifier: Apache-2.0

package import Runs

/// The parameters of a plan's plain commands, as they are run and as they may be stored.
package struct CommandParameters: Hashable, Sendable {
    /// More cases than these are a mistake in the lists.
    private static let mostCases = 1000

    /// With their real values.
    package let all: [CommandParameter]

    /// Reads the lists, and checks them against the commands.
    /// - Throws: ``PlanMistake`` for a list that is none, is given twice or that no command has, and for too many values.
    init(_ texts: [String], of commands: [ExternalCommand]) throws(PlanMistake) {
        var all: [CommandParameter] = []
        for text in texts {
            let parameter = try CommandParameter(parsing: text)
            guard !all.contains(where: { $0.name == parameter.name }) else {
                throw PlanMistake("--parameter-list: \(parameter.name) is given twice")
            }
            guard commands.contains(where: { $0.mentions(parameter) }) else {
                throw PlanMistake(
                    "--parameter-list: no command without {url} has \(parameter.placeholder) in it")
            }
            all.append(parameter)
        }
        self.all = all
        let cases = commands.reduce(0) { sum, command in
            let own = all.filter(command.mentions).reduce(1) { min($0 * $1.values.count, Self.mostCases + 1) }
            return min(sum + own, Self.mostCases + 1)
        }
        guard cases <= Self.mostCases else {
            throw PlanMistake(
                "--parameter-list: the lists make more than \(Self.mostCases) commands; give fewer values")
        }
    }

    /// The same as they may be stored: a value that is gone from a command in which its place was filled is a secret, and
    /// its number stands for it.
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

    /// The values of a case as they are run.
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
