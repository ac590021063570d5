// SPDX-License-Identifier: Apache-2.0

import Foundation
import MemProbe
import OperatingSystem
import Profiles
import Runs
import TrialKit

/// Runs single trials of a plan: prepares request, folder and environment, spawns, and assembles the result.
struct TrialExecutor: Sendable {
    private let plan: Plan
    private let inputs: TrialInputs
    private let launcher: ProcessLauncher

    init(_ plan: Plan, _ inputs: TrialInputs) throws(FetchBenchError) {
        self.plan = plan
        self.inputs = inputs
        do throws(MemProbeError) {
            launcher =
                plan.fetches
                ? try ProcessLauncher(
                    samplingSeconds: plan.settings.timeoutSeconds, memoryLimit: plan.settings.memoryLimit)
                : ProcessLauncher()
        } catch {
            throw FetchBenchError.memory(error)
        }
    }

    /// Runs one trial.
    func trial(for slot: Plan.Slot) async throws -> (trial: Trial, series: [Sample], sent: [SentBytes]) {
        // `nil` in the null case.
        let asset = plan.asset(of: slot.cell)
        let launch = { try await inFolder(of: slot) { try await self.launch(slot, asset: asset, in: $0) } }
        guard let plain = plainRunner(of: slot.cell) else {
            return await stored(try await launch(), slot, asset: asset)
        }
        let (launched, remains) = try await plain.between(launch)
        switch launched {
        case .failure(let failure): return (Trial(of: slot, that: failure), [], [])
        case .success(let launched):
            var done = await stored(launched, slot, asset: asset)
            if let remains, done.trial.isCompleted { done.trial.outcome = Outcome(.failed, remains) }
            return done
        }
    }

    /// Returns the runner of a plain command; `nil` for other cases.
    private func plainRunner(of cell: Case) -> PlainCommandRunner? {
        guard cell.isPlain, let command = inputs.commands[cell.mode] ?? plan.command(of: cell) else { return nil }
        return PlainCommandRunner(
            command: command, values: CommandParameters.real(cell.parameters, among: inputs.parameters),
            settings: plan.settings, allocator: cell.allocator, inputs: inputs)
    }

    /// Reduces a command's trial to its largest processes, and takes the series that its tracer sampled.
    private func stored(
        _ launched: Launched, _ slot: Plan.Slot, asset: Asset?
    ) async -> (trial: Trial, series: [Sample], sent: [SentBytes]) {
        var (trial, sent) = await self.trial(of: launched, slot, asset: asset)
        guard let trace = trial.report?.command else { return (trial, launched.end.series.samples, sent) }
        trial.report?.command = trace.listing(Self.mostProcesses)
        trial.report?.command?.series = []
        return (trial, trace.series, sent)
    }

    /// The maximum number of processes stored for a command.
    private static let mostProcesses = 64

    /// Runs one trial with the recorder in front of its allocator; it is never measured.
    func recordedTrial(for slot: Plan.Slot) async throws -> RecordedTrial {
        let asset = plan.asset(of: slot.cell)
        return try await inFolder(of: slot) { directory in
            let folder = directory + "/recordings"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
            let launch = { try await self.launch(slot, asset: asset, in: directory, recordingTo: folder) }
            let launched: Launched
            if let plain = plainRunner(of: slot.cell) {
                switch try await plain.between(launch).value {
                case .success(let done): launched = done
                case .failure(let failure):
                    return RecordedTrial(trial: Trial(of: slot, that: failure), recordings: .failure(.missing))
                }
            } else {
                launched = try await launch()
            }
            let recordings = Result { () throws(RecordingError) in try RecordingFolder(path: folder).entries() }
            return RecordedTrial(
                trial: await trial(of: launched, slot, asset: asset).trial, recordings: recordings)
        }
    }

    private func inFolder<Value>(
        of slot: Plan.Slot, _ body: (_ directory: String) async throws -> Value
    ) async throws -> Value {
        try await TrialFolder.with("t", slot.trial, in: inputs.place.folder) { directory in
            guard let parent = destinationParent(of: slot.cell) else { return try await body(directory) }
            return try await TrialFolder.with("t", slot.trial, in: parent) { _ in try await body(directory) }
        }
    }

    /// The folder on another file system in which the trials of a case get their own; `nil` for none.
    private func destinationParent(of cell: Case) -> String? {
        cell.conditions.destination == .other ? inputs.place.destination : nil
    }

