// SPDX-License-Identifier: Apache-2.0

import AssetServer
import FetchBenchKit
import Foundation
import MemProbe

/// One run from its plan to its report, new or resumed.
struct RunSession: Sendable {
    /// Where it is stored.
    let folder: RunFolder
    private let record: RunRecord
    private let done: [Trial]
    private let url: String?

    /// The asset of a foreign URL; its name never holds a part of the URL, which may be a secret.
    private static let foreignName = "url"

    /// Whether resuming needs the URL again, because the stored one lacks its credentials.
    var needsURL: Bool {
        record.plan.assets.contains { !$0.isEmbedded && $0.location != url }
    }

    /// Prepares a new run: everything that can fail early fails here, before the first trial.
    init(_ request: PlanRequest, output: String, label: String?) async throws {
        url = request.url
        done = []
        let world = Surroundings.world
        let unavailable = await AllocatorCheck.unavailable(
            request.allocators, executable: Surroundings.executable, world: world)
        unavailable.values.sorted().forEach { Console.warn($0) }
        let plan = PlanBuilder(modes: request.modes, models: request.models).plan(
            assets: try Self.assets(of: request), allocators: request.allocators, unavailable: unavailable,
            trials: request.trials, seed: request.seed, settings: request.settings)
        let revision = await SourceRevision.current()
        let now = Surroundings.now()
        folder = try RunFolder.create(named: "\(now.compact)-\(SourceRevision.runSuffix(of: revision))", in: output)
        do {
            try Preflight.checkRoom(
                for: plan, results: folder.path, temporaryDirectory: Surroundings.temporaryDirectory)
        } catch {
            rmdir(folder.path)
            throw error
        }
        record = RunRecord(
            identifier: folder.name, tool: "fetchbench \(BuildInformation.version)", startedAt: now.text,
            reproduce: Self.reproduction(of: request), suite: request.suiteName, plan: plan,
            environment: EnvironmentProbe.environment(
                temporaryDirectory: Surroundings.temporaryDirectory, commit: revision?.commit,
                hasUncommittedChanges: revision?.hasUncommittedChanges, label: label))
        try RunStore.create(record, in: folder)
    }

    /// Takes up an interrupted run.
    init(resuming folder: RunFolder, url: String?) async throws {
        var record = try RunStore.load(folder)
        guard record.finishedAt == nil else { throw FetchBenchError.runFinished(name: folder.name) }
        self.folder = folder
        done = record.trials
        record.trials = []
        record.warnings = []
        self.record = record
        let stored = record.plan.assets.first { !$0.isEmbedded }?.location
        if let url, let stored, RedactedURL.text(of: url) != stored {
            throw FetchBenchError.malformedRun(name: folder.name, reason: "it was measured on another URL: \(stored)")
        }
        self.url = url ?? stored
        try RunStore.prepareToResume(folder, keeping: done)
    }

    /// Does the trials.
    func measure(_ onEvent: @escaping @Sendable (RunEvent) -> Void) async throws {
        try await Surroundings.withTrialsDirectory { directory in
            try await OriginProcess.withOrigin(
                executable: Surroundings.executable,
                arguments: ["serve", "--until-stdin-closes", "--rate", record.plan.settings.rate],
                environment: Surroundings.originEnvironment
            ) { originURL in
                let runner = PlanRunner(
                    plan: record.plan,
                    surroundings: PlanRunner.Surroundings(
                        executable: Surroundings.executable, originURL: originURL, world: Surroundings.world,
                        temporaryDirectory: directory, foreignURLs: url.map { [Self.foreignName: $0] } ?? [:]),
                    folder: folder)
                try await runner.run(done: done, onEvent: onEvent)
            }
        }
    }

    /// Writes everything that follows from the stored trials.
    func finish(isComplete: Bool) throws -> RunRecord {
        let run = RunFinisher.finished(
            record, trials: try RunStore.storedTrials(in: folder),
            finishedAt: isComplete ? Surroundings.now().text : nil)
        try RunStore.write(run, to: folder)
        try RunStore.writeTables(of: run, to: folder)
        return run
    }

    private static func assets(of request: PlanRequest) throws -> [FetchBenchKit.Asset] {
        if let url = request.url {
            return [FetchBenchKit.Asset(name: foreignName, location: RedactedURL.text(of: url), isEmbedded: false)]
        }
        let library = Surroundings.library
        return try request.assetNames.map { name in
            let asset = try library.asset(named: name, seed: request.seed)
            library.warnings(about: asset).forEach { Console.warn($0) }
            return FetchBenchKit.Asset(
                name: asset.name, location: asset.path, isEmbedded: true, byteCount: asset.byteCount,
                sha256: asset.sha256, mediaType: asset.mediaType)
        }
    }

    /// Arguments that do the same again, without the credentials of a URL.
    private static func reproduction(of request: PlanRequest) -> String {
        var words = ["fetchbench", "run"]
        if let url = request.url {
            words += ["--url", "'\(RedactedURL.text(of: url))'"]
        } else {
            words += ["--asset", request.assetNames.joined(separator: ",")]
        }
        words += ["--mode", request.modes.map(\.name).joined(separator: ",")]
        words += ["--render", request.models.map(\.name).joined(separator: ",")]
        words += ["--allocator", request.allocators.map(\.rawValue).joined(separator: ",")]
        words += ["--trials", "\(request.trials)", "--seed", "\(request.seed)", "--rate", request.settings.rate]
        words += ["--timeout", CompactNumber.text(request.settings.timeoutSeconds)]
        words += ["--verify", request.settings.verification.rawValue]
        return words.joined(separator: " ")
    }
}
