// SPDX-License-Identifier: Apache-2.0

package import Judging
package import Runs

package struct PlanRequest: Sendable {
    package let words: PlanWords
    package let assetNames: [String]
    /// The programs that can be measured, that of the first mode first.
    package let programs: TrialPrograms
    package let modes: [PlannedMode]
    /// The only mode of each loader, by the loader's name, if `closest` is given; empty otherwise.
    package let closestModes: [String: String]
    package let models: [RenderModelDeclaration]
    package let allocators: [AllocatorArm]
    package let conditions: ConditionRequest
    package let parameters: CommandParameters
    package var values: SettingValues
    package let details: RequestDetails?
    package let budgets: [Budget]
    /// The budgets of the command line, by which any command judges.
    package let givenBudgets: [Budget]
    package let noise: NoiseFloors

    /// Merges and validates flags and suite.
    /// - Throws: An error of kind `usage` for an invalid argument, of another one if there is no program to measure.
    package init(_ given: PlanWords, _ found: TrialPrograms) throws {
        let words = try Self.spelled(given)
        self.words = words
        let suite = words.suite
        let commands = try words.externalCommands(besides: found.modes.map(\.name) + TrialPrograms.ownModes)
        let servers = commands.contains { $0.server != nil } ? [ServerScenario.declaration] : []
        conditions = try ConditionRequest(flags: words.conditions, suite: suite?.conditions ?? [:])
        closestModes = try Self.closestModes(words, conditions, among: found.scenarios)
        let declared = try Self.modes(words, closest: closestModes.values.sorted(), among: found)
        let fetches = commands.isEmpty || !declared.isEmpty || commands.contains(where: \.fetches)
        if fetches, found.executables.isEmpty {
            throw FetchBenchError.noTrialPrograms(remedy: found.remedy ?? "")
        }
        parameters = try Self.parameters(words, of: commands.filter { !$0.fetches }, besideFetches: fetches)
        assetNames =
            fetches ? try Self.assets(words, usual: Self.usualAsset(of: conditions, found)) : []
        modes = declared.map(found.planned) + commands.map { PlannedMode($0) }
        models =
            fetches
            ? try Self.models(
                words, isHero: assetNames.first?.hasPrefix("hero") ?? false, among: found.renderModels) : []
        programs = found.puttingFirst(programOf: Self.first(of: modes))
        allocators = try Self.allocators(words, of: modes)
        try Self.check(conditions, among: found.scenarios + servers)
        if commands.contains(where: { $0.server?.client != nil }) { try Self.checkClient(conditions) }
        details = try words.request.details(for: words.url, asksServer: !servers.isEmpty)
        values = try SettingValues(flags: words.settings, suite: suite?.settings ?? [:])
        values.settings.request = RequestOutline(details)
        values.settings.commands = commands.allSatisfy(\.fetches) ? nil : words.commandSettings
        try values.checkAuthority(of: words.url)
        if words.url != nil { try Self.checkForeignURL(words, conditions, values) }
        let metrics = try Self.metrics(of: found.declared + servers, found.scenarios + servers)
        givenBudgets = try words[.budgets].map { try Self.budget($0, of: metrics) }
        budgets = try (suite?.lists[.budgets] ?? []).map { try Self.budget($0, of: metrics) } + givenBudgets
        noise = suite?.noise ?? NoiseFloors()
        try Self.check(noise, among: metrics)
    }

    /// Returns the words with the URL in the spelling in which every client gets it.
    private static func spelled(_ given: PlanWords) throws -> PlanWords {
        guard let url = given.url else { return given }
        guard given[.assets].isEmpty else {
            throw FetchBenchError(
                usage: "--url cannot be combined with --asset, which names an asset of the embedded origin")
        }
        var words = given
        words.url = try TargetURL.canonical(url)
        // Without the word, client and server agree on the version.
        if words.isOverTLS, words.conditions["http"] == ["1.1"] {
            words.conditions["http"] = [HTTPProtocol.http1Only.rawValue]
        }
        return words
    }

    /// Refuses whatever configures the embedded origin, also as it is by default.
    private static func checkForeignURL(
        _ words: PlanWords, _ conditions: ConditionRequest, _ values: SettingValues
    ) throws {
        let given =
            Dimension.all.filter { $0.isOfOrigin && words.conditions[$0.flag]?.isEmpty == false }.map(\.flag)
            + Setting.all.filter { $0.isOfOrigin && words.settings[$0.flag] != nil }.map(\.flag)
        // Of a suite; a profile brings one that nobody has typed.
        let latency = values.settings.latencyNanoseconds == nil || given.contains("profile") ? [] : ["latency"]
        let flags = WordList.words(in: given + conditions.flagsOfOrigin + latency)
            .filter { $0 != Dimension.http.flag || !words.isOverTLS }.map { "--" + $0 }
        guard flags.isEmpty else {
            throw FetchBenchError(
                usage:
                    "\(flags.joined(separator: " and ")) configure\(flags.count == 1 ? "s" : "") the embedded origin and cannot be "
                    + "combined with --url")
        }
    }

    private static func metrics(
        of declared: [ScenarioDeclaration], _ scenarios: [ScenarioDeclaration]
    ) throws -> MetricCatalog {
        let taken = MetricCatalog.ofEveryTrial.words
        if let mistake = FigureCheck.mistakes(in: declared, besides: taken).first {
            throw FetchBenchError(
                usage: "the trial programs disagree on a figure of a scenario: \(mistake); rename it in one of them")
        }
        return MetricCatalog(scenarios)
    }

    private static func check(_ noise: NoiseFloors, among metrics: MetricCatalog) throws {
        let judged = metrics.judged.map(\.name)
        guard let unknown = noise.metrics.subtracting(judged).min() else { return }
        throw FetchBenchError(
            usage: Suggestion.complaint(
                about: SafeText.forTerminal(unknown), of: "judged metric with a noise floor", choices: judged))
    }

    private static func check(
        _ conditions: ConditionRequest, among scenarios: [ScenarioDeclaration]
    ) throws {
        for one in conditions.all {
            try one.scenario.check(among: scenarios)
            try scenarios.checkLoader(one.loader)
        }
    }

    /// Refuses what only our own clients of a server do.
    private static func checkClient(_ conditions: ConditionRequest) throws {
        guard conditions.all.contains(where: { $0.concurrency > 1 || $0.clientRate != nil }) else { return }
        throw FetchBenchError(
            usage: "--client makes its requests as it likes: omit --concurrency and --client-rate, or --client")
    }

    private static func parameters(
        _ words: PlanWords, of plain: [ExternalCommand], besideFetches: Bool
    ) throws -> CommandParameters {
        if !besideFetches { try words.checkNothingOfAFetch(with: plain) }
        let parameters = try CommandParameters(words.given(.parameters), of: plain)
        for command in plain { try command.check(with: parameters.all) }
        return parameters
    }

    /// The default modes: those of the original comparison.
    private static let usualModes = ["none", "data", "download", "stream", "raw"]

    private static func budget(_ text: String, of metrics: MetricCatalog) throws -> Budget {
        do {
            return try Budget(parsing: text, of: metrics)
        } catch {
            throw FetchBenchError(usage: SafeText.forTerminal("\(error)"))
        }
    }

    /// The default asset: that of the first scenario, or the photo of the original comparison.
    private static func usualAsset(of conditions: ConditionRequest, _ programs: TrialPrograms) -> String {
        let scenario = conditions.all.first?.scenario.name
        return programs.scenarios.first { $0.name == scenario }?.usualAsset ?? "hero"
    }

    private static func assets(_ words: PlanWords, usual: String) throws -> [String] {
        guard words.url == nil else { return [] }
        let names = try words.words(of: .assets, usual: [usual])
        // 64KiB and 65536 are one asset.
        return WordList.words(in: try names.map(canonicalAsset))
    }

    private static func canonicalAsset(_ text: String) throws -> String {
        // A small number probably lacks its unit.
        guard Int(text).map({ $0 >= 1024 || $0 <= 0 }) ?? true else {
            throw FetchBenchError(usage: "invalid --asset '\(text)': the unit is missing; write \(text)MiB or \(text)B")
        }
        guard let name = AssetName(parsing: text), !name.isEmpty else {
            throw FetchBenchError(
                usage: Suggestion.complaint(
                    about: SafeText.forTerminal(text), of: "asset", choices: AssetName.choices, listedBy: "list assets")
            )
        }
        return name.text
    }

    private static func closestModes(
        _ words: PlanWords, _ conditions: ConditionRequest, among scenarios: [ScenarioDeclaration]
    ) throws -> [String: String] {
        let asked = try words.words(of: .modes)
        guard asked.contains(PlannedMode.closestWord) else { return [:] }
        guard asked == [PlannedMode.closestWord] else {
            throw FetchBenchError(usage: "--mode closest cannot be combined with other modes: omit them or closest")
        }
        return try scenarios.closestModes(of: conditions.all)
    }

    private static func modes(
        _ words: PlanWords, closest: [String], among programs: TrialPrograms
    ) throws -> [ModeDeclaration] {
        let named = try words.words(of: .modes)
        let asked = closest.isEmpty ? named : WordList.words(in: closest)
        // If only commands are named, only they are measured.
        if asked.isEmpty, try !words.externalCommands(besides: []).isEmpty { return [] }
        guard !asked.isEmpty else {
            return usual(words, among: programs).filter { obstacle(of: $0, to: words.url) == nil }
        }
        let modes = try programs.resolveModes(asked.filter { $0 != PlannedMode.allWord })
        if asked.contains(PlannedMode.allWord) { return programs.modes }
        if let unable = modes.first(where: { words.url != nil && $0.need == .sink }) {
            throw FetchBenchError(usage: "mode \(unable.name) uploads, which needs the embedded origin: omit --url")
        }
        if let obstacle = modes.compactMap({ obstacle(of: $0, to: words.url) }).first {
            let able = programs.modes.filter {
                $0.name != Case.nullMode && $0.need != .sink && Self.obstacle(of: $0, to: words.url) == nil
            }
            throw FetchBenchError(usage: "\(obstacle); use one of these: \(able.map(\.name).joined(separator: ", "))")
        }
        return modes
    }

    /// The modes that are measured if none is named; if programs are named, those of the programs.
    private static func usual(_ words: PlanWords, among programs: TrialPrograms) -> [ModeDeclaration] {
        let own = words[.programs].isEmpty ? usualModes : programs.ownModes(words[.programs].count)
        return programs.modes.filter { own.contains($0.name) }
    }

    private static func obstacle(of mode: ModeDeclaration, to url: String?) -> String? {
        let scheme = url.map(TargetURL.isOverTLS) == true ? "https" : "http"
        guard mode.schemes.contains(scheme) else { return "mode \(mode.name) cannot fetch \(scheme)" }
        guard let url, TargetURL.isIPv6(url), mode.abilities.contains(.sessionConfiguration) else { return nil }
        return "mode \(mode.name) cannot fetch \(SafeText.forTerminal(RedactedURL.text(of: url))): URLSession does not "
            + "support IPv6 addresses"
    }

    /// Returns a warning about each mode that would be measured by default and cannot fetch the URL.
    private var leftOut: [String] {
        guard words.url != nil, words.given(.modes).isEmpty, modes.contains(where: { $0.command == nil })
        else { return [] }
        return Self.usual(words, among: programs).compactMap { Self.obstacle(of: $0, to: words.url) }
            .map { "left out: " + $0 }
    }

    private static func first(of modes: [PlannedMode]) -> String? {
        modes.first { $0.command == nil && $0.name != Case.nullMode }?.name
    }

    private static func models(
        _ words: PlanWords, isHero: Bool, among models: [RenderModelDeclaration]
    ) throws -> [RenderModelDeclaration] {
        let usual = [Case.withoutRendering] + (isHero ? ["imageview"] : [])
        let asked = try words.words(of: .renders, usual: usual)
        return try WordList.resolve(asked, kind: "render model", among: models, name: \.name, listedBy: "list renders")
    }

    private static func allocators(
        _ words: PlanWords, of modes: [PlannedMode]
    ) throws -> [AllocatorArm] {
        let bringing = Set(modes.filter { $0.name != Case.nullMode }.map(\.bringsAllocator))
        let usual = (bringing == [true] ? [] : [AllocatorArm.glibc]) + (bringing.contains(true) ? [.own] : [])
        let asked = try words.words(of: .allocators, usual: usual.map(\.rawValue))
        let arms = try WordList.resolve(asked, kind: "allocator", among: AllocatorArm.allCases, name: \.rawValue)
        guard bringing.contains(true) || !arms.contains(.own) else {
            throw FetchBenchError(
                usage:
                    "--allocator own needs a mode whose program brings an allocator of its own (such as Go's or musl's); "
                    + "commands keep theirs with --allocator glibc")
        }
        return arms
    }
}

