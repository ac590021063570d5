// SPDX-License-Identifier: Apache-2.0

package import Judging
package import Runs
import Support

/// What the flags of `fetchbench exec` ask for.
package struct ExecRequest: Sendable {
    /// More cases than this are a mistake in the lists of parameters.
    private static let mostCases = 1000

    /// The commands.
    package var commands: [String]
    /// Their names; none, or one for each.
    package var names: [String] = []
    /// The parameters, each `NAME=VALUE,VALUE`.
    package var parameters: [String] = []
    /// What is run before each run: nothing, one command for all, or one for each.
    package var preparations: [String] = []
    /// What is run after each run: nothing, one command for all, or one for each.
    package var cleanups: [String] = []
    /// The name of the case that the others are compared with; the first one where nothing is said.
    package var reference: String?
    /// Whether a shell runs them.
    package var shell = ExecShell.asNeeded
    /// How they are run.
    package var settings = ExecSettings()

    package init(commands: [String]) {
        self.commands = commands
    }

    /// The plan.
    /// - Throws: ``PlanMistake`` for what makes no sense.
    package func plan(redaction: RedactedCommand) throws(PlanMistake) -> ExecPlan {
        guard !commands.isEmpty else {
            throw PlanMistake("no command is named; `fetchbench exec 'sort file'` measures one")
        }
        try check(names, "--name", allowsOne: false)
        try check(preparations, "--prepare", allowsOne: true)
        try check(cleanups, "--cleanup", allowsOne: true)
        if let empty = names.first(where: { $0.allSatisfy(\.isWhitespace) }) {
            throw PlanMistake("--name: '\(ExecText.safe(empty))' is no name")
        }
        var cases: [ExecCase] = []
        for draft in try drafts() {
            cases.append(try draft.made(redaction: redaction, shell: shell, besides: cases.map(\.name)))
        }
        let first = cases[0].name
        let reference = try reference.map { word throws(PlanMistake) in
            try WordList.resolve(word, kind: "command", among: cases, name: \.name).name
        }
        return ExecPlan(cases: cases, reference: reference ?? first, settings: settings)
    }

    private func check(_ words: [String], _ flag: String, allowsOne: Bool) throws(PlanMistake) {
        guard !words.isEmpty, words.count != commands.count, !(allowsOne && words.count == 1) else { return }
        let wanted = allowsOne && commands.count > 1 ? "1 or \(commands.count)" : "\(commands.count)"
        throw PlanMistake(
            "\(flag) is given \(words.count) times; give it \(wanted) times, for \(commands.count) commands")
    }

    /// What becomes cases: each command with each choice of the parameters that it has.
    private func drafts() throws(PlanMistake) -> [ExecDraft] {
        let parameters = try parsedParameters()
        var drafts: [ExecDraft] = []
        for (index, command) in commands.enumerated() {
            let draft = ExecDraft(
                command: command, name: names.isEmpty ? nil : names[index],
                preparation: preparations.count == 1 ? preparations[0] : preparations.dropFirst(index).first,
                cleanup: cleanups.count == 1 ? cleanups[0] : cleanups.dropFirst(index).first)
            let own = parameters.filter { draft.mentions($0.placeholder) }
            let count = own.reduce(1) { min($0 * $1.values.count, Self.mostCases + 1) }
            guard drafts.count + count <= Self.mostCases else {
                throw PlanMistake(
                    "--parameter-list: the lists make more than \(Self.mostCases) commands; give fewer values")
            }
            drafts += ExecParameter.choices(of: own).map { draft.with($0) }
        }
        let unused = parameters.first { parameter in
            !drafts.contains { $0.values.contains { $0.name == parameter.name } }
        }
        if let unused {
            throw PlanMistake("--parameter-list: no command has \(unused.placeholder) in it")
        }
        return drafts
    }

    private func parsedParameters() throws(PlanMistake) -> [ExecParameter] {
        var parsed: [ExecParameter] = []
        for text in parameters {
            let parameter = try ExecParameter(parsing: text)
            guard !parsed.contains(where: { $0.name == parameter.name }) else {
                throw PlanMistake("--parameter-list: \(parameter.name) is given twice")
            }
            parsed.append(parameter)
        }
        return parsed
    }
}

/// A case before its words are filled in.
struct ExecDraft {
    let command: String
    let name: String?
    let preparation: String?
    let cleanup: String?
    var values: [ExecParameter.Value] = []

    /// Whether a placeholder stands anywhere in it.
    func mentions(_ placeholder: String) -> Bool {
        [command, name, preparation, cleanup].contains { $0?.contains(placeholder) == true }
    }

    func with(_ values: [ExecParameter.Value]) -> ExecDraft {
        var draft = self
        draft.values = values
        return draft
    }

    /// The case, under a name that no other one has.
    func made(redaction: RedactedCommand, shell: ExecShell, besides names: [String]) throws(PlanMistake) -> ExecCase {
        let step = try step(command, "the command", shell, redaction)
        let preparation = try preparation.map { text throws(PlanMistake) in
            try self.step(text, "--prepare", shell, redaction)
        }
        let cleanup = try cleanup.map { text throws(PlanMistake) in try self.step(text, "--cleanup", shell, redaction) }
        let stored = [step, preparation, cleanup].compactMap { $0?.stored }
        let parameters = values.map { value in
            // A value that is gone from the commands was a secret.
            let isKept = stored.contains { $0.contains(value.value) }
            return isKept ? value : ExecParameter.Value(value.name, RedactedCommand.mark)
        }
        return ExecCase(
            name: try unique(title(step, parameters, redaction), among: names), step: step, parameters: parameters,
            preparation: preparation, cleanup: cleanup)
    }

    private func step(
        _ text: String, _ what: String, _ shell: ExecShell, _ redaction: RedactedCommand
    ) throws(PlanMistake) -> ExecStep {
        let filled = ExecTemplate.filled(text, with: values)
        do throws(CommandMistake) {
            return ExecStep(command: filled, stored: redaction.text(filled), launch: try ExecLaunch(filled, shell))
        } catch .noCommand {
            throw PlanMistake("\(what) is empty")
        } catch {
            throw PlanMistake("\(what) '\(ExecText.safe(redaction.text(filled)))': \(error.explanation)")
        }
    }

    private func title(_ step: ExecStep, _ parameters: [ExecParameter.Value], _ redaction: RedactedCommand) -> String {
        // What tells the cases of a command apart has to stand in the name.
        let own = parameters.filter { !(name ?? command).contains("{\($0.name)}") }
        let rest = own.map { "\($0.name)=\($0.value)" }.joined(separator: ", ")
        let title = name.map { redaction.text(ExecTemplate.filled($0, with: parameters)) } ?? step.stored
        return title + (rest.isEmpty ? "" : " (\(rest))")
    }

    /// A name that was given has to be one; the same command a second time is numbered, since it may be meant.
    private func unique(_ title: String, among names: [String]) throws(PlanMistake) -> String {
        guard names.contains(title) else { return title }
        guard name == nil else { throw PlanMistake("--name: '\(ExecText.safe(title))' is taken") }
        var number = 2
        while names.contains("\(title) (\(number))") { number += 1 }
        return "\(title) (\(number))"
    }
}
