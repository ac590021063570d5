// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Measuring
import Runs

/// The flags that define a plan; they override the same values of a suite.
struct PlanOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("URL to fetch instead of an asset of the embedded origin (default: none).", valueName: "url")
    )
    var url: String?

    @OptionGroup
    var request: RequestOptions

    @Option(
        help: ArgumentHelp(
            "Suite to take the plan from: a name of `fetchbench list suites`, or a file (default: none).",
            valueName: "suite"),
        completion: .listed(.suites))
    var suite: String?

    @Option(
        name: .customLong("mode"),
        help: ArgumentHelp(
            "Fetch modes, separated by commas, all, or closest (each --loader in its own); see `fetchbench list modes` (default: data, download, stream, raw).",
            valueName: "modes"),
        completion: .listed(.modes))
    var modes: [String] = []

    @Option(
        help: ArgumentHelp(
            "Trial program with additional modes, which are measured unless --mode is given; repeatable (default: none).",
            valueName: "path"), completion: .file())
    var program: [String] = []

    @Option(
        name: .customLong("exec"),
        help: ArgumentHelp(
            "Command to measure like a mode, as 'NAME=command {url} {file}' ({ca}: certificate authority, with --scheme https); without {url} it is measured on its own; repeatable (default: none).",
            valueName: "command"))
    var commands: [String] = []

    @Option(
        name: [.customShort("L"), .customLong("parameter-list")],
        help: ArgumentHelp(
            "Measure commands without {url} for each value of {NAME}, as 'threads 1,2,4' (default: none).",
            valueName: "name values"))
    var parameterLists: [String] = []

    @Option(
        name: .customLong("render"),
        help: ArgumentHelp(
            "Render models; see `fetchbench list renders` (default: none, and imageview for hero).", valueName: "models"
        ),
        completion: .listed(.renders))
    var renders: [String] = []

    @Option(
        name: .customLong("allocator"),
        help: ArgumentHelp(
            "Allocators: \(AllocatorArm.allCases.map(\.rawValue).joined(separator: ", ")) (default: glibc, jemalloc).",
            valueName: "allocators"),
        completion: .list(AllocatorArm.allCases.map(\.rawValue)))
    var allocators: [String] = []

    @Option(
        name: .customLong("asset"),
        help: ArgumentHelp(
            "Assets: hero, hero-progressive, gallery (36 pictures), gallery-01 …, or sizes such as \(AssetName.sizes); several sizes form a sweep (default: hero, or that of the scenario).",
            valueName: "assets"), completion: .listed(.assets))
    var assets: [String] = []

    @OptionGroup(title: "Conditions")
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
