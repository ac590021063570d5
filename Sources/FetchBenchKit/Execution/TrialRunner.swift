// SPDX-License-Identifier: Apache-2.0

import Foundation
public import MemProbe

/// The measured side of a trial: runs in the fresh process, goes through the phases, answers once.
///
/// Between two marks nothing happens here but the work itself: no allocation, no output, no sampler.
public struct TrialRunner: Sendable {
    private let request: TrialRequest
    private let mode: any FetchMode
    private let model: any RenderModel
    private let targetURL: URL
    private let warmupURL: URL

    /// Creates the runner of one request, with the mode and the model that it names.
    /// - Throws: ``FetchFailure`` where a URL of the request is none.
    public init(request: TrialRequest, mode: any FetchMode, model: any RenderModel) throws(FetchFailure) {
        guard let target = URL(string: request.url), let warmup = URL(string: request.warmupURL) else {
            throw FetchFailure(.other, "the URL cannot be parsed")
        }
        self.request = request
        self.mode = mode
        self.model = model
        targetURL = target
        warmupURL = warmup
    }

    /// Does the trial.
    /// - Throws: ``MemProbeError`` where the process cannot even be read; everything else is in the report.
    public func run() async throws(MemProbeError) -> TrialReport {
        let hugePagesDisabled = TransparentHugePages.disableForThisProcess()
        var report = TrialReport(
            version: request.version, allocator: .current, exactness: ExactnessProbe.run().description,
            hugePagesDisabled: hugePagesDisabled)
        var phase = Phase.idle
        do {
            try await measure(into: &report, phase: &phase)
        } catch let failure as FetchFailure {
            report.failure = TrialReport.Failure(
                phase: phase, code: failure.code.rawValue, detail: failure.detail, isRejection: false)
        } catch let failure as RenderFailure {
            report.failure = TrialReport.Failure(
                phase: phase, code: failure.code.rawValue, detail: failure.detail,
                isRejection: failure.code == .overLimit)
        } catch let error as MemProbeError {
            throw error
        } catch {
            report.failure = TrialReport.Failure(
                phase: phase, code: FetchFailure.Code.other.rawValue, detail: "\(error)", isRejection: false)
        }
        return report
    }

    private func measure(into report: inout TrialReport, phase: inout Phase) async throws {
        var marker = try TrialMarker()
        let verifier = BodyVerifier()
        let fetcher = try mode.makeFetcher(request.fetchSettings)
        let renderer = try model.makeRenderer(request.rendering)
        report.phases.reserveCapacity(Phase.measured.count)
        let requests = requests(of: targetURL, to: "fetched")
        var pictures: [any RenderedImage] = []
        pictures.reserveCapacity(requests.count)

        phase = .warmup
        let plantedAtStart = [UInt8](repeating: 1, count: request.plantedAtStartByteCount ?? 0)
        try await warmUp(fetcher, renderer, verifier)
        for request in requests { try await fetcher.prepare(for: request) }
        try marker.begin()
        _ = try marker.end(.warmup)
        try marker.waitForQuiet(.standard)
        report.baseline = try marker.mark()

        phase = .fetch
        try marker.begin()
        var planted: [UInt8]? = [UInt8](repeating: 1, count: request.plantedByteCount)
        var bodies = try await fetcher.fetch(requests)
        report.phases.append(try marker.end(.fetch))

        phase = .hold
        try marker.begin()
        report.body = try BodyReading(
            joining: bodies.compactMap { try verifier.reading(of: $0, by: request.verification) })
        try marker.waitForQuiet(.standard)
        report.phases.append(try marker.end(.hold))

        phase = .render
        try marker.begin()
        bodies.reverse()
        // Handed over without a name, which would hold the body while a model lets go of it.
        while !bodies.isEmpty { pictures.append(try renderer.render(bodies.removeLast())) }
        report.phases.append(try marker.end(.render))
        withExtendedLifetime((planted, plantedAtStart)) {}
        report.picture = pictures.last.flatMap(PictureReading.init)

        phase = .release
        try marker.begin()
        pictures = []
        planted = nil
        await fetcher.invalidate()
        report.phases.append(try marker.end(.release))
        try settle(&marker, into: &report)
    }

    /// Reads what stays: after a settling time, and after the allocator was asked to give everything back.
    private func settle(_ marker: inout TrialMarker, into report: inout TrialReport) throws(MemProbeError) {
        try marker.waitForQuiet(.standard)
        report.settled = try marker.mark()
        _ = AllocatorControl.purge()
        report.purged = try marker.mark()
    }

    /// Does everything once that the measured phases will do, down to reading the marks.
    private func warmUp(
        _ fetcher: any Fetcher, _ renderer: any Renderer, _ verifier: BodyVerifier
    ) async throws {
        let warmups = requests(of: warmupURL, to: "warmup")
        for warmup in warmups { try await fetcher.prepare(for: warmup) }
        for body in try await fetcher.fetch(warmups) { _ = try verifier.reading(of: body, by: request.verification) }
        if request.warmsTarget {
            // Whatever it answers: the fetch that is measured will say what is wrong.
            _ = try? await fetcher.fetch(
                FetchRequest(url: targetURL, method: .head, destination: request.directory + "/header.body"))
        }
        try renderer.warmUp()
    }

    /// Requests for a URL, as many at once as the conditions want: the warm-up has as many as the phase `fetch`.
    private func requests(of url: URL, to name: String) -> [FetchRequest] {
        (1...max(1, request.conditions?.concurrency ?? 1)).map { number in
            let suffix = number == 1 ? "" : "-\(number)"
            return FetchRequest(url: url, destination: "\(request.directory)/\(name)\(suffix).body")
        }
    }
}

extension TrialRequest {
    /// What the mode may know of the trial.
    fileprivate var fetchSettings: FetchSettings {
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

extension BodyReading {
    /// The reading of bodies that should be the same: of each of them, or else the first that differs; `nil` of none.
    package init?(joining readings: [BodyReading]) {
        guard let first = readings.first else { return nil }
        let different = readings.first { $0.byteCount != first.byteCount || $0.sha256 != first.sha256 }
        self = different ?? first
        verificationCPUNanoseconds = readings.reduce(0) { $0 + $1.verificationCPUNanoseconds }
        let cached = readings.compactMap(\.pageCache)
        pageCache = cached.isEmpty ? nil : cached.reduce(.zero, +)
    }
}

extension PictureReading {
    /// The reading of a picture, or `nil` where nothing was decoded.
    init?(_ picture: any RenderedImage) {
        guard let width = picture.decodedWidth, let height = picture.decodedHeight else { return nil }
        self.init(width: width, height: height, bitmapByteCount: ByteCount(picture.bitmapByteCount))
    }
}
