// SPDX-License-Identifier: Apache-2.0

import Glibc
package import Runs

/// All that trials need besides their plan: programs, secrets that no record stores, and the place where they run.
package struct TrialInputs: Sendable {
    package let harness: HarnessContext
    package var programs: TrialPrograms
    package var named: [String]
    /// The foreign URL with its credentials, if any: stored ones are redacted.
    package var url: String?
    /// The details of requests for it, of which only names are stored.
    package var details: RequestDetails?
    /// The commands among the modes, by name: stored ones lack credentials and folders.
    package var commands: [String: ExternalCommand]
    package var parameters: [CommandParameter]
    package var planted = PlantedBallast()
    var recorder: RecorderLibrary?
    /// The time between two readings of the allocator's series; `nil` in every measured trial.
    var allocatorSeriesNanoseconds: Int?

    package var place: Place

    package struct Place: Sendable {
        package var folder: String
        /// The folder on another file system in which each trial of `--destination other` gets its own; `nil` if none has
        /// to.
        package var destination: String?
        package var variables: TrialVariables
        /// The address of the embedded origin; empty if nothing is fetched.
        package var originURL = ""
        /// The embedded origin over TLS; `nil` if no case needs it.
        package var secureOrigin: SecureOrigin?
        /// The PEM file with the authority of the foreign URL; `nil` for the system's.
        package var authorityPath: String?
        /// The path of the standard input of plain commands; `nil` for none.
        package var commandInput: String?
        /// The embedded origin's notes of what it sends; `nil` without an origin.
        package var journal: OriginProcess.SentNotes?
        var watch: GroupFiles?
        /// The files that are dropped from the page cache before each trial; `nil` for none.
        var dropped: GroupFiles?
        /// The maker of a control group for each trial; `nil` where this process may not make them.
        package var groups: ControlGroupSession?
    }

    package init(
        programs: TrialPrograms, named: [String] = [], url: String? = nil, details: RequestDetails? = nil,
        commands: [ExternalCommand] = [], parameters: [CommandParameter] = [], in harness: HarnessContext
    ) {
        (self.harness, self.programs, self.named, self.url) = (harness, programs, named, url)
        self.details = details
        self.commands = Dictionary(commands.map { ($0.name, $0) }) { first, _ in first }
        self.parameters = parameters
        place = Place(folder: harness.temporaryDirectory, variables: harness.variables)
    }

    /// The foreign URL as it can be fetched; `nil` for assets of the embedded origin.
    func url(of asset: Asset?) -> String? { asset?.isEmbedded == false ? url : nil }

    /// The URLs of a trial's asset and warm-up, as a function of the case.
    package struct Address: Sendable {
        /// The URL of the asset; that of the warm-up in the null case.
        package var url: String
        /// The URL of 1 KiB of text (JSON for an asset of JSON), encoded like the asset: every mode can fetch it.
        package let warmupURL: String
        /// The members of a set with their URLs; `nil` for a single asset.
        package let members: [ScenarioAsset]?
        package let certificateAuthorityPath: String?

        private static let text = "/text/1KiB?rate=unlimited"
        private static let document = "/json/1KiB?rate=unlimited"

        package init(conditions: FetchConditions, asset: Asset?, inputs: TrialInputs) {
            let secure = conditions.scheme == .https ? inputs.place.secureOrigin : nil
            let offered = conditions.http == .http2 ? secure?.http2URL : secure?.url
            let origin = offered ?? inputs.place.originURL
            let isEncoded = asset?.isEmbedded == true
            let warmup = isEncoded && asset?.mediaType == "application/json" ? Self.document : Self.text
            warmupURL = origin + (isEncoded ? Self.location(warmup, sentIn: conditions) : warmup)
            certificateAuthorityPath =
                asset?.isEmbedded == false ? inputs.place.authorityPath : secure?.certificateAuthorityPath
            members = asset?.members?.map {
                ScenarioAsset($0, at: origin + Self.location($0.location, sentIn: conditions))
            }
            guard let asset else {
                url = warmupURL
                return
            }
            url =
                asset.isEmbedded
                ? origin + Self.location(asset.location, sentIn: conditions)
                : inputs.url ?? warmupURL
        }

        private static func location(_ path: String, sentIn conditions: FetchConditions) -> String {
            guard conditions.transfer != .length else { return path }
            let chunk = conditions.chunk.map { "&chunk=\($0.rawValue)" } ?? ""
            return path + (path.contains("?") ? "&" : "?") + "encoding=\(conditions.transfer.rawValue)\(chunk)"
        }
    }
}

extension PlanRequest {
    package func inputs(in harness: HarnessContext) -> TrialInputs {
        TrialInputs(
            programs: programs, named: words[.programs], url: words.url, details: details,
            commands: modes.compactMap(\.command), parameters: parameters.all, in: harness)
    }
}

// MARK: - The place of trials