extension PlanRequest {
    package typealias Preparation = (_ name: String, _ seed: UInt64) throws -> (asset: Asset, warnings: [String])

    /// Makes the plan without the allocators that this machine lacks, and returns warnings for the user.
    package func plan(
        preparing prepared: Preparation, variables: TrialVariables, redaction: RedactedCommand
    ) async throws -> (plan: Plan, warnings: [String]) {
        _ = try plainTitles(redaction)
        let unavailable = await unavailable(variables)
        var warnings = unavailable.values.sorted()
        let plain = modes.compactMap(\.command).filter { !$0.fetches }
        var plan = Plan(
            of: modes, renderedBy: models, parameters: parameters.stored(in: plain, redaction),
            closestModes: closestModes, assets: try assets(prepared, &warnings), allocators: allocators,
            conditions: conditions.all, unavailable: unavailable, trials: values.trials, seed: values.seed,
            settings: values.settings)
        try checkSomethingFetches(in: plan)
        warnings += slowAssets(of: plan) + leftOut
        plan.commands = plan.commands.map { redaction.command($0) }
        let input = plan.settings.commands?.input.map { redaction.text($0) }
        plan.settings.commands?.input = input
        plan.settings.destinationFolder = plan.settings.destinationFolder.map { redaction.text($0) }
        plan.settings.certificateAuthority = plan.settings.certificateAuthority.map { redaction.text($0) }
        return (plan, warnings)
    }

