// SPDX-License-Identifier: Apache-2.0

import MemProbe
import OperatingSystem
package import Runs
import Texts
import TrialKit

/// The flags of a printed command that repeats a measurement.
package struct PlanFlags {
    var assets: [String]
    /// The foreign URL to fetch instead, without credentials.
    var url: String?
    /// True if its server is asked first.
    var asksFirst = true
    /// The names of the modes other than commands.
    var modes: [String]
    /// The commands among the modes, unredacted.
    var commands: [ExternalCommand]
    /// The parameters of plain commands with their stored values.
    var parameters: [CommandParameter] = []
    /// The paths of trial programs beside this project's own.
    var programs: [String] = []
    var renders: [String]
    var allocators: [AllocatorArm]
    var conditions: ConditionRequest
    var values: SettingValues
    /// True if the number of trials is decided elsewhere.
    var leavesTrialsOut = false

    /// True if anything is fetched: plain commands take no flags of fetches.
    private let fetches: Bool
    /// Keeps credentials and the user's folders out of printed commands; a shell expands the folders.
    let redaction: RedactedCommand

    /// The flags of a whole request, including those of its suite.
    package init(_ request: PlanRequest, redaction: RedactedCommand) {
        self.redaction = redaction
        fetches = request.modes.contains(where: \.fetches)
        assets = request.assetNames
        url = request.words.url.map { RedactedURL.text(of: $0) }
        asksFirst = request.words.request.asksFirst
        modes =
            request.closestModes.isEmpty
            ? request.modes.filter { $0.command == nil }.map(\.name) : [PlannedMode.closestWord]
        commands = request.modes.compactMap(\.command)
        parameters = request.parameters.stored(in: commands.filter { !$0.fetches }, redaction)
        programs = request.words.programs
        renders = request.models.map(\.name)
        allocators = request.allocators
        conditions = request.conditions
        values = request.values
    }

    /// The flags of one case; its assets are one or all sizes of its sweep, its command unredacted.
    init(
        of cell: Case, assets: [Asset], command: ExternalCommand?, in plan: Plan, redaction: RedactedCommand
    ) {
        self.redaction = redaction
        fetches = !cell.isPlain
        self.assets = assets.filter(\.isEmbedded).map(\.name)
        let foreign = assets.first { !$0.isEmbedded }
        url = foreign?.location
        asksFirst = foreign?.reference != nil
        modes = command == nil ? [cell.mode] : []
        commands = command.map { [$0] } ?? []
        parameters = cell.parameters.map { CommandParameter($0.name, values: [$0.value]) }
        renders = [cell.render]
        allocators = [cell.allocator]
        conditions = ConditionRequest(only: cell.conditions)
        values = SettingValues(plan)
    }

    /// The flags as shell words, without credentials and the user's folders.
    var words: [String] {
        var words = url.map { ["--url", ShellWord.pasted($0)] } ?? []
        if url != nil { words += (values.settings.request?.flags ?? []) + (asksFirst ? [] : ["--no-reference"]) }
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
        }.flatMap { setting in
            let words = setting.words(of: values)
            return setting.isPath ? words.prefix(1) + words.dropFirst().map { Self.word($0, redaction) } : words
        }
    }

    /// Returns a command line that repeats the measurement; `beginning` is all that precedes the plan.
    package func command(_ beginning: [String] = ["run"]) -> String {
        (["fetchbench"] + beginning + words).joined(separator: " ")
    }

    /// Returns a command line of `exec` that repeats plain commands.
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
        if let seconds = own.childrenSeconds { words += ["--wait-for-children", CSV.text(seconds)] }
        if let method = own.method { words += ["--method", method.rawValue] }
        if let reference = own.reference { words += ["--reference", Self.word(reference, redaction)] }
        if own.ignoresFailure { words.append("--ignore-failure") }
        return words.joined(separator: " ")
    }

    /// Returns a command, redacted, as one shell word.
    package static func word(_ command: String, name: String? = nil, _ redaction: RedactedCommand) -> String {
        ShellWord.quoted((name.map { $0 + "=" } ?? "") + redaction.text(command))
    }
}