extension TrialInputs {
    /// Prepares the place of a plan's trials, a temporary folder and, if anything is fetched, the embedded origin as a
    /// process; runs `body` and clears up.
    package func hosted<Result: Sendable>(
        for plan: Plan, _ body: @escaping @Sendable (TrialInputs) async throws -> Result
    ) async throws -> Result {
        let originEnvironment = plan.needsOrigin ? try harness.originEnvironment() : nil
        let destination = try DestinationFolder.path(for: plan, in: harness)
        return try await TemporaryFolder.with(in: harness.temporaryDirectory) { folder in
            var inputs = self
            inputs.place = try preparedPlace(for: plan, in: folder)
            guard let originEnvironment else { return try await body(inputs) }
            return try await inputs.withOrigin(for: plan, originEnvironment) { inputs in
                guard let destination else { return try await body(inputs) }
                return try await TemporaryFolder.with(
                    in: destination, called: "the folder of --destination other"
                ) { folder in
                    var inputs = inputs
                    inputs.place.destination = folder
                    return try await body(inputs)
                }
            }
        }
    }

    private func withOrigin<Result: Sendable>(
        for plan: Plan, _ environment: [String: String],
        _ body: @escaping @Sendable (TrialInputs) async throws -> Result
    ) async throws -> Result {
        let authority = place.folder + "/authority.pem"
        let notes = place.folder + "/sent"
        let origin = try harness.origin(overTLS: plan.usesTLS)
        let arguments =
            origin.arguments
            + Setting.all.filter(\.isOfOrigin).flatMap { $0.words(of: SettingValues(plan)) } + ["--journal", notes]
            + (plan.usesTLS ? ["--tls", authority] : []) + (plan.usesHTTP2 ? ["--http", "1.1,2"] : [])
        return try await OriginProcess.withOrigin(
            executable: origin.executable, arguments: arguments, environment: environment,
            lineCount: plan.usesHTTP2 ? 3 : plan.usesTLS ? 2 : 1
        ) { addresses in
            guard let journal = OriginProcess.SentNotes(path: notes) else {
                throw FetchBenchError.cannotRead(name: "the journal of the origin", errno: errno)
            }
            var inputs = self
            inputs.place.journal = journal
            inputs.place.originURL = addresses[0]
            if plan.usesTLS {
                inputs.place.secureOrigin = .init(
                    url: addresses[1], http2URL: plan.usesHTTP2 ? addresses[2] : nil,
                    certificateAuthorityPath: authority)
            }
            return try await body(inputs)
        }
    }

    private func preparedPlace(for plan: Plan, in folder: String) throws -> Place {
        // The variables that render models need, with the limit that was asked for.
        let limit = plan.settings.rendering.maximumDecoderBytes.map { ["JPEGMEM": "\($0 / 1000)"] } ?? [:]
        var place = Place(
            folder: folder, variables: harness.variables.fixing(programs.environment.merging(limit) { $1 }))
        // Without a limit, the charge is one figure more.
        place.groups = plan.limitsContainers ? try ControlGroupAbility.session() : try? ControlGroupAbility.session()
        place.authorityPath = try harness.certificateAuthority(of: plan)
        place.commandInput = try plan.settings.commands?.input.map {
            try CommandInput.path(for: harness.path(stored: $0), copyingTo: folder + "/input")
        }
        return place
    }
}

extension TrialInputs.Place {
    /// The time in milliseconds to wait for the origin's notes, which are written after the last byte.
    private static let patience = 500

    /// Takes the origin's notes since the last call, waiting while they are short; `nil` without notes.
    func sent(unless isShort: ([SentBytes]) -> Bool) async -> [SentBytes]? {
        guard let journal else { return nil }
        var sent = journal.taken()
        var waited = 0
        while waited < Self.patience, isShort(sent) {
            try? await Task.sleep(for: .milliseconds(10))
            waited += 10
            sent = (sent + journal.taken()).sorted { $0.time < $1.time }
        }
        return sent
    }

    /// Makes the control group of a trial with the limit of its case; `nil` without one if it needs none.
    func group(of slot: Plan.Slot) throws -> ControlGroup? {
        let limit = slot.cell.conditions.containerLimit
        do throws(ControlGroupObstacle) {
            guard let group = try groups?.group("t\(slot.trial)") else { return nil }
            if let limit { try group.setLimit(limit) }
            return group
        } catch {
            if limit == nil { return nil }
            throw ControlGroupAbility.failure(error)
        }
    }

    package struct SecureOrigin: Hashable, Sendable {
        package var url: String
        package var http2URL: String?
        package var certificateAuthorityPath: String

        package init(url: String, http2URL: String? = nil, certificateAuthorityPath: String) {
            (self.url, self.http2URL) = (url, http2URL)
            self.certificateAuthorityPath = certificateAuthorityPath
        }
    }
}