    /// Assembles the trial of a process and the bytes that the origin sent meanwhile.
    private func trial(
        of launched: Launched, _ slot: Plan.Slot, asset: Asset?
    ) async -> (trial: Trial, sent: [SentBytes]) {
        var assembler = TrialAssembler(
            slot: slot, asset: asset, timeoutSeconds: plan.settings.timeoutSeconds,
            memoryLimit: plan.settings.memoryLimit)
        assembler.asked = launched.asked
        assembler.ignoresFailure = slot.cell.isPlain && plan.settings.commands?.ignoresFailure == true
        assembler.complaint = launched.end.lastWords { withoutSecrets($0, of: slot.cell, asset: asset) }
        // After the process has ended, so that reading does not disturb it.
        assembler.sent = await inputs.place.sent { [assembler] sent in
            var judge = assembler
            judge.sent = sent
            return judge.isShortOfSentBytes(of: launched.end)
        }
        var trial = assembler.trial(of: launched.end)
        if !launched.asked.isCommand, let change = inputs.programs.executable(for: slot.cell)?.change {
            trial.outcome = Outcome(.failed, change)
        }
        trial.outcome.detail = withoutSecrets(trial.outcome.detail, of: slot.cell, asset: asset)
        trial.report?.failure?.detail = trial.outcome.detail
        return (trial, assembler.sent ?? [])
    }

    /// Removes the URL and the trial's folder, which messages of a library or a command may quote.
    private func withoutSecrets(_ text: String, of cell: Case, asset: Asset?) -> String {
        // Compiling the patterns takes longer than tracing a small command.
        guard !text.isEmpty else { return text }
        let foreign = inputs.url(of: asset)
        var safe = foreign.map { RedactedURL.text(text, without: $0) } ?? text
        if let details = inputs.details { safe = RedactedRequest.text(safe, without: details) }
        if let plain = plainRunner(of: cell) {
            safe = plain.safe(safe)
        } else if let command = inputs.commands[cell.mode] {
            safe = inputs.harness.redaction.text(safe, of: command)
        }
        if let folder = inputs.place.destination {
            safe = safe.replacingOccurrences(of: folder, with: "the destination")
        }
        return safe.replacingOccurrences(of: inputs.place.folder, with: "TMPDIR")
    }

    private func launch(
        _ slot: Plan.Slot, asset: Asset?, in directory: String, recordingTo recordings: String? = nil
    ) async throws -> Launched {
        let address = TrialAddress(conditions: slot.cell.conditions, asset: asset, inputs: inputs)
        let order = try order(for: slot, asset: asset, at: address, directory: directory)
        var environment =
            plainRunner(of: slot.cell)?.environment
            ?? inputs.place.variables.environment(
                for: slot.cell.allocator, directory: directory, isCommand: order.isCommand,
                authority: address.certificateAuthorityPath)
        if let recordings, let recorder = inputs.recorder {
            let library = inputs.place.variables.preloadedLibrary(for: slot.cell.allocator)
            environment.merge(recorder.variables(before: library, recordingTo: recordings)) { $1 }
        }
        return Launched(
            end: try await end(of: order, environment: environment, directory: directory),
            asked: asked(by: order, of: slot.cell, asset: asset))
    }

    /// The additional time of a tracer, which reads the peaks of what it kills.
    private static let margin = Duration.seconds(15)

    /// Runs the process of an order; `environment` is that of the measured program.
    private func end(
        of order: TrialOrder, environment: [String: String], directory: String
    ) async throws -> ProcessEnd {
        let limit = Duration.seconds(plan.settings.timeoutSeconds)
        switch order {
        case .fetch(let request, let program):
            return try await launcher.launch(
                ChildLaunch(executable: program, environment: environment, directory: directory, limit: limit),
                reading: try RunCoding.compactText(of: request), isSampled: true)
        case .trace(var request):
            request.environment = environment
            request.mark = String(UInt64.random(in: .min ... .max), radix: 36)
            // The tracer stays for the next trial: whatever belongs to this one has to be in its document. It enforces the
            // time limit of the command; its own applies if it fails to.
            let folder = inputs.place.folder
            let tracer = ChildLaunch(
                executable: inputs.harness.executable, arguments: ["trace"],
                environment: inputs.place.variables.environment(for: .glibc, directory: folder), directory: folder,
                limit: limit + Self.margin)
            // A build has thousands of processes of a few hundred bytes each.
            return try await launcher.answer(
                of: tracer, to: try RunCoding.compactText(of: request), markedBy: request.mark, outputLimit: 256 << 20)
        }
    }

    private struct Launched {
        let end: ProcessEnd
        let asked: ReportWitness.Asked
    }

