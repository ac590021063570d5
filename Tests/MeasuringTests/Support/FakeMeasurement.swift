// SPDX-License-Identifier: Apache-2.0

import Measuring
import Runs

enum FakeMeasurement {
    static func request() throws -> PlanRequest {
        var words = PlanWords()
        words[.modes] = ["data"]
        words.suite = try SuiteFile(
            parsing:
                "budgets: [\"*: peak <= 4 MiB\"]\nnoise:\n  hero/data/none/glibc:\n    net_peak_growth_bytes: 20KiB\n",
            fileName: "suite")
        return try PlanRequest(words, .fake)
    }

    static func begun(_ kind: RunRecord.Kind, in folder: String) async throws -> RunMeasurement {
        let request = try request()
        let plan = try await request.synthetic().plan
        let destination = RunMeasurement.Destination(output: folder + "/results", label: "here")
        return try await RunMeasurement.begun(
            kind, kind.isPaired ? Sides(.programs(base: .fake, head: .fake)) : nil, of: request, plan,
            pairs: kind.isPaired ? 5 : nil, to: destination, in: .fake(folder))
    }

    /// Goes on with the programs of the fakes.
    static func resumed(
        _ folder: RunFolder, _ kind: RunRecord.Kind, _ sides: Sides? = nil, in harness: HarnessContext
    ) throws -> RunMeasurement {
        try RunMeasurement.resumed(folder, kind, sides, in: harness) { _ in TrialInputs(programs: .fake, in: harness) }
    }

    /// The folder of a measurement that nobody holds any more.
    static func finished(
        _ kind: RunRecord.Kind, in folder: String, renderers: [any TextRenderer<Report>]
    ) async throws -> RunFolder {
        let measurement = try await begun(kind, in: folder)
        _ = try measurement.finished(at: "2026-01-02T04:00:00Z", renderers: renderers)
        return measurement.folder
    }

    static func inputs(
        resuming record: RunRecord, url: String? = nil, commands: [ExternalCommand] = [],
        parameters: [CommandParameter] = [], programs: TrialPrograms = .fake
    ) throws -> TrialInputs {
        try TrialInputs(
            resuming: record, url: url, commands: commands, parameters: parameters, programs: programs, named: [],
            in: .fake("/tmp"))
    }
}

enum FakeAssets {
    static func asset(named name: String, seed: UInt64) -> (asset: Asset, warnings: [String]) {
        let asset = Asset(name: name, location: "/\(name)", isEmbedded: true, byteCount: ByteCount(parsing: name))
        return (name == "hero" ? .hero : asset, ["prepared \(name)"])
    }
}

extension TrialPrograms {
    /// Programs of the fakes that nobody starts: one with the modes beside `raw`, one with `raw`.
    static let fake = TrialPrograms(executables: [
        program("trial-one", FakeMode.all.filter { $0.name != "raw" }),
        program("trial-two", FakeMode.all.filter { ["none", "raw"].contains($0.name) }),
    ])

    /// The same, built before there was a cold start.
    static let older = TrialPrograms(
        executables: fake.executables.map { program in
            var description = program.description
            description.protocols = 1...2
            return TrialExecutable(path: program.path, description: description)
        })

    static func fake(_ scenario: ScenarioDeclaration) -> TrialPrograms {
        TrialPrograms(
            executables: fake.executables.map { program in
                var description = program.description
                description.scenarios = [scenario]
                return TrialExecutable(path: program.path, description: description)
            })
    }

    private static func program(_ name: String, _ modes: [any FetchMode]) -> TrialExecutable {
        TrialExecutable(
            path: "/nowhere/\(name)",
            description: ProgramDescription(
                modes: modes, renderModels: FakeModel.all, allocator: AllocatorIdentity(name: "glibc")))
    }
}

extension HarnessContext {
    /// A process in which nothing is started.
    static func fake(_ folder: String) -> HarnessContext {
        var outside = Outside()
        outside.now = { "2026-01-02T03:04:05Z" }
        outside.machine = { _ in SyntheticRun.environment }
        outside.revision = { _ in nil }
        var context = HarnessContext(
            arguments: [], environment: ["TMPDIR": folder, "XDG_CACHE_HOME": folder],
            executable: "/nowhere/fetchbench", workingDirectory: folder, user: 0, drawsProgress: false,
            outside: outside)
        context.redaction = RedactedCommand(folders: ["/home/me": "~"])
        context.shellRedaction = RedactedCommand(folders: [:])
        return context
    }
}

extension PlanRequest {
    func synthetic() async throws -> (plan: Plan, warnings: [String]) {
        try await plan(
            preparing: FakeAssets.asset, variables: TrialVariables(environment: [:], fixed: [:]),
            redaction: HarnessContext.fake("/tmp").redaction)
    }

    /// Begins a run of its plan, of synthetic assets.
    func begun(
        in folder: String, reproduce: (PlanFlags) -> String = { $0.command() }
    ) async throws -> RunMeasurement {
        try await RunMeasurement.begun(
            .run, of: self, synthetic().plan, reproduce: reproduce,
            to: RunMeasurement.Destination(output: folder, label: nil), in: .fake(folder))
    }
}

struct FakeMode: FetchMode {
    let name: String
    var yieldsBody = true
    var schemes: Set<String> = ["http", "https"]
    var abilities: Set<ModeAbility> = []
    var need: AssetNeed?
    var showsItself = false
    var onCancel = Cancellation.Conduct.runsOn
    let summary = "a description"
    let caveat: String? = nil

    func makeFetcher(_ settings: FetchSettings) throws(FetchFailure) -> any Fetcher {
        throw FetchFailure(.other, "this mode is only a description")
    }

    static let all: [any FetchMode] = [
        FakeMode(name: "none", yieldsBody: false), FakeMode(name: "data"), FakeMode(name: "download"),
        FakeMode(name: "stream"), FakeMode(name: "raw"),
    ]
}

struct FakeModel: RenderModel {
    let name: String
    var needsBody = true
    var takesPieces = false
    var need = AssetNeed.image
    let summary = "a description"

    func makeRenderer(_ settings: RenderSettings) throws(RenderFailure) -> any Renderer {
        throw RenderFailure(.system, "this model is only a description")
    }

    static let all: [any RenderModel] = [
        FakeModel(name: "none", needsBody: false), FakeModel(name: "imageview"), FakeModel(name: "thumbnail"),
    ]
}

extension Plan {
    static func synthetic(
        assets: [Asset] = [.hero], modes: [any FetchMode] = FakeMode.all, models: [any RenderModel] = FakeModel.all,
        allocators: [AllocatorArm] = [.glibc, .jemalloc], conditions: [FetchConditions] = [.standard],
        unavailable: [AllocatorArm: String] = [:], trials: Int = 3, seed: UInt64 = 42
    ) -> Plan {
        synthetic(
            assets: assets, planned: modes.map { PlannedMode(ModeDeclaration($0)) }, models: models,
            allocators: allocators, conditions: conditions, unavailable: unavailable, trials: trials, seed: seed)
    }

    static func synthetic(
        assets: [Asset] = [.hero], planned: [PlannedMode], models: [any RenderModel] = FakeModel.all,
        allocators: [AllocatorArm] = [.glibc, .jemalloc], conditions: [FetchConditions] = [.standard],
        unavailable: [AllocatorArm: String] = [:], trials: Int = 3, seed: UInt64 = 42
    ) -> Plan {
        Plan(
            of: planned, renderedBy: models.map(RenderModelDeclaration.init), assets: assets, allocators: allocators,
            conditions: conditions, unavailable: unavailable, trials: trials, seed: seed, settings: TrialSettings())
    }
}
