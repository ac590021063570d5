// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Profiles
import Runs
import Synchronization

/// Runs single trials of a plan: prepares request, folder and environment, spawns, and assembles the result.
struct TrialExecutor: Sendable {
    /// The maximum size of a report in bytes; a real one has a few kilobytes.
    private static let longestReport = 4 << 20

    private let plan: Plan
    private let inputs: TrialInputs
    /// The sampler of trial programs, whose buffer is allocated once; `nil` if nothing is fetched.
    private let sampler: Sampler?
    private let tracer: CommandTracer
    /// The memory for samples of a charge; `nil` where trials have no control groups of their own.
    private let charges: ChargeSampler.Storage?
    /// The first answer of a server to each request, which all others have to equal.
    private let answers: FirstAnswers

    init(_ plan: Plan, _ inputs: TrialInputs) throws {
        (self.plan, self.inputs) = (plan, inputs)
        answers = try FirstAnswers(plan, inputs)
        let folder = inputs.place.folder
        tracer = CommandTracer(
            inputs.harness.executable, environment: inputs.place.variables.environment(for: .glibc, directory: folder),
            directory: folder, timeoutSeconds: plan.settings.timeoutSeconds)
        do throws(MemProbeError) {
            let schedule = SamplingSchedule.standard
            let capacity = schedule.capacity(forNanoseconds: Int(plan.settings.timeoutSeconds * 1e9))
            sampler =
                plan.cases.contains { !$0.isOwnCommand } ? try Sampler(schedule: schedule, capacity: capacity) : nil
            charges = inputs.place.groups == nil ? nil : try ChargeSampler.Storage(capacity: capacity)
        } catch {
            throw FetchBenchError.memory(error)
        }
    }

    func trial(for slot: Plan.Slot) async throws -> (trial: Trial, series: TrialSeries) {
        // `nil` in the null case.
        let asset = plan.asset(of: slot.cell)
        let launch = {
            try await inFolder(of: slot) { folder in
                try await charged(slot) { try await self.launch(slot, asset: asset, in: folder, within: $0) }
            }
        }
        guard let plain = plainRunner(of: slot.cell) else {
            let start = try await commandStart(of: slot, asset: asset)
            var launched = try await launch()
            launched.start = start
            return await stored(launched, slot, asset: asset)
        }
        let (launched, remains) = try await plain.between(launch)
        switch launched {
        case .failure(let failure): return (Trial(of: slot, that: failure), TrialSeries())
        case .success(let launched):
            var done = await stored(launched, slot, asset: asset)
            if let remains, done.trial.isCompleted { done.trial.outcome = Outcome(.failed, remains) }
            return done
        }
    }

    private func plainRunner(of cell: Case) -> PlainCommandRunner? {
        guard cell.isOwnCommand, let command = inputs.commands[cell.mode] ?? plan.command(of: cell) else { return nil }
        return PlainCommandRunner(
            command: command, values: CommandParameters.real(cell.parameters, among: inputs.parameters),
            settings: plan.settings, allocator: cell.allocator, inputs: inputs)
    }

    /// Reduces a command's trial to its largest processes, and takes the series that its tracer sampled.
    private func stored(
        _ launched: Launched, _ slot: Plan.Slot, asset: Asset?
    ) async -> (trial: Trial, series: TrialSeries) {
        var (trial, sent) = await self.trial(of: launched, slot, asset: asset)
        var series = TrialSeries(
            samples: launched.end.series.samples, sent: sent, charges: launched.charge?.samples ?? [])
        guard let trace = trial.report?.command else { return (trial, series) }
        trial.report?.command = trace.listing(Self.mostProcesses)
        trial.report?.command?.series = []
        series.samples = trace.series
        return (trial, series)
    }

    private static let mostProcesses = 64

