// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import MemProbe

/// The course of a trial with a scenario: the phases of every trial, with a player in place of one fetch.
final class ScenarioCourse: Course {
    private(set) var report: TrialReport
    private(set) var phase = Phase.idle
    private let scenario: any Scenario
    private let stage: ScenarioStage
    private var marker: TrialMarker

    init(
        _ scenario: any Scenario, on stage: ScenarioStage, into report: TrialReport
    ) throws(MemProbeError) {
        self.scenario = scenario
        self.stage = stage
        self.report = report
        self.report.phases.reserveCapacity(Phase.measured.count)
        marker = try TrialMarker()
    }

    func run() async throws {
        phase = .warmup
        let plantedAtStart = PlantedMemory(byteCount: stage.request.plantedAtStartByteCount ?? 0)
        let player = try await scenario.makePlayer(on: stage)
        try await player.warmUp()
        report.baseline = try marker.baseline(after: .standard)
        try await play(player)
        withExtendedLifetime(plantedAtStart) {}
        try await measure(.release) { await player.end() }
        try marker.settle(.standard, into: &report)
        report.scenario = try player.reading()
        report.body = report.scenario?.body
    }

    private func play(_ player: any ScenarioPlayer) async throws {
        let planted = try await measure(.fetch) {
            let planted = PlantedMemory(byteCount: stage.request.plantedByteCount)
            try await player.play()
            return planted
        }
        try await measure(.hold) { try await player.linger() }
        // A scenario renders while it plays; the empty phase is there for readers of columns.
        try await measure(.render) {}
        withExtendedLifetime(planted) {}
    }

    @discardableResult
    private func measure<Result>(_ phase: Phase, _ body: () async throws -> Result) async throws -> Result {
        self.phase = phase
        try marker.begin()
        let result = try await body()
        report.phases.append(try marker.end(phase))
        return result
    }
}
