// SPDX-License-Identifier: Apache-2.0

import CommandConsole
import Origin

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
        name: .customLong("server"),
        help: ArgumentHelp(
            "Server to measure, as 'NAME=METHOD /path [body=SIZE] : command {port}'; see `fetchbench help endpoint`; repeatable (default: none).",
            valueName: "server", visibility: .hidden))
    var servers: [String] = []

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
            "Assets: hero, hero-progressive, gallery, gallery-01 …, sizes such as \(AssetName.sizes), some joined by +; several sizes form a sweep (default: hero, or that of the scenario).",
            valueName: "assets"), completion: .listed(.assets))
    var assets: [String] = []

    @OptionGroup(title: "Conditions")
    var conditions: ConditionOptions

    @OptionGroup
    var settings: SettingOptions<EverySetting>

    var isEmpty: Bool {
        url == nil && suite == nil && settings.words.isEmpty && conditions.words.isEmpty && request.words.isEmpty
            && lists.isEmpty
    }

    private var lists: [PlanWords.List: [String]] {
        [
            .assets: assets, .modes: modes, .exec: commands, .servers: servers, .parameters: parameterLists,
            .programs: program,
            .renders: renders, .allocators: allocators,
        ].filter { !$0.value.isEmpty }
    }

    /// Indicates whether all given options are ones that a stored run lacks: URL credentials, headers, body, commands.
    var repeatsSecretsAlone: Bool {
        var rest = self
        rest.url = nil
        rest.request.headers = []
        rest.request.body = nil
        (rest.commands, rest.servers) = ([], [])
        rest.parameterLists = []
        rest.program = []
        return rest.isEmpty
    }
}

extension PlanOptions {
    /// The arguments as given, with the suite that they name.
    func words() throws -> (words: PlanWords, note: String?) {
        let shelved = try suite.map { try SuiteShelf.suite($0) }
        var words = PlanWords()
        words.url = url
        words.request = request.words
        words.suite = shelved?.suite
        words.lists = lists
        words[.programs] += (shelved?.suite.lists[.programs] ?? []).filter { !program.contains($0) }
        words.conditions = conditions.words
        words.settings = settings.words
        return (words, shelved?.note)
    }

    func namedPrograms() throws -> [String] {
        suite == nil ? program : try words().words[.programs]
    }

    /// The trial programs that a new plan may need, of those that are named and those beside this executable; all of
    /// them for a stored plan, which has more than is given.
    func programs(isStored: Bool = false) async throws -> TrialPrograms {
        let (words, _) = try words()
        guard try isStored || !words.isPlain() else { return TrialPrograms(executables: []) }
        let here = HarnessContext.here
        if !isStored, let modes = words.namedModes {
            let some = try await here.programs(named: words[.programs], for: modes)
            // An error about a plan lists what all programs have.
            if (try? PlanRequest(words, some)) != nil { return here.announced(some, named: words[.programs]) }
        }
        return try await here.announcedPrograms(named: words[.programs])
    }

    func request(_ programs: TrialPrograms, budgets: BudgetOptions? = nil) throws -> PlanRequest {
        var (words, note) = try words()
        words[.budgets] = budgets?.budget ?? []
        if let note { Console.warn(note) }
        return try PlanRequest(words, programs)
    }

    /// The commands given again for a resume: their secrets are not stored.
    func commandsAgain() throws -> [ExternalCommand] {
        var words = PlanWords()
        (words[.exec], words[.servers]) = (commands, servers)
        return try words.externalCommands(besides: [])
    }

    /// Rejects what is stored with the run that is to be resumed; for a new one, checks its part before anything is prepared.
    func check(
        resuming resume: String?, _ options: RunOptions, _ budgets: BudgetOptions? = nil,
        _ shard: ShardOptions? = nil
    ) throws {
        guard resume != nil else { return try shard?.check() ?? () }
        let stored = [
            ("continues in the run's own folder", "--output", options.output),
            ("keeps the stored label", "--label", options.label),
            ("uses the stored part", "--shard", shard?.text),
        ]
        for (reason, flag, value) in stored where value != nil {
            throw ValidationError("--resume \(reason) and cannot be combined with \(flag): omit \(flag)")
        }
        try checkBeside(stored: "--resume", budgets)
    }

    /// Rejects budgets, and all plan options but the secrets that a stored plan lacks.
    func checkBeside(stored flag: String, _ budgets: BudgetOptions?) throws {
        guard budgets?.budget.isEmpty ?? true else {
            throw ValidationError("\(flag) uses the stored budgets; omit --budget")
        }
        guard repeatsSecretsAlone else {
            throw ValidationError(
                "\(flag) uses the stored plan; it can be combined only with --url, --header, --body, --exec and --program"
            )
        }
        _ = try Usage.checked { try commandsAgain() }
    }

    func resumed(
        _ folder: String, _ kind: RunRecord.Kind, _ sides: Sides? = nil, evenIfFinished: Bool = false,
        besides more: [ExternalCommand] = [], programs: TrialPrograms, in harness: HarnessContext
    ) throws -> RunMeasurement {
        try RunMeasurement.resumed(
            RunFolder(existing: folder), kind, sides, evenIfFinished: evenIfFinished, in: harness
        ) { try inputs(of: $0, besides: more, programs: programs, in: harness) }
    }

    /// The inputs of a run whose plan is stored, with the secrets that were given again.
    func inputs(
        of record: RunRecord, besides more: [ExternalCommand] = [], programs: TrialPrograms, in harness: HarnessContext
    ) throws -> TrialInputs {
        try TrialInputs(
            resuming: record, url: url, request: request.words, commands: commandsAgain() + more,
            parameters: parameterLists.map { try CommandParameter(parsing: $0) }, programs: programs, named: program,
            in: harness)
    }
}

extension PlanRequest {
    /// Returns the plan after printing its warnings; making its assets may take long.
    func announcedPlan(in harness: HarnessContext, showsProgress: Bool) async throws -> Plan {
        // A foreign URL needs no asset, but the origin used for warm-up does: fail before anything is stored.
        if modes.contains(where: \.fetches) { _ = try harness.originEnvironment() }
        let display = ProgressDisplay(.here(isShown: showsProgress), "preparing the assets")
        defer { display.finish() }
        var (plan, warnings) = try await plan(
            preparing: AssetLibrary.announcedAsset, variables: harness.variables, redaction: harness.redaction)
        if let url = words.url, words.request.asksFirst {
            let reference = try await ReferenceFetcher(in: harness).report(
                on: url, with: details, authority: harness.certificateAuthority(of: plan),
                within: plan.settings.timeoutSeconds)
            plan.assets = plan.assets.map { $0.compared(with: reference) }
        }
        if plan.usesTLS { _ = try harness.origin(overTLS: true) }
        display.finish()
        warnings.forEach { Console.warn($0) }
        return plan
    }
}
