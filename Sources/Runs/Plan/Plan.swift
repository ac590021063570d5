// SPDX-License-Identifier: Apache-2.0

/// The plan of a run: assets × modes × render models × allocators × conditions × trials.
package struct Plan: Codable, Hashable, Sendable {
    package var assets: [Asset]
    package var modes: [String]
    package var commands: [ExternalCommand]
    package var renders: [String]
    package var allocators: [AllocatorArm]
    package var trials: Int
    package var seed: UInt64
    package var settings: TrialSettings
    package var cases: [Case]
    package var inapplicable: [InapplicableCase]

    package struct Slot: Hashable, Sendable {
        package var trial: Int
        package var cell: Case
        package var seed: UInt64

        package init(trial: Int, cell: Case, seed: UInt64) {
            (self.trial, self.cell, self.seed) = (trial, cell, seed)
        }

        package init(_ turn: Rounds<Case, UInt64>.Turn) {
            self.init(trial: turn.position, cell: turn.subject, seed: turn.chance)
        }
    }

    package var rounds: Rounds<Case, UInt64> { rounds(of: cases) }

    func rounds<Subject>(of subjects: [Subject]) -> Rounds<Subject, UInt64> {
        Rounds(of: subjects, count: trials, by: SeededGenerator(seed: seed)) { $0.next() }
    }

    package var slots: [Slot] { rounds.map { Slot($0) } }

    package func command(of cell: Case) -> ExternalCommand? {
        commands.first { $0.name == cell.mode }
    }

    /// The first mode that is not a command; its program runs the null case.
    package var firstMode: String? {
        modes.first { mode in mode != Case.nullMode && !commands.contains { $0.name == mode } }
    }

    /// True if something may be asked that is not the embedded origin.
    package var reachesOut: Bool { !commands.isEmpty || assets.contains { !$0.isEmbedded } }

    package var fetches: Bool { cases.contains { !$0.isPlain } }

    /// The cases of commands that are measured on their own.
    package var plainCases: [Case] { cases.filter(\.isOwnCommand) }

    /// True if a case needs the embedded origin.
    package var needsOrigin: Bool {
        cases.contains { !$0.isOwnCommand }
            || commands.contains { $0.server != nil && $0.command.contains(ServerRequest.originPlaceholder) }
    }

    package var usesTLS: Bool {
        cases.contains { $0.conditions.scheme == .https }
    }

    /// True if files have to end on another file system than they begin on.
    package var needsDestination: Bool {
        cases.contains { $0.conditions.destination == .other }
    }

    package var limitsContainers: Bool {
        cases.contains { $0.conditions.containerLimit != nil }
    }

    package var usesHTTP2: Bool {
        cases.contains { $0.conditions.http == .http2 }
    }

    package var fetchingCases: [Case] { cases.filter { $0.mode != Case.nullMode } }

    package var hasConditions: Bool {
        cases.contains { $0.conditions != .standard }
    }

    /// Returns the asset of a case, of a set those that its concurrent fetches get.
    package func asset(of cell: Case) -> Asset? {
        let asset = assets.first { $0.name == cell.asset }
        return cell.conditions.scenario == .none ? asset?.first(cell.conditions.concurrency) : asset
    }
}

// MARK: - Cases

extension Plan {
    /// Creates a plan of every case of the matrix, measurable or not, and of the null case.
    ///
    /// The null case always comes first for each allocator, as the floor.
    package init(
        of modes: [PlannedMode], renderedBy models: [RenderModelDeclaration], parameters: [CommandParameter] = [],
        closestModes: [String: String] = [:], assets: [Asset], allocators: [AllocatorArm],
        conditions: [FetchConditions] = [.standard], unavailable: [AllocatorArm: String] = [:], trials: Int,
        seed: UInt64,
        settings: TrialSettings
    ) {
        self.init(
            assets: assets, modes: modes.map(\.name), commands: modes.compactMap(\.command),
            renders: models.map(\.name), allocators: allocators, trials: trials, seed: seed, settings: settings,
            cases: [], inapplicable: [])
        let fetches = fetchingCases(of: modes.filter(\.fetches), models, closestModes, under: conditions)
        for cell in fetches + plainCases(with: parameters, under: conditions) {
            if let reason = unavailable[cell.allocator] ?? obstacle(to: cell, of: modes, models) {
                inapplicable.append(InapplicableCase(cell: cell, reason: reason))
            } else {
                cases.append(cell)
            }
        }
    }

    /// The cases of commands without `{url}`, which have no rendering, and only the conditions that apply to them.
    private func plainCases(with parameters: [CommandParameter], under conditions: [FetchConditions]) -> [Case] {
        commands.filter { !$0.fetches }.flatMap { command in
            let own = conditions.reduce(into: [FetchConditions]()) { own, conditions in
                let some = conditions.only(for: command.server == nil ? .command : .server)
                if !own.contains(some) { own.append(some) }
            }
            return CommandParameter.choices(of: parameters.filter(command.mentions)).flatMap { values in
                allocators.flatMap { allocator in
                    own.map { conditions in
                        var cell = Case.plain(command.name, with: values, on: allocator)
                        if command.server != nil { cell.asset = Case.servedAsset }
                        cell.conditions = conditions
                        return cell
                    }
                }
            }
        }
    }

