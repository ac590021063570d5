// SPDX-License-Identifier: Apache-2.0

package import Runs

/// The parameters of a plan's plain commands, with their real and their stored values.
package struct CommandParameters: Hashable, Sendable {
    /// The maximum number of cases; more are a mistake in the lists.
    private static let mostCases = 1000

    package let all: [CommandParameter]

    /// Parses the lists and checks them against the commands.
    /// - Throws: ``PlanMistake`` for an invalid, repeated or unused list, and for too many values.
    init(_ texts: [String], of commands: [ExternalCommand]) throws(PlanMistake) {
        var all: [CommandParameter] = []
        for text in texts {
            let parameter = try CommandParameter(parsing: text)
            guard !all.contains(where: { $0.name == parameter.name }) else {
                throw PlanMistake("--parameter-list: parameter \(parameter.name) is given twice")
            }
            guard commands.contains(where: { $0.mentions(parameter) }) else {
                throw PlanMistake(
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
            throw PlanMistake(
                "--parameter-list: the lists make more than \(Self.mostCases) commands; give fewer values")
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

    /// Restores the real values of a case.
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