    private func asked(by order: TrialOrder, of cell: Case, asset: Asset?) -> ReportWitness.Asked {
        let fetches = asset != nil && cell.mode != Case.nullMode
        switch order {
        case .trace(let request):
            return ReportWitness.Asked(
                version: TrialRequest.understoodProtocols.lowerBound, verification: request.verification,
                isCommand: true, fetches: fetches)
        case .fetch(let request, _):
            return ReportWitness.Asked(
                version: request.version, verification: request.verification,
                playsScenario: cell.conditions.scenario != .none, fetches: fetches,
                sending: sending(of: cell, asset: asset))
        }
    }

    private func mode(of cell: Case) -> ModeDeclaration? {
        inputs.programs.executable(for: cell)?.description.modes.first { $0.name == cell.mode }
    }

    /// The bytes that the embedded origin has to send; unknown for scenarios, disk caches and uploads.
    private func sending(of cell: Case, asset: Asset?) -> ReportWitness.Sending {
        let conditions = cell.conditions
        guard let mode = mode(of: cell), mode.need != .sink, asset?.isEmbedded == true, conditions.scenario == .none,
            [.bare, .ephemeral].contains(conditions.session)
        else { return .unknown }
        return conditions.transfer == .gzip ? .some : .whole
    }

    private func order(
        for slot: Plan.Slot, asset: Asset?, at address: TrialAddress, directory: String
    ) throws(FetchBenchError) -> TrialOrder {
        if let plain = plainRunner(of: slot.cell) { return .trace(plain.request()) }
        if let command = inputs.commands[slot.cell.mode] ?? plan.command(of: slot.cell) {
            return .trace(request(for: command, at: address, directory: directory))
        }
        guard let program = inputs.programs.executable(for: slot.cell) else {
            throw FetchBenchError.noTrialProgram(cell: slot.cell.identifier)
        }
        var request = request(for: slot, asset: asset, at: address, directory: directory)
        // Each version includes the earlier ones, but a program need not support them.
        request.version = max(request.version, program.description.protocols.lowerBound)
        return .fetch(request, program: program.path)
    }

    /// Returns the request of a command with the same URL and file that a mode gets.
    private func request(
        for command: ExternalCommand, at address: TrialAddress, directory: String
    ) -> CommandRequest {
        let words = try? command.words(
            url: address.url, file: CommandRequest.file(in: directory), authority: address.certificateAuthorityPath)
        return CommandRequest(
            command: words ?? [], directory: directory, makesFile: command.makesFile,
            verification: plan.settings.verification, timeoutSeconds: plan.settings.timeoutSeconds,
            memoryLimit: plan.settings.memoryLimit)
    }

    private func request(
        for slot: Plan.Slot, asset: Asset?, at address: TrialAddress, directory: String
    ) -> TrialRequest {
        var request = TrialRequest(
            mode: slot.cell.mode, render: slot.cell.render, warmupURL: address.warmupURL, url: address.url,
            warmsTarget: asset?.reference?.warmsByHead ?? false, directory: directory,
            verification: plan.settings.verification,
            idleTimeoutSeconds: Int(plan.settings.timeoutSeconds.rounded(.up)) + TrialRequest.idleMarginSeconds,
            rendering: plan.settings.rendering, seed: slot.seed)
        request.ask(for: slot.cell.conditions, maximumConnections: plan.settings.maximumConnections)
        if let details = inputs.details, asset?.isEmbedded == false { request.ask(with: details) }
        if slot.cell.conditions.scenario != .none {
            request.traceSeed = plan.seed
            request.members = address.members
        }
        request.destinationDirectory = destinationParent(of: slot.cell).map {
            TrialFolder.path("t", slot.trial, in: $0)
        }
        request.certificateAuthorityPath = address.certificateAuthorityPath
        request.plantedByteCount = inputs.planted.size(in: slot.cell.mode).rawValue
        if let interval = inputs.allocatorSeriesNanoseconds { request.ask(forAllocatorEvery: interval) }
        let atStart = inputs.planted.atStart.rawValue
        request.plantedAtStartByteCount = atStart > 0 ? atStart : nil
        return request
    }
}

/// The purpose of a process: a fetch in a trial program, or a command under the tracer.
private enum TrialOrder: Sendable {
    case fetch(TrialRequest, program: String)
    case trace(CommandRequest)

    var isCommand: Bool {
        if case .trace = self { true } else { false }
    }
}

/// A trial with the recorder in front of the allocator.
struct RecordedTrial {
    var trial: Trial
    var recordings: Result<[RecordingFolder.Entry], RecordingError>
}

extension Trial {
    /// A trial that did not run because its preparation failed.
    fileprivate init(of slot: Plan.Slot, that failure: Obstacle) {
        self.init(
            number: slot.trial, cell: slot.cell, seed: slot.seed, outcome: Outcome(.failed, failure.reason),
            anonymousPeaks: [], samplesDegraded: false, processNanoseconds: 0, doubts: [])
    }
}