    private func fetchingCases(
        of modes: [PlannedMode], _ models: [RenderModelDeclaration], _ closestModes: [String: String],
        under conditions: [FetchConditions]
    ) -> [Case] {
        guard !modes.isEmpty else { return [] }
        let floors = Self.floors(of: conditions)
        var cells = floors.flatMap { floor in
            allocators.map { allocator in
                var cell = Case.null(on: allocator)
                cell.conditions = floor
                return cell
            }
        }
        for asset in assets {
            for mode in modes {
                for model in models where mode.name != Case.nullMode || model.needsBody {
                    for conditions in mode.name == Case.nullMode ? floors : conditions
                    where closestModes[conditions.loader, default: mode.name] == mode.name {
                        cells += allocators.map { allocator in
                            Case(
                                asset: asset.name, mode: mode.name, render: model.name, allocator: allocator,
                                conditions: conditions)
                        }
                    }
                }
            }
        }
        return cells
    }

    /// Returns the conditions of null cases: standard but for the start, which decides from which mark growth counts.
    private static func floors(of conditions: [FetchConditions]) -> [FetchConditions] {
        conditions.reduce(into: []) { floors, conditions in
            var floor = FetchConditions.standard
            floor.start = conditions.start
            if !floors.contains(floor) { floors.append(floor) }
        }
    }

    private func obstacle(
        to cell: Case, of modes: [PlannedMode], _ models: [RenderModelDeclaration]
    ) -> String? {
        guard let mode = modes.first(where: { $0.name == cell.mode }),
            let model = models.first(where: { $0.name == cell.render }),
            // A whole set, of which a case may ask too much.
            let asset = assets.first(where: { $0.name == cell.asset })
        else { return nil }
        return CaseObstacle(
            cell: cell, planned: mode, model: model, asset: asset, maximumConnections: settings.maximumConnections,
            request: settings.request
        ).reason
    }
}

package struct TrialSettings: Codable, Hashable, Sendable {
    package var verification: Verification
    package var rate: String
    package var timeoutSeconds: Double
    /// The resident size above which a trial is killed; `nil` in runs of older versions.
    package var memoryLimit: ByteCount?
    package var rendering: RenderSettings
    /// The maximum number of connections of a session to one host, or `nil` for the mode's default.
    package var maximumConnections: Int?
    /// The delay before the embedded origin's answers, in nanoseconds, or `nil`.
    package var latencyNanoseconds: Int?
    package var request: RequestOutline?
    package var commands: CommandSettings?
    /// The folder on another file system for files, with placeholders for the user's folders; `nil` to find one.
    package var destinationFolder: String?
    /// The PEM file with the authority of a foreign URL, with placeholders for the user's folders; `nil` for the system's.
    package var certificateAuthority: String?

    package init(
        verification: Verification = .sha256, rate: String = TransferRate.standard.text, timeoutSeconds: Double = 60,
        memoryLimit: ByteCount? = nil, rendering: RenderSettings = RenderSettings()
    ) {
        (self.verification, self.rate) = (verification, rate)
        (self.timeoutSeconds, self.memoryLimit) = (timeoutSeconds, memoryLimit)
        self.rendering = rendering
    }

    private enum CodingKeys: String, CodingKey {
        case verification, rate, rendering, request, commands
        case latencyNanoseconds = "latency_ns"
        case destinationFolder = "destination_folder"
        case certificateAuthority = "certificate_authority"
        case timeoutSeconds = "timeout_seconds"
        case memoryLimit = "memory_limit_bytes"
        case maximumConnections = "maximum_connections"
    }
}

/// A mode of a trial program, or a command that takes its place.
package struct PlannedMode: Hashable, Sendable {
    /// The word of `--mode` for every mode; no mode can have this name.
    package static let allWord = "all"
    /// The word of `--mode` for the mode closest to each loader; no mode can have this name.
    package static let closestWord = "closest"

    package let declaration: ModeDeclaration
    package let command: ExternalCommand?
    package let scenarios: [ScenarioDeclaration]
    package let models: [String]?
    /// The name of the allocator that its program runs on unless another is selected; `nil` of commands.
    package let allocatorName: String?

    package init(
        _ declaration: ModeDeclaration, scenarios: [ScenarioDeclaration] = [], models: [String]? = nil,
        allocatorName: String? = nil
    ) {
        (self.declaration, self.allocatorName) = (declaration, allocatorName)
        (self.scenarios, self.models) = (scenarios, models)
        command = nil
    }

    /// Creates a command, whose figures count the whole process and its children, from exec to exit.
    package init(_ command: ExternalCommand) {
        declaration = ModeDeclaration(name: command.name, summary: command.command)
        self.command = command
        (scenarios, models, allocatorName) = ([], nil, nil)
    }

    package var fetches: Bool { subject == .fetch }

    package var subject: PlannedSubject {
        command.map { $0.fetches ? .fetch : $0.server == nil ? .command : .server } ?? .fetch
    }

    package var bringsAllocator: Bool { allocatorName.map(AllocatorArm.own.isNamed) ?? false }

    package var name: String { declaration.name }
}