    /// Runs one trial with the recorder in front of its allocator; it is never measured.
    func recordedTrial(for slot: Plan.Slot) async throws -> RecordedTrial {
        let asset = plan.asset(of: slot.cell)
        return try await inFolder(of: slot) { directory in
            let folder = directory + "/recordings"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
            if slot.cell.isServer {
                try Data(count: MemoryLayout<Recording.Instant.RawValue>.size)
                    .write(to: URL(fileURLWithPath: "\(folder)/\(Recording.instantFile)"))
            }
            let launch = { try await self.launch(slot, asset: asset, in: directory, recordingTo: folder) }
            let launched: Launched
            if let plain = plainRunner(of: slot.cell) {
                switch try await plain.between(launch).value {
                case .success(let done): launched = done
                case .failure(let failure):
                    return RecordedTrial(
                        trial: Trial(of: slot, that: failure), recordings: .failure(FetchBenchError.recorderNotLoaded))
                }
            } else {
                launched = try await launch()
            }
            let recordings = Result { try RecordingFolder(path: folder).entries() }
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

    /// Runs a trial in a control group of its own, if it may have one, and adds its charge.
    private func charged(
        _ slot: Plan.Slot, _ body: (ControlGroup?) async throws -> Launched
    ) async throws -> Launched {
        guard let charges, let group = try inputs.place.group(of: slot) else { return try await body(nil) }
        defer { group.remove() }
        inputs.place.dropped?.drop()
        let watch = inputs.place.watch.map { watch in Task.detached { await watch.follow(group) } }
        defer { watch?.cancel() }
        guard let sampler = try? ChargeSampler(group, storage: charges) else { return try await body(group) }
        do {
            var launched = try await body(group)
            launched.charge = sampler.stop()
            return launched
        } catch {
            _ = sampler.stop()
            throw error
        }
    }

    /// Assembles the trial of a process and the bytes that the origin sent meanwhile.
    private func trial(
        of launched: Launched, _ slot: Plan.Slot, asset: Asset?
    ) async -> (trial: Trial, sent: [SentBytes]) {
        var assembler = TrialAssembler(
            slot: slot, asset: asset, timeoutSeconds: plan.settings.timeoutSeconds,
            memoryLimit: plan.settings.memoryLimit)
        assembler.asked = launched.asked
        assembler.charge = launched.charge
        assembler.start = launched.start
        assembler.details = details(for: asset)
        assembler.foreignVersion = foreignVersion(of: slot.cell, asset)
        assembler.sentByteCount = launched.sentByteCount
        assembler.ignoresFailure = slot.cell.isPlain && plan.settings.commands?.ignoresFailure == true
        assembler.complaint = launched.end.lastWords { withoutSecrets($0, of: slot.cell, asset: asset) }
        // After the process has ended, so that reading does not disturb it.
        assembler.sent = await inputs.place.sent { [assembler] sent in
            var judge = assembler
            judge.sent = sent
            // A command that was sent nothing yet may ignore {url}, or the note is late.
            return sent.isEmpty && launched.start != nil || judge.isShortOfSentBytes(of: launched.end)
        }
        var trial = assembler.trial(of: launched.end)
        if let body = trial.report?.body, slot.cell.isServer { answers.compare(body, of: slot.cell, in: &trial) }
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
        if let details = inputs.details { safe = details.redacted(in: safe) }
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

    private struct Launched {
        let end: ProcessEnd
        let asked: ReportWitness.Asked
        var charge: ChargeSeries?
        var start: Result<Mark, FetchBenchError>?
        /// The length of the body that each request to a server sends; `nil` for none.
        var sentByteCount: ByteCount?
    }

    /// Runs a command that fetches with a body of 1 KiB: its growth counts from there, as that of a mode from its warm-up.
    /// - Returns: The mark, or the reason that there is none; `nil` for a mode.
    private func commandStart(of slot: Plan.Slot, asset: Asset?) async throws -> Result<Mark, FetchBenchError>? {
        guard plan.command(of: slot.cell) != nil else { return nil }
        let ended = try await TrialFolder.with("n", slot.trial, in: inputs.place.folder) { directory in
            try await launch(slot, asset: asset, in: directory, isWarmup: true).end
        }
        // The bytes that the origin has sent it are not of the trial.
        _ = await inputs.place.sent { _ in false }
        let report = try? ForeignDocument.decode(TrialReport.self, from: ended.output)
        if let failure = report?.failure { return .failure(FetchBenchError(failure.detail)) }
        return report?.command.map { .success(Mark(peakOf: $0)) } ?? .failure(FetchBenchError("it could not be traced"))
    }

    private func launch(
        _ slot: Plan.Slot, asset: Asset?, in directory: String, within group: ControlGroup? = nil,
        recordingTo recordings: String? = nil, isWarmup: Bool = false
    ) async throws -> Launched {
        var address = TrialInputs.Address(conditions: slot.cell.conditions, asset: asset, inputs: inputs)
        if isWarmup { address.url = address.warmupURL }
        let command =
            try plainRunner(of: slot.cell)?.request(for: slot.cell)
            ?? commandRequest(for: slot.cell, at: address, directory: directory)
        let environment = environment(
            for: slot.cell, at: address, directory: directory, isCommand: command != nil, recordingTo: recordings)
        let fetches = asset != nil && slot.cell.mode != Case.nullMode
        if var command {
            (command.environment, command.controlGroup) = (environment.merging(command.environment) { $1 }, group)
            command.server?.instantPath = recordings.map { "\($0)/\(Recording.instantFile)" }
            return Launched(
                end: try await tracer.end(of: command),
                asked: ReportWitness.Asked(
                    version: TrialRequest.understoodProtocols.lowerBound, verification: command.verification,
                    isCommand: true, fetches: fetches),
                sentByteCount: command.server?.request.bodyByteCount.map { ByteCount($0) })
        }
        guard let program = inputs.programs.executable(for: slot.cell) else {
            throw FetchBenchError.noTrialProgram(cell: slot.cell.identifier)
        }
        var request = request(for: slot, asset: asset, at: address, directory: directory)
        // Each version includes the earlier ones, but a program need not support them.
        request.version = max(request.version, program.description.protocols.lowerBound)
        var launch = ChildLaunch(
            executable: program.path, name: TrialExecutable.processName, environment: environment,
            directory: directory, limit: .seconds(plan.settings.timeoutSeconds),
            reading: try RunCoding.compactText(of: request), outputLimit: Self.longestReport)
        launch.controlGroup = group
        return Launched(
            end: try await sampledEnd(of: launch),
            asked: ReportWitness.Asked(
                version: request.version, verification: request.verification,
                playsScenario: slot.cell.conditions.scenario != .none, fetches: fetches,
                sending: sending(of: slot.cell, asset: asset)))
    }

    /// The environment of the measured program, with the recorder's variables in a recorded trial.
    private func environment(
        for cell: Case, at address: TrialInputs.Address, directory: String, isCommand: Bool,
        recordingTo recordings: String?
    ) -> [String: String] {
        let variables = inputs.place.variables
        var environment =
            plainRunner(of: cell)?.environment
            ?? variables.environment(
                for: cell.allocator, directory: directory, isCommand: isCommand,
                authority: address.certificateAuthorityPath,
                reachesOut: isCommand || plan.asset(of: cell)?.isEmbedded == false)
        if let recordings, let recorder = inputs.recorder {
            let more = Recording.variables(
                loading: recorder.path, before: environment["LD_PRELOAD"], recordingTo: recordings)
            environment.merge(more) { $1 }
        }
        return environment
    }

    /// Runs a trial program to its end, sampled from outside and killed above the memory limit.
    private func sampledEnd(of launch: ChildLaunch) async throws(CancellationError) -> ProcessEnd {
        guard let sampler else { preconditionFailure("a plan that fetches has a sampler") }
        let unsampled = Mutex<MemProbeError?>(nil)
        var end = try await launch.run { [memoryLimit = plan.settings.memoryLimit] process in
            do throws(MemProbeError) {
                try sampler.start(.pid(process), residentLimit: memoryLimit)
            } catch {
                // One that has already ended gives the reason itself. Of any other the limit would not hold.
                guard error.code != .noSuchProcess else { return }
                unsampled.withLock { $0 = error }
                kill(process, SIGKILL)
            }
        }
        end.series = sampler.stop()
        if let error = unsampled.withLock({ $0 }) {
            end.ending = .notStarted("its memory cannot be sampled: \(error)")
        }
        if let reached = end.series.overLimit {
            end.ending = .killedOverMemory(reached)
            end.leftBehind = nil
        }
        return end
    }

    /// The bytes that the embedded origin has to send; unknown for scenarios, disk caches and uploads.
    private func sending(of cell: Case, asset: Asset?) -> ReportWitness.Sending {
        let conditions = cell.conditions
        let mode = inputs.programs.executable(for: cell)?.description.modes.first { $0.name == cell.mode }
        guard let mode, mode.need != .sink, asset?.isEmbedded == true, conditions.scenario == .none,
            [.bare, .ephemeral].contains(conditions.session)
        else { return .unknown }
        return conditions.transfer == .gzip ? .some : .whole
    }

    private func commandRequest(for cell: Case, at address: TrialInputs.Address, directory: String) -> CommandRequest? {
        guard let command = inputs.commands[cell.mode] ?? plan.command(of: cell) else { return nil }
        let file = directory + "/fetched.body"
        let words = try? command.words(url: address.url, file: file, authority: address.certificateAuthorityPath)
        return CommandRequest(
            command: words ?? [], directory: inputs.harness.workingDirectory, file: file, makesFile: command.makesFile,
            verification: plan.settings.verification, timeoutSeconds: plan.settings.timeoutSeconds,
            memoryLimit: plan.settings.memoryLimit)
    }

    /// The version of HTTP that a mode speaks with a foreign server: HTTP/2 wherever both can, so that rows are alike.
    private func foreignVersion(of cell: Case, _ asset: Asset?) -> HTTPProtocol? {
        guard let asset, asset.scheme != nil, asset.reference != nil, plan.command(of: cell) == nil,
            let program = inputs.programs.executable(for: cell)?.description,
            let mode = program.modes.first(where: { $0.name == cell.mode })
        else { return nil }
        let isAble = mode.abilities.contains(.http2) && cell.conditions.http == .http1
        return asset.offersHTTP2 && isAble ? .http2 : .http1
    }

    private func details(for asset: Asset?) -> RequestDetails? { asset?.isEmbedded == false ? inputs.details : nil }

    private func request(
        for slot: Plan.Slot, asset: Asset?, at address: TrialInputs.Address, directory: String
    ) -> TrialRequest {
        var request = TrialRequest(
            mode: slot.cell.mode, render: slot.cell.render, warmupURL: address.warmupURL, url: address.url,
            warmsTarget: asset?.reference?.warmsByHead ?? false, directory: directory,
            verification: plan.settings.verification,
            idleTimeoutSeconds: Int(plan.settings.timeoutSeconds.rounded(.up)) + TrialRequest.idleMarginSeconds,
            rendering: plan.settings.rendering, seed: slot.seed)
        var conditions = slot.cell.conditions
        if foreignVersion(of: slot.cell, asset) == .http2 { conditions.http = .http2 }
        request.ask(for: conditions, maximumConnections: plan.settings.maximumConnections)
        if let details = details(for: asset) { request.ask(with: details) }
        if slot.cell.conditions.scenario != .none { request.traceSeed = plan.seed }
        request.members = address.members
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

    /// The bodies of a server's answers, each of which has to be the same in every trial.
    private final class FirstAnswers: Sendable {
        private let bodies: Mutex<[String: (body: BodyReading, origin: String)]>

        /// Reads the files that answers have to equal.
        init(_ plan: Plan, _ inputs: TrialInputs) throws {
            var bodies: [String: (body: BodyReading, origin: String)] = [:]
            for cell in plan.cases where cell.isServer && bodies[Self.key(of: cell)] == nil {
                let command = inputs.commands[cell.mode] ?? plan.command(of: cell)
                guard let name = command?.server?.expected else { continue }
                let values = CommandParameters.real(cell.parameters, among: inputs.parameters)
                let path = inputs.harness.absolute(
                    inputs.harness.path(stored: CommandTemplate.filled(name, with: values)))
                bodies[Self.key(of: cell)] = (
                    try Self.body(path, by: plan.settings.verification), "the file of --expect"
                )
            }
            self.bodies = Mutex(bodies)
        }

        private static func body(_ path: String, by verification: Verification) throws -> BodyReading {
            let size = (try? FileManager.default.attributesOfItem(atPath: path)[.size]) as? Int
            let body = FetchedBody(content: .file(path: path), byteCount: size ?? 0)
            guard size != nil, let reading = try? BodyVerifier().reading(of: body, by: verification) else {
                throw FetchBenchError(
                    usage:
                        "--expect: \(SafeText.forTerminal(PathText.name(of: path))) cannot be read; expected a file with the answer"
                )
            }
            return reading
        }

        private static func key(of cell: Case) -> String {
            ([cell.mode] + cell.parameters.map(\.value)).joined(separator: "\0")
        }

        func compare(_ body: BodyReading, of cell: Case, in trial: inout Trial) {
            guard trial.isCompleted else { return }
            let key = Self.key(of: cell)
            let first = bodies.withLock { bodies in
                defer { bodies[key] = bodies[key] ?? (body, "an earlier trial's") }
                return bodies[key] ?? (body, "")
            }
            guard (first.body.byteCount, first.body.sha256) != (body.byteCount, body.sha256) else { return }
            trial.outcome = Outcome(
                .wrongBody, "the answer differs from \(first.origin) (--verify length compares lengths alone)")
        }
    }

    struct RecordedTrial {
        var trial: Trial
        var recordings: Result<[RecordingFolder.Entry], any Error>
    }
}

extension Trial {
    /// A trial that did not run because its preparation failed.
    fileprivate init(of slot: Plan.Slot, that failure: FetchBenchError) {
        self.init(
            number: slot.trial, cell: slot.cell, seed: slot.seed, outcome: Outcome(.failed, failure.message),
            anonymousPeaks: [], samplesDegraded: false, processNanoseconds: 0, doubts: [])
    }
}
