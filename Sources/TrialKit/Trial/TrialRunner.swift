// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
package import MemProbe

/// The measured side of a trial: runs in the fresh process, goes through the phases, answers once.
package struct TrialRunner: Sendable {
    private let request: TrialRequest
    private let mode: any FetchMode
    private let model: any RenderModel
    private let target: URL
    private let warmup: URL

    /// Creates the runner of one request, with the mode and the model that it names.
    /// - Throws: ``FetchFailure`` where a URL of the request is none.
    package init(request: TrialRequest, mode: any FetchMode, model: any RenderModel) throws(FetchFailure) {
        guard let target = URL(string: request.url), let warmup = URL(string: request.warmupURL) else {
            throw FetchFailure(.other, "the URL cannot be parsed")
        }
        self.request = request
        self.mode = mode
        self.model = model
        self.target = target
        self.warmup = warmup
    }

    /// Does the trial.
    /// - Throws: ``MemProbeError`` where the process cannot even be read; everything else is in the report.
    package func run() async throws(MemProbeError) -> TrialReport {
        let hugePagesDisabled = TransparentHugePages.disableForThisProcess()
        let report = TrialReport(
            version: request.version, allocator: .current, exactness: ExactnessProbe.run().description,
            hugePagesDisabled: hugePagesDisabled)
        let course = try TrialCourse(request, target: target, warmup: warmup, into: report)
        do {
            try await course.run(mode, model)
        } catch let error as MemProbeError {
            throw error
        } catch {
            course.report.failure = Self.failure(error, in: course.phase)
        }
        return course.report
    }

    /// What ended a trial.
    private static func failure(_ error: any Error, in phase: Phase) -> TrialReport.Failure {
        switch error {
        case let failure as FetchFailure:
            TrialReport.Failure(
                phase: phase, code: failure.code.rawValue, detail: failure.detail, isRejection: false)
        case let failure as RenderFailure:
            TrialReport.Failure(
                phase: phase, code: failure.code.rawValue, detail: failure.detail,
                isRejection: failure.code == .overLimit)
        default:
            TrialReport.Failure(
                phase: phase, code: FetchFailure.Code.other.rawValue, detail: "\(error)", isRejection: false)
        }
    }
}

extension TrialRequest {
    /// What the mode may know of the trial.
    var fetchSettings: FetchSettings {
        let conditions = conditions ?? .standard
        var settings = FetchSettings(verification: verification, idleTimeoutSeconds: idleTimeoutSeconds)
        settings.consumerDelayNanoseconds = conditions.consumerDelayNanoseconds
        settings.session = conditions.session
        settings.maximumConnectionsPerHost = maximumConnections
        settings.acceptsGzip = conditions.transfer == .gzip
        settings.certificateAuthorityPath = certificateAuthorityPath
        return settings
    }
}
