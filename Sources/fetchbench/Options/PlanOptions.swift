// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Measuring
import Runs

/// The flags that define a plan; they override the same values of a suite.
struct PlanOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Fetch this URL instead of an asset of the embedded origin.", valueName: "url"))
    var url: String?

    @OptionGroup
    var request: RequestOptions

    @Option(
        help: ArgumentHelp(
            "Take the plan of a suite: one that `fetchbench list suites` names, or a file.", valueName: "suite"),
        completion: .listed(.suites))
    var suite: String?

    @Option(
        name: .customLong("mode"),
        help: ArgumentHelp(
            "Fetch modes, repeated or separated by commas, or all; `fetchbench list` names them.", valueName: "modes"),
        completion: .listed(.modes))
    var modes: [String] = []

    @Option(
        help: ArgumentHelp(
            "A trial program with modes of its own, beside those of this project; repeatable. Its modes are measured where none is named.",
            valueName: "path"), completion: .file())
    var program: [String] = []

    @Option(
        name: .customLong("exec"),
        help: ArgumentHelp(
            "Measure a command like a mode, as 'NAME=command with {url} {file}' ({ca}: the authority to trust, with --scheme https); one without {url} fetches nothing and is measured for itself; repeatable.",
            valueName: "command"))
    var commands: [String] = []

    @Option(
        name: [.customShort("L"), .customLong("parameter-list")],
        help: ArgumentHelp(
            "Measure a command without {url} once for each value of {NAME} in it, as 'threads 1,2,4'.",
            valueName: "name values"))
    var parameterLists: [String] = []

    @Option(
        name: .customLong("render"),
        help: ArgumentHelp("Render models; `fetchbench list renders` names them.", valueName: "models"),
        completion: .listed(.renders))
    var renders: [String] = []

    @Option(
        name: .customLong("allocator"),
        help: ArgumentHelp(
            "Allocators: \(AllocatorArm.allCases.map(\.rawValue).joined(separator: ", ")).", valueName: "allocators"),
        completion: .list(AllocatorArm.allCases.map(\.rawValue)))
    var allocators: [String] = []

    @Option(
        name: .customLong("asset"),
        help: ArgumentHelp(
            "Assets: hero, hero-progressive, gallery (36 pictures) and gallery-01 … of it, a size such as \(AssetName.sizes); several sizes are a sweep (default: hero, or what the scenario is played with).",
            valueName: "assets"), completion: .listed(.assets))
    var assets: [String] = []

    @OptionGroup(title: "Under which conditions")
    var conditions: ConditionOptions

    @OptionGroup
    var settings: SettingOptions<EverySetting>

    /// Indicates whether no option was given.
    var isEmpty: Bool {
        url == nil && suite == nil && settings.words.isEmpty && conditions.words.isEmpty && request.words.isEmpty
            && [modes, program, commands, parameterLists, renders, allocators, assets].allSatisfy(\.isEmpty)
    }

    /// Indicates whether all given options are ones that a stored run lacks: URL credentials, headers, body, commands.
    var repeatsSecretsAlone: Bool {
        var rest = self
        rest.url = nil
        rest.request.headers = []
        rest.request.body = nil
        rest.commands = []
        rest.parameterLists = []
        rest.program = []
        return rest.isEmpty
    }
}
