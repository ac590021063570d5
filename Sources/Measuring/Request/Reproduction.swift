// SPDX-License-Identifier: Apache-2.0

package import Judging
package import Runs

/// Makes commands that repeat the measurement of one case of a judgement.
package struct Reproduction {
    let beginning: [String]
    let plan: Plan
    /// The commands among the modes, unredacted, by name: those of a plan may lack secrets and folders.
    let commands: [String: ExternalCommand]
    /// Keeps credentials and the user's folders out of printed commands.
    let redaction: RedactedCommand
    var programs: [String] = []
    var namesModes = false
    /// A command that repeats everything, for a case that cannot be named alone.
    var whole: String?

    /// Measures a case by itself, with enough trials to be judged.
    package static func run(
        _ plan: Plan, commands: [String: ExternalCommand], programs: [String] = [], whole: String? = nil,
        redaction: RedactedCommand
    ) -> Reproduction {
        Reproduction(
            beginning: ["run", "--trials", "30"], plan: plan, commands: commands, redaction: redaction,
            programs: programs, whole: whole)
    }

    package static func run(stored run: RunRecord, redaction: RedactedCommand) -> Reproduction {
        let whole = run.plan.commands.filter { $0.isRedacted != true }
        return .run(
            run.plan, commands: Dictionary(whole.map { ($0.name, $0) }) { first, _ in first },
            whole: run.reproduce.isEmpty ? nil : run.reproduce, redaction: redaction)
    }

    /// Compares a case of stored pairs again; commands can only be compared as a whole.
    package static func pairs(stored run: RunRecord, redaction: RedactedCommand) -> Reproduction {
        // `fetchbench compare --base BASE --head HEAD`, or the flags of trial programs.
        let beginning = run.reproduce.split(separator: " ").dropFirst().prefix(5).map(String.init)
        return Reproduction(
            beginning: beginning, plan: run.wholePlan, commands: [:], redaction: redaction, whole: run.reproduce)
    }

    package func added(to findings: [Finding]) -> [Finding] {
        findings.map { finding in
            guard finding.verdict != .unchanged, let cell = plan.cases.first(where: { $0.identifier == finding.cell })
            else { return finding }
            var finding = finding
            let budget = finding.budget.flatMap { try? Budget(parsing: $0, of: .ofEveryTrial) }
            finding.reproduce = command(for: cell, asSweep: budget?.limitsSlope ?? false)
            return finding
        }
    }

    private func command(for cell: Case, asSweep: Bool) -> String? {
        let isCommand = plan.command(of: cell) != nil
        guard namesModes || !isCommand || commands[cell.mode] != nil else { return whole }
        let names = asSweep ? assets(besides: cell) : [cell.asset]
        var flags = PlanFlags(
            of: cell, assets: plan.assets.filter { names.contains($0.name) }, command: commands[cell.mode], in: plan,
            redaction: redaction)
        flags.lists[.programs] = programs.map { PlanFlags.word($0, redaction) }
        flags.leavesTrialsOut = true
        if cell.isPlain, beginning.first == "run", commands[cell.mode]?.hasShortName == false {
            (flags.values.trials, flags.leavesTrialsOut) = (30, false)
            return flags.execCommand()
        }
        if namesModes {
            flags.leaveModesOut()
        }
        return (["fetchbench"] + beginning + flags.words).joined(separator: " ")
    }

    /// The assets of cases that differ from this one in nothing else, as a slope needs them.
    private func assets(besides cell: Case) -> [String] {
        plan.cases.filter { other in
            var other = other
            other.asset = cell.asset
            return other == cell
        }.map(\.asset)
    }

    /// Folders of the user that a printed command leaves to the shell.
    ///
    /// Each is marked by a character of plane 15, which is for private use.
    package enum ShellFolder: Character {
        case work = "\u{F0000}"
        case temporary = "\u{F0001}"
        case home = "\u{F0002}"

        /// The expression that a shell expands in double quotes.
        var expansion: String {
            switch self {
            case .work: "$PWD"
            case .temporary: "${TMPDIR:-/tmp}"
            case .home: "$HOME"
            }
        }
    }
}

