// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
package import MemProbe

/// Runs a trial in its fresh process and returns its report.
package struct MeasuredTrial: Sendable {
    private let request: TrialRequest
    private let mode: any FetchMode
    private let model: any RenderModel
    private let scenario: (any Scenario)?
    private let target: URL
    private let warmup: URL

    /// Creates the runner of a request with the mode, the model and the scenario that it names.
    /// - Throws: ``FetchFailure`` if a URL of the request is invalid.
    package init(
        request: TrialRequest, mode: any FetchMode, model: any RenderModel, scenario: (any Scenario)? = nil
    ) throws(FetchFailure) {
        guard let target = URL(string: request.url), let warmup = URL(string: request.warmupURL) else {
            throw FetchFailure(.other, "the URL cannot be parsed")
        }
        (self.request, self.mode, self.model, self.scenario) = (request, mode, model, scenario)
        (self.target, self.warmup) = (target, warmup)
    }

    /// Runs the trial.
    /// - Throws: ``MemProbeError`` if the process cannot be read; every other failure is in the report.
    package func run() async throws(MemProbeError) -> TrialReport {
        let hugePagesDisabled = TransparentHugePages.disableForThisProcess()
        var report = TrialReport(
            version: request.version, allocator: .current, exactness: ExactnessProbe.run().description,
            hugePagesDisabled: hugePagesDisabled)
        let settings: FetchSettings
        do {
            // Reads the user's body into memory before anything is measured.
            settings = try request.fetchSettings(for: target)
        } catch {
            report.failure = Self.failure(error, in: .idle)
            return report
        }
        let course = try course(settings, into: report)
        let sampler = try allocatorSampler()
        var failure: (any Error)?
        do {
            try await course.run()
        } catch {
            failure = error
        }
        let samples = sampler?.stop()
        if let failure = failure as? MemProbeError { throw failure }
        report = course.report
        report.failure = failure.map { Self.failure($0, in: course.phase) }
        report.allocatorSeries = samples.map(AllocatorSeries.init)
        return report
    }

    /// Starts the thread that reads the allocator's statistics; `nil` in every measured trial.
    private func allocatorSampler() throws(MemProbeError) -> AllocatorSampler? {
        guard let interval = request.allocatorSeriesNanoseconds, interval > 0 else { return nil }
        return try AllocatorSampler(
            schedule: SamplingSchedule(
                intervalNanoseconds: interval, slowAfterNanoseconds: AllocatorSeries.wholeNanoseconds,
                slowIntervalNanoseconds: 10 * interval), capacity: AllocatorSeries.mostSamples)
    }

    private func course(
        _ settings: FetchSettings, into report: TrialReport
    ) throws(MemProbeError) -> any Course {
        guard let scenario else {
            return try TrialCourse(request, settings, mode, model, target: target, warmup: warmup, into: report)
        }
        let stage = ScenarioStage(request, settings, mode: mode, model: model, target: target, warmup: warmup)
        return try ScenarioCourse(scenario, on: stage, into: report)
    }

    private static func failure(_ error: any Error, in phase: Phase) -> TrialReport.Failure {
        let (code, detail) =
            switch error {
            case let failure as FetchFailure: (failure.code.rawValue, failure.detail)
            case let failure as RenderFailure: (failure.code.rawValue, failure.detail)
            default: (FetchFailure.Code.other.rawValue, "\(error)")
            }
        let isRejection = (error as? RenderFailure)?.code == .overLimit
        return TrialReport.Failure(phase: phase, code: code, detail: detail, isRejection: isRejection)
    }
}

/// The phases of a trial in their order.
protocol Course: AnyObject {
    var report: TrialReport { get }
    var phase: Phase { get }
    /// Runs the phases from `idle` to `release`.
    func run() async throws
}
