// SPDX-License-Identifier: Apache-2.0

import Foundation
import MemProbe

/// What happens while a plan is run; whoever shows progress listens.
public enum RunEvent: Sendable {
    /// A trial begins.
    case began(Plan.Slot, position: Int, of: Int)
    /// A trial ended and is stored.
    case ended(Trial, position: Int, of: Int)
}

/// Runs the trials of a plan one after another, and stores each the moment it ends.
///
/// It keeps none of them in memory: 300 trials leave the harness as large as one.
public struct PlanRunner: Sendable {
    /// What the runner needs of its surroundings.
    public struct Surroundings: Sendable {
        /// The path of the program that has the subcommand `trial`.
        public var executable: String
        /// The address of the embedded origin.
        public var originURL: String
        /// What builds the trials' environment.
        public var world: WorldBuilder
        /// The folder in which each trial gets one of its own.
        public var temporaryDirectory: String
        /// The real URLs of the foreign assets, by name: plans and runs hold them with credentials redacted.
        public var foreignURLs: [String: String]

        /// Creates the surroundings.
        public init(
            executable: String, originURL: String, world: WorldBuilder, temporaryDirectory: String,
            foreignURLs: [String: String]
        ) {
            self.executable = executable
            self.originURL = originURL
            self.world = world
            self.temporaryDirectory = temporaryDirectory
            self.foreignURLs = foreignURLs
        }
    }

    private let plan: Plan
    private let surroundings: Surroundings
    private let folder: RunFolder

    /// Creates a runner that stores in a folder.
    public init(plan: Plan, surroundings: Surroundings, folder: RunFolder) {
        self.plan = plan
        self.surroundings = surroundings
        self.folder = folder
    }

    /// Does the trials that are not done yet.
    /// - Parameter done: the trials that the folder holds already.
    /// - Throws: ``FetchBenchError`` where the harness itself cannot go on; `CancellationError` where it was stopped.
    public func run(done: [Trial], onEvent: @Sendable (RunEvent) -> Void) async throws {
        let log = try TrialLog(folder)
        let launcher = try TrialLauncher(
            executable: surroundings.executable, timeoutSeconds: plan.settings.timeoutSeconds)
        var references = BodyReferences(plan.assets)
        done.forEach { references.learn(from: $0) }
        let finished = Set(done.map(\.number))
        let slots = plan.slots
        for (index, slot) in slots.enumerated() where !finished.contains(slot.trial) {
            try Task.checkCancellation()
            onEvent(.began(slot, position: index + 1, of: slots.count))
            let asset = references.asset(of: slot.cell)
            let end = try await launch(slot, asset: asset, with: launcher)
            let assembler = TrialAssembler(
                slot: slot, asset: asset, timeoutSeconds: plan.settings.timeoutSeconds)
            let trial = assembler.trial(of: end)
            try log.append(trial, series: end.series.samples)
            references.learn(from: trial)
            onEvent(.ended(trial, position: index + 1, of: slots.count))
        }
    }

    private func launch(_ slot: Plan.Slot, asset: Asset?, with launcher: TrialLauncher) async throws -> ProcessEnd {
        // The length of the path is the same for every trial: it is part of the environment.
        let number = String(slot.trial)
        let directory =
            surroundings.temporaryDirectory + "/t" + String(repeating: "0", count: max(0, 6 - number.count)) + number
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        return try await launcher.launch(
            request(for: slot, asset: asset, directory: directory),
            environment: surroundings.world.environment(for: slot.cell.allocator, directory: directory),
            directory: directory)
    }

    private func request(for slot: Plan.Slot, asset: Asset?, directory: String) -> TrialRequest {
        let warmupURL = surroundings.originURL + "/bytes/1KiB?rate=unlimited"
        return TrialRequest(
            mode: slot.cell.mode, render: slot.cell.render, warmupURL: warmupURL, url: url(of: asset) ?? warmupURL,
            warmsTarget: asset.map { !$0.isEmbedded } ?? false, directory: directory,
            verification: plan.settings.verification,
            idleTimeoutSeconds: Int(plan.settings.timeoutSeconds.rounded(.up)) + 5,
            rendering: plan.settings.rendering, seed: slot.seed)
    }

    private func url(of asset: Asset?) -> String? {
        guard let asset else { return nil }
        return asset.isEmbedded ? surroundings.originURL + asset.location : surroundings.foreignURLs[asset.name]
    }
}

/// The bodies that foreign assets are compared with: the first good one of each is the reference.
package struct BodyReferences: Sendable {
    private var assets: [String: Asset]

    package init(_ assets: [Asset]) {
        self.assets = Dictionary(uniqueKeysWithValues: assets.map { ($0.name, $0) })
    }

    package func asset(of cell: Case) -> Asset? {
        assets[cell.asset]
    }

    package mutating func learn(from trial: Trial) {
        guard trial.isCompleted, let body = trial.report?.body, var asset = assets[trial.cell.asset] else { return }
        asset.byteCount = asset.byteCount ?? body.byteCount
        asset.sha256 = asset.sha256 ?? body.sha256
        assets[asset.name] = asset
    }
}
