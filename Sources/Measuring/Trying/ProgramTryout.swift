// SPDX-License-Identifier: Apache-2.0

import Foundation
package import Runs

/// Tries a trial program against the rules of the trial protocol, as `fetchbench try` shows them.
package struct ProgramTryout: Sendable {
    /// The settings of every plan: nothing is paced, and a program that hangs is ended soon.
    package struct Settings: Hashable, Sendable {
        package var trials: Int
        package var timeoutSeconds: Double

        package init(trials: Int, timeoutSeconds: Double) {
            (self.trials, self.timeoutSeconds) = (trials, timeoutSeconds)
        }

        fileprivate var words: [String: String] {
            ["trials": "\(trials)", "timeout": "\(timeoutSeconds)", "rate": "unlimited"]
        }

        fileprivate var wordsOfURL: [String: String] { ["trials": "1", "timeout": "\(timeoutSeconds)"] }
    }

    private let path: String
    private let settings: Settings
    private let harness: HarnessContext
    private let prepare: @Sendable (String, UInt64) throws -> (asset: Asset, warnings: [String])

    package init(
        path: String, _ settings: Settings, in harness: HarnessContext,
        preparing prepare: @escaping @Sendable (String, UInt64) throws -> (asset: Asset, warnings: [String])
    ) {
        self.path = harness.absolute(path)
        (self.settings, self.harness, self.prepare) = (settings, harness, prepare)
    }

    package func diagnoses(
        onEvent: @escaping RunMeasurement.Listener
    ) async throws -> [Diagnosis] {
        let query = ProgramQuery(
            path: path, variables: harness.variables, timeout: .seconds(settings.timeoutSeconds))
        var isProgram = false
        let description: ProgramDescription
        do {
            try query.checkFile()
            isProgram = true
            description = try await query.description()
        } catch {
            return [.description(refused: "\(error)", isProgram: isProgram)]
        }
        let program = TrialExecutable(path: path, description: description)
        return try await TemporaryFolder.with(in: harness.temporaryDirectory) { folder in
            let (trials, able) = try await trials(of: program, in: folder, onEvent: onEvent)
            let renders = try await renders(of: program, able, in: folder, onEvent: onEvent)
            let conduct = try await conduct(of: program, able, in: folder, onEvent: onEvent)
            return [.description(description)] + trials + renders + conduct
        }
    }

    /// Measures every mode with a body that it can fetch; also returns the modes that completed.
    private func trials(
        of program: TrialExecutable, in folder: String, onEvent: @escaping RunMeasurement.Listener
    ) async throws -> (diagnoses: [Diagnosis], able: Set<String>) {
        let modes = program.description.modes.filter { $0.name != Case.nullMode }
        var diagnoses: [Diagnosis] = []
        var completed: [Trial] = []
        for need in [nil, .text, .image, .json, .sink, .faults] as [AssetNeed?] {
            let names = modes.filter { $0.need == need }.map(\.name)
            guard !names.isEmpty || need == nil else { continue }
            var words = PlanWords()
            words[.modes] = [Case.nullMode] + names
            words[.assets] = [Self.asset(for: need)]
            words.settings = settings.words
            let run = try await run(words, of: program, in: folder, onEvent)
            let asked = (need == nil ? [Case.nullMode] : []) + names
            diagnoses += asked.map { Diagnosis(ofMode: $0, in: run) }
            completed += run.trials.filter(\.isCompleted)
        }
        return (
            diagnoses + TrialDiagnoses(completed, in: harness.machine()).all, Set(completed.map(\.cell.mode))
        )
    }

    /// Measures one mode with each render model, and a body that the model can process.
    private func renders(
        of program: TrialExecutable, _ able: Set<String>, in folder: String,
        onEvent: @escaping RunMeasurement.Listener
    ) async throws -> [Diagnosis] {
        let fetching = program.description.modes.filter {
            $0.yieldsBody && $0.need == nil && !$0.showsItself && able.contains($0.name)
        }
        var diagnoses: [Diagnosis] = []
        for model in program.description.renderModels where model.name != Case.withoutRendering {
            let takesPieces = { (mode: ModeDeclaration) in !mode.abilities.isDisjoint(with: [.pieces, .file]) }
            guard let mode = fetching.first(where: { !model.takesPieces || takesPieces($0) }) else { continue }
            var words = PlanWords()
            words[.modes] = [mode.name]
            words[.renders] = [model.name]
            words[.assets] = [Self.asset(for: model.need)]
            words.settings = settings.words
            let run = try await run(words, of: program, in: folder, onEvent)
            diagnoses.append(Diagnosis(ofRender: model.name, by: mode.name, in: run))
        }
        return diagnoses
    }

    /// The conduct of the able modes on error statuses, redirects, truncated bodies and lost connections.
    private func conduct(
        of program: TrialExecutable, _ able: Set<String>, in folder: String,
        onEvent: @escaping RunMeasurement.Listener
    ) async throws -> [Diagnosis] {
        let modes = program.description.modes.filter {
            $0.name != Case.nullMode && able.contains($0.name) && [nil, .text].contains($0.need)
                && $0.schemes.contains("http")
        }
        guard !modes.isEmpty else { return [] }
        let origin = try harness.origin()
        return try await OriginProcess.withOrigin(
            executable: origin.executable, arguments: origin.arguments,
            environment: try harness.originEnvironment()
        ) { addresses in
            var diagnoses: [Diagnosis] = []
            for rule in ConductRule.all {
                var breaches: [ConductRule.Breach] = []
                for mode in modes {
                    let before = try requests(for: rule, at: addresses[0]).count
                    var words = PlanWords()
                    words[.modes] = [mode.name]
                    words.url = addresses[0] + rule.target
                    words.request.asksFirst = false
                    words.settings = settings.wordsOfURL
                    let run = try await run(words, of: program, in: folder, onEvent)
                    guard let trial = run.trials.first(where: { $0.cell.mode == mode.name }) else {
                        breaches.append(
                            (mode.name, "was not tried: \(run.plan.inapplicable.first?.reason ?? "unknown")"))
                        continue
                    }
                    let made = try Array(requests(for: rule, at: addresses[0]).dropFirst(before))
                    if let words = rule.breach(trial, made) { breaches.append((mode.name, words)) }
                }
                diagnoses.append(rule.diagnosis(breaches, modeCount: modes.count))
            }
            return diagnoses
        }
    }

    private func requests(for rule: ConductRule, at origin: String) throws -> [OriginLog.Record] {
        guard let port = URL(string: origin)?.port else { throw FetchBenchError("\(origin) has no port") }
        return try OriginLog(port: port, path: rule.path).records
    }

    /// Measures a plan of the program alone; nothing is kept.
    private func run(
        _ words: PlanWords, of program: TrialExecutable, in folder: String,
        _ onEvent: @escaping RunMeasurement.Listener
    ) async throws -> RunRecord {
        var words = words
        words[.programs] = [path]
        if words[.renders].isEmpty { words[.renders] = [Case.withoutRendering] }
        let request = try PlanRequest(words, TrialPrograms(executables: [program]))
        let (plan, _) = try await request.plan(
            preparing: prepare, variables: harness.variables, redaction: harness.redaction)
        return try await TemporaryFolder.with(in: folder) { output in
            let measurement = try await RunMeasurement.begun(
                .run, of: request, plan, to: RunMeasurement.Destination(output: output, label: nil), in: harness)
            try await measurement.run(onEvent: onEvent)
            return try measurement.finished(at: harness.now(), renderers: []).run
        }
    }

    /// A body that modes with this need can fetch, large enough for its copies to be told from noise.
    private static func asset(for need: AssetNeed?) -> String {
        switch need {
        case .text: "text-4MiB"
        case .json: "json-4MiB"
        case .image: "gallery-01"
        case nil, .sink, .faults: "4MiB"
        }
    }
}