package struct PlanFlags {
    var url: String?
    var asksFirst = true
    /// The values of the lists as a shell reads them; those of ``PlanWords.List/exec`` are the commands.
    var lists: [PlanWords.List: [String]]
    var commands: [ExternalCommand]
    var conditions: ConditionRequest
    var values: SettingValues
    var leavesTrialsOut = false
    private let subjects: Set<PlannedSubject>
    /// Keeps credentials and the user's folders out of printed commands; a shell expands the folders.
    let redaction: RedactedCommand

    package init(_ request: PlanRequest, redaction: RedactedCommand) {
        self.redaction = redaction
        subjects = Set(request.modes.map(\.subject))
        url = request.words.url.map { RedactedURL.text(of: $0) }
        asksFirst = request.words.request.asksFirst
        commands = request.modes.compactMap(\.command)
        let parameters = request.parameters.stored(in: commands.filter { !$0.fetches }, redaction)
        lists = [
            .assets: request.assetNames,
            .modes: request.closestModes.isEmpty
                ? request.modes.filter { $0.command == nil }.map(\.name) : [PlannedMode.closestWord],
            .parameters: parameters.map { ShellWord.quoted($0.text) },
            .programs: request.words[.programs].map { Self.word($0, redaction) },
            .renders: request.models.map(\.name), .allocators: request.allocators.map(\.rawValue),
        ]
        conditions = request.conditions
        values = request.values
    }

    /// The flags of one case; its assets are one or all sizes of its sweep, its command unredacted.
    init(
        of cell: Case, assets: [Asset], command: ExternalCommand?, in plan: Plan, redaction: RedactedCommand
    ) {
        self.redaction = redaction
        subjects = [cell.isServer ? .server : cell.isPlain ? .command : .fetch]
        let foreign = assets.first { !$0.isEmbedded }
        url = foreign?.location
        asksFirst = foreign?.reference != nil
        commands = command.map { [$0] } ?? []
        lists = [
            .assets: assets.filter(\.isEmbedded).map(\.name), .modes: command == nil ? [cell.mode] : [],
            .parameters: cell.parameters.map {
                ShellWord.quoted(CommandParameter($0.name, values: [$0.value]).text)
            },
            .renders: [cell.render], .allocators: [cell.allocator.rawValue],
        ]
        conditions = ConditionRequest(only: cell.conditions)
        values = SettingValues(plan)
    }

    mutating func leaveModesOut() {
        lists[.modes] = []
        commands = []
    }

    /// The flags as shell words, without credentials and the user's folders.
    var words: [String] {
        var words = url.map { ["--url", ShellWord.pasted($0)] } ?? []
        if url != nil { words += (values.settings.request?.flags ?? []) + (asksFirst ? [] : ["--no-reference"]) }
        return words + PlanWords.List.allCases.flatMap { self.words(of: $0) } + conditions.flags + settingWords
    }

    private func words(of list: PlanWords.List) -> [String] {
        if list == .exec || list == .servers {
            return commands.filter { ($0.server != nil) == (list == .servers) }.flatMap { command in
                [list.flag, Self.word(command.given, name: command.name, redaction)]
            }
        }
        guard let values = lists[list], !values.isEmpty, subjects.contains(.fetch) || !list.isOfFetch else { return [] }
        if list.isRepeated { return values.flatMap { [list.flag, $0] } }
        return [list.flag, ShellWord.pasted(values.joined(separator: ","))]
    }

    private var settingWords: [String] {
        Setting.all.filter { setting in
            setting.applies(to: subjects) && !(setting.isOfOrigin && url != nil)
                && !(leavesTrialsOut && setting.flag == Setting.trials.flag)
        }.flatMap { setting in
            let words = setting.words(of: values)
            return setting.isPath ? words.prefix(1) + words.dropFirst().map { Self.word($0, redaction) } : words
        }
    }

    /// Returns a command line that repeats the measurement; `beginning` is all that precedes the plan.
    package func command(_ beginning: [String] = ["run"]) -> String {
        (["fetchbench"] + beginning + words).joined(separator: " ")
    }

    /// Returns a command line of `exec`, or of another subcommand that takes them, that repeats plain commands.
    package func execCommand(_ subcommand: String = "exec") -> String {
        var words = ["fetchbench", subcommand] + commands.map { Self.word($0.command, redaction) }
        if commands.contains(where: { $0.name != $0.command }) {
            words += commands.flatMap { ["--name", Self.word($0.name, redaction)] }
        }
        for (flag, step) in [("--prepare", \ExternalCommand.preparation), ("--cleanup", \ExternalCommand.cleanup)] {
            let given = commands.compactMap { $0[keyPath: step] }
            words += (Set(given).count == 1 ? [given[0]] : given).flatMap { [flag, Self.word($0, redaction)] }
        }
        switch commands.first?.shell {
        case .always(let shell):
            words += ["--shell", Self.word(shell.map(ShellWord.quoted).joined(separator: " "), redaction)]
        case .never: words.append("--no-shell")
        case .asNeeded, nil: break
        }
        words += self.words(of: .parameters)
        if lists[.allocators] != [AllocatorArm.glibc.rawValue] { words += self.words(of: .allocators) }
        words += conditions.flags + settingWords
        guard let own = values.settings.commands else { return words.joined(separator: " ") }
        if own.warmup > 0 { words += ["--warmup", "\(own.warmup)"] }
        if let input = own.input { words += ["--input", Self.word(input, redaction)] }
        if let limit = own.limit { words += ["--limit", limit.exactText] }
        if let seconds = own.childrenSeconds { words += ["--wait-for-children", CSV.text(seconds)] }
        if let method = own.method { words += ["--method", method.rawValue] }
        if let reference = own.reference { words += ["--reference", Self.word(reference, redaction)] }
        if own.ignoresFailure { words.append("--ignore-failure") }
        return words.joined(separator: " ")
    }

    package static func word(_ command: String, name: String? = nil, _ redaction: RedactedCommand) -> String {
        ShellWord.quoted((name.map { $0 + "=" } ?? "") + redaction.text(command))
    }
}

package enum ShellWord {
    /// Returns the word unchanged if it has no special characters, else quoted.
    package static func pasted(_ word: String) -> String {
        let isPlain =
            !word.isEmpty && word.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "/._-+:=,".contains($0)) }
        return isPlain ? word : quoted(word)
    }

    /// Returns the word in single quotes, except for the marks of folders, which a shell has to expand.
    ///
    /// A shell expands `~` only at the beginning of a word, so the folders are variables. A byte that is not UTF-8 is
    /// written as `$'\xFF'`, as Bash and POSIX of 2024 read it.
    package static func quoted(_ word: String) -> String {
        var text = ""
        var literal = ""
        for scalar in word.unicodeScalars {
            let folder = Reproduction.ShellFolder(rawValue: Character(scalar)).map { "\"\($0.expansion)\"" }
            let byte = SystemText.byte(of: scalar).map { "$'\\x\(String($0, radix: 16, uppercase: true))'" }
            if let special = folder ?? byte {
                text += literal.isEmpty ? "" : "'\(literal)'"
                text += special
                literal = ""
            } else if scalar == "'" {
                literal += "'\\''"
            } else {
                literal.unicodeScalars.append(scalar)
            }
        }
        return text + (literal.isEmpty && !text.isEmpty ? "" : "'\(literal)'")
    }
}