extension TrialInputs {
    /// Combines the stored inputs of an interrupted run with those that were given again.
    ///
    /// Secrets are not stored: the URL with credentials, headers, the body (the method is stored) and commands.
    package init(
        resuming record: RunRecord, url: String?, request: RequestWords = RequestWords(),
        commands: [ExternalCommand], parameters: [CommandParameter] = [], programs: TrialPrograms,
        named paths: [String], in harness: HarnessContext
    ) throws {
        let plan = record.plan
        let url = try url.map(TargetURL.canonical)
        let stored = plan.assets.first { !$0.isEmbedded }?.location
        func refuse(_ reason: String) -> FetchBenchError {
            FetchBenchError("run \(record.identifier): \(reason)")
        }
        if let url, url != stored, RedactedURL.text(of: url) != stored {
            throw refuse(stored.map { "it measured another URL: \($0)" } ?? "it did not measure a URL")
        }
        let details = try Self.repeated(request, storedAs: plan.settings.request, for: url ?? stored, refuse)
        try Self.check(commands, parameters, in: plan, harness.redaction, refuse)
        self.init(
            programs: programs.puttingFirst(programOf: plan.firstMode), named: paths, url: url ?? stored,
            details: details, commands: commands, parameters: parameters, in: harness)
        let isShard = record.sharding != nil
        let files = try self.programs.files(for: plan.cases, hashed: isShard)
        guard record.programs.map({ $0 == files }) ?? true else {
            throw refuse("it was started with other trial programs, so trials would not be comparable")
        }
        try checkExecutables(of: record)
    }

    /// Refuses to go on with a run of which an executable of a command is another file now.
    func checkExecutables(of record: RunRecord) throws {
        let now = executables(of: record.plan, hashesAll: record.sharding != nil)
        guard let name = record.replacedExecutable(among: now) else { return }
        throw FetchBenchError.runIsOfAnotherPlace(
            name: record.identifier, differences: ["\(name) is another file than it was"])
    }

    /// Refuses commands that differ from the plan, and a plan whose secrets were not given again.
    private static func check(
        _ commands: [ExternalCommand], _ parameters: [CommandParameter], in plan: Plan, _ redaction: RedactedCommand,
        _ refuse: (String) -> FetchBenchError
    ) throws {
        for given in commands {
            guard let stored = plan.commands.first(where: { $0.name == given.name }) else {
                throw refuse("its plan has no command \(given.name)")
            }
            guard redaction.command(given) == stored else {
                throw refuse("command \(given.name) was different: \(stored.command)")
            }
        }
        let lacking = plan.commands.first { stored in
            stored.isRedacted == true && !commands.contains { $0.name == stored.name }
        }
        if let lacking {
            throw refuse(
                "command \(lacking.name) is stored without secrets and folders; give it again"
                    + (lacking.fetches ? " with --exec" : ""))
        }
        let secret = plan.cases.flatMap(\.parameters).first { value in
            value.value.hasPrefix(RedactedCommand.mark + "-")
                && CommandParameters.real([value], among: parameters) == [value]
        }
        if let secret {
            throw refuse(
                "the values of {\(secret.name)} are not stored; give them again with --parameter-list")
        }
    }

    /// Returns the given request details if they match the stored outline: the same names and the same body.
    private static func repeated(
        _ words: RequestWords, storedAs outline: RequestOutline?, for url: String?,
        _ refuse: (String) -> FetchBenchError
    ) throws -> RequestDetails? {
        var words = words
        if let outline, outline.method != "GET" { words.method = outline.method }
        let details = try words.details(for: url)
        guard RequestOutline(details) != outline else { return details }
        guard let outline else { throw refuse("it was measured without custom headers and body") }
        let flags = outline.secretFlags.joined(separator: " ")
        throw refuse("it used \(outline.text), whose values are not stored; give them again: \(flags)")
    }

    /// The arguments to repeat when `exec` is resumed, because the stored ones lack credentials or folders.
    package func commandsToRepeat(of record: RunRecord) -> [String] {
        let commands = record.plan.commands.filter { $0.isRedacted == true }.map { ShellWord.quoted($0.command) }
        let lists = Set(
            record.plan.cases.flatMap(\.parameters).filter { $0.value.hasPrefix(RedactedCommand.mark) }.map(\.name))
        return commands + lists.sorted().map { "--parameter-list \($0)=…" }
    }

    /// The flags to repeat when a run is resumed, because the stored ones lack credentials or folders.
    package func flagsToRepeat(of record: RunRecord) -> [String] {
        let lacksURL = record.plan.assets.contains { !$0.isEmbedded && $0.location != url }
        let commands = record.plan.commands.filter { $0.isRedacted == true }.map { command in
            "\(command.server == nil ? "--exec" : "--server") '\(command.name)=…'"
        }
        let request = record.plan.settings.request.map { $0.secretFlags } ?? []
        return (lacksURL ? ["--url URL"] : []) + request + commands
            + named.map { "--program \(ShellWord.pasted($0))" }
    }
}

extension ScenarioAsset {
    fileprivate init(_ asset: Asset, at url: String) {
        self.init(
            name: asset.name, url: url, mediaType: asset.mediaType ?? "", byteCount: asset.byteCount?.rawValue ?? 0,
            sha256: asset.sha256 ?? "", width: asset.width, height: asset.height)
    }
}
