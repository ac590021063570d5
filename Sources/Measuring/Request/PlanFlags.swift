// SPDX-License-Identifier: Apache-2.0

import MemProbe
import OperatingSystem
package import Runs
import TrialKit

/// The flags that measure something again: every command line that is printed to be repeated has them from here.
package struct PlanFlags {
    /// The names of the embedded origin's assets.
    var assets: [String]
    /// The foreign URL that is fetched instead, without its credentials.
    var url: String?
    /// The names of the modes, those of commands left out.
    var modes: [String]
    /// The commands among the modes, as they were given.
    var commands: [ExternalCommand]
    /// The parameters of plain commands, as they may be stored.
    var parameters: [CommandParameter] = []
    /// The paths of trial programs beside those of this project.
    var programs: [String] = []
    /// The names of the render models.
    var renders: [String]
    /// The allocators.
    var allocators: [AllocatorArm]
    /// Under which conditions assets are fetched.
    var conditions: ConditionRequest
    /// What the settings are.
    var values: SettingValues
    /// Whether something else decides how many trials each case gets.
    var leavesTrialsOut = false

    /// Whether anything of it is fetched: a plain command knows no flag of a fetch.
    private let fetches: Bool
    /// What keeps credentials and the user's folders out of what is printed; a shell puts the folders back.
    let redaction: RedactedCommand

    /// All that was asked for, what a suite asked for among it.
    package init(_ request: PlanRequest, redaction: RedactedCommand) {
        self.redaction = redaction
        fetches = request.modes.contains(where: \.fetches)
        assets = request.assetNames
        url = request.words.url.map { RedactedURL.text(of: $0) }
        modes = request.modes.filter { $0.command == nil }.map(\.name)
        commands = request.modes.compactMap(\.command)
        parameters = request.parameters.stored(in: commands.filter { !$0.fetches }, redaction)
        programs = request.words.programs
        renders = request.models.map(\.name)
        allocators = request.allocators
        conditions = request.conditions
        values = request.values
    }

    /// One case of a plan.
    /// - Parameters:
    ///   - assets: the assets of the case: one, or all sizes of its sweep.
    ///   - command: the command of the case as it was given, or `nil` where a built-in mode fetches.
    init(
        of cell: Case, assets: [Asset], command: ExternalCommand?, in plan: Plan, redaction: RedactedCommand
    ) {
        self.redaction = redaction
        fetches = !cell.isPlain
        self.assets = assets.filter(\.isEmbedded).map(\.name)
        url = assets.first { !$0.isEmbedded }?.location
        modes = command == nil ? [cell.mode] : []
        commands = command.map { [$0] } ?? []
        parameters = cell.parameters.map { CommandParameter($0.name, values: [$0.value]) }
        renders = [cell.render]
        allocators = [cell.allocator]
        conditions = ConditionRequest(only: cell.conditions)
        values = SettingValues(plan)
    }

    /// The flags as words of a shell, without credentials and the user's folders.
    var words: [String] {
        var words = url.map { ["--url", ShellWord.pasted($0)] } ?? []
        if url != nil { words += values.settings.request?.flags ?? [] }
        if !assets.isEmpty { words += ["--asset", ShellWord.pasted(assets.joined(separator: ","))] }
        if !modes.isEmpty { words += ["--mode", modes.joined(separator: ",")] }
        for command in commands { words += ["--exec", Self.word(command.command, name: command.name, redaction)] }
        for parameter in parameters { words += ["--parameter-list", ShellWord.quoted(parameter.text)] }
        for program in programs { words += ["--program", Self.word(program, redaction)] }
        if fetches { words += ["--render", renders.joined(separator: ",")] }
        words += ["--allocator", allocators.map(\.rawValue).joined(separator: ",")]
        if fetches { words += conditions.flags }
        return words + settingWords
    }

    private var settingWords: [String] {
        Setting.all.filter { setting in
            (fetches || !setting.isOfFetch) && !(leavesTrialsOut && setting.flag == Setting.trials.flag)
        }.flatMap { $0.words(of: values) }
    }

    /// A command line that measures it again.
    /// - Parameter beginning: the subcommand, and what else comes before the plan.
    package func command(_ beginning: [String] = ["run"]) -> String {
        (["fetchbench"] + beginning + words).joined(separator: " ")
    }

    /// A command line of `exec` that measures the same plain commands again.
    package func execCommand() -> String {
        var words = ["fetchbench", "exec"] + commands.map { Self.word($0.command, redaction) }
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
        for parameter in parameters { words += ["--parameter-list", ShellWord.quoted(parameter.text)] }
        if allocators != [.glibc] { words += ["--allocator", allocators.map(\.rawValue).joined(separator: ",")] }
        words += settingWords
        guard let own = values.settings.commands else { return words.joined(separator: " ") }
        if own.warmup > 0 { words += ["--warmup", "\(own.warmup)"] }
        if let input = own.input { words += ["--input", Self.word(input, redaction)] }
        if let limit = own.limit { words += ["--limit", limit.exactText] }
        if let reference = own.reference { words += ["--reference", Self.word(reference, redaction)] }
        if own.ignoresFailure { words.append("--ignore-failure") }
        return words.joined(separator: " ")
    }

    /// A command as one word of a shell.
    package static func word(_ command: String, name: String? = nil, _ redaction: RedactedCommand) -> String {
        ShellWord.quoted((name.map { $0 + "=" } ?? "") + redaction.text(command))
    }
}