    /// The titles of its plain commands in tables, one for each choice of their parameters.
    package func plainTitles(_ redaction: RedactedCommand) throws -> [String] {
        let plain = modes.filter { !$0.fetches }
        let stored = parameters.stored(in: plain.compactMap(\.command), redaction)
        let titles = Plan(
            of: plain, renderedBy: [], parameters: stored, assets: [], allocators: allocators, trials: values.trials,
            seed: values.seed, settings: values.settings
        ).cases.map(\.title)
        if let double = titles.indices.first(where: { titles[..<$0].contains(titles[$0]) }) {
            throw FetchBenchError(
                usage: "two commands are named '\(SafeText.ofCommand(titles[double]))'; give them different names")
        }
        return titles
    }

    /// Finds the allocators that this machine lacks, using the first program of each kind.
    private func unavailable(_ variables: TrialVariables) async -> [AllocatorArm: String] {
        guard !programs.executables.isEmpty, modes.contains(where: \.fetches) else { return [:] }
        return await AllocatorCheck.unavailable(
            allocators, in: programs, variables: variables.fixing(programs.environment))
    }

    /// Refuses a plan in which only the null case can be measured.
    private func checkSomethingFetches(in plan: Plan) throws {
        let allocators = Set(plan.cases.map(\.allocator))
        let obstacle = plan.inapplicable.first {
            $0.cell.mode != Case.nullMode && allocators.contains($0.cell.allocator)
        }
        guard let obstacle, !plan.cases.contains(where: { $0.mode != Case.nullMode }) else { return }
        throw FetchBenchError(
            usage: "no case of this plan can be measured: \(obstacle.reason); choose other modes or options")
    }

    /// Warns about assets that take longer than a trial may.
    private func slowAssets(of plan: Plan) -> [String] {
        let settings = plan.settings
        guard let rate = TransferRate(parsing: settings.rate)?.bytesPerSecond else { return [] }
        return plan.assets.compactMap { asset in
            guard asset.isEmbedded, asset.members == nil, let size = asset.byteCount else { return nil }
            let seconds =
                Double(size.rawValue) / Double(rate.rawValue) + Double(settings.latencyNanoseconds ?? 0) / 1e9
            guard seconds > settings.timeoutSeconds else { return nil }
            return
                "asset \(asset.name) takes \(Int(seconds.rounded(.up))) s at \(settings.rate)/s, and a trial is killed after "
                + "\(Int(settings.timeoutSeconds)) s: increase --timeout or --rate, or use a smaller asset"
        }
    }

    private func assets(_ prepared: Preparation, _ warnings: inout [String]) throws -> [Asset] {
        if let url = words.url {
            return [Asset(name: Asset.foreignName, location: RedactedURL.text(of: url), isEmbedded: false)]
        }
        return try assetNames.map { name in
            let (asset, remarks) = try prepared(name, values.seed)
            warnings += remarks
            return asset
        }
    }
}
