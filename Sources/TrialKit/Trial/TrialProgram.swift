// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import MemProbe

/// The main of a trial program: a program that `fetchbench` starts once for each trial, to be measured.
///
/// A package that depends on TrialKit turns its own code into modes with it:
///
/// <!-- snippet: trials -->
/// ```swift
/// @main struct MyTrials {
///     static func main() async {
///         await TrialProgram.run(modes: [MyMode()])
///     }
/// }
/// ```
///
/// Without arguments it reads a ``TrialRequest`` from standard input, does the trial, and writes a ``TrialReport`` to
/// standard output; with `--describe` it writes a ``ProgramDescription``; with `--costs` it reads a ``CostRequest`` and
/// writes a ``CostReport``. Mode `none`, the render models `none` and `json` and the scenarios `repeat` and `concurrency`
/// are part of every program.
public struct TrialProgram: Sendable {
    let modes: [any FetchMode]
    private let renderModels: [any RenderModel]
    private let scenarios: [any Scenario]
    let prepare: @Sendable (FetchSettings) throws(FetchFailure) -> Void

    /// Does what this process was started for, and ends it.
    ///
    /// It ends without exit handlers: OpenSSL's can crash after https on this toolchain, and their output would mix
    /// with the answer. Status 0: the answer is on standard output, also for a failed fetch. Status 64: wrong arguments
    /// or input, as described on standard error.
    /// - Parameters:
    ///   - modes: The modes; their names differ.
    ///   - renderModels: The render models in addition to `none` and `json`; one with the name `json` replaces it.
    ///   - scenarios: The scenarios in addition to `repeat` and `concurrency`; one with the same name replaces
    ///     a built-in one.
    ///   - prepare: Prepares the process before anything is made, such as the trusted authority of a library.
    public static func run(
        modes: [any FetchMode], renderModels: [any RenderModel] = [], scenarios: [any Scenario] = [],
        prepare: @escaping @Sendable (FetchSettings) throws(FetchFailure) -> Void = { _ throws(FetchFailure) in }
    ) async -> Never {
        let arguments = Array(CommandLine.arguments.dropFirst())
        // Read first: the costs at a program's start are those of what is linked into it.
        let start = Result { () throws(MemProbeError) in try firstReading(arguments) }
        let program = TrialProgram(
            modes: [NoneMode()] + modes, renderModels: Self.renderModels(with: renderModels),
            scenarios: CommonScenarios.all(with: scenarios), prepare: prepare)
        do {
            try await program.answer(arguments, readAtStart: start.get())
            _exit(0)
        } catch {
            program.complain("\(error)")
            _exit(64)
        }
    }

    /// Returns the render models of a program; one of its own replaces `json`.
    package static func renderModels(with own: [any RenderModel]) -> [any RenderModel] {
        let json = JSONModel()
        return [NoneModel()] + own + (own.contains { $0.name == json.name } ? [] : [json])
    }

    private func answer(_ arguments: [String], readAtStart start: CostReading?) async throws {
        if let start {
            OwnProgram.endsWithParent()
            return try write(await costs(from: start))
        }
        switch arguments {
        case ["--describe"]:
            try write(
                ProgramDescription(
                    modes: modes, renderModels: renderModels, scenarios: scenarios.map(ScenarioDeclaration.init),
                    allocator: .current))
        case [Companion.argument, arguments.last ?? ""]:
            OwnProgram.endsWithParent()
            try accompany(arguments[1])
        case []:
            OwnProgram.endsWithParent()
            try write(await report(of: try request()))
        default:
            throw Misuse("it takes no argument but --describe and --costs; `fetchbench run` starts trials")
        }
    }

    private func request() throws -> TrialRequest {
        guard let request: TrialRequest = Self.input() else {
            throw Misuse("standard input holds no trial; `fetchbench run` starts trials")
        }
        let understood = TrialRequest.understoodProtocols
        guard understood.contains(request.version) else {
            throw Misuse(
                "the trial is in version \(request.version) of the protocol, not \(understood.lowerBound) to "
                    + "\(understood.upperBound)")
        }
        return request
    }

    private func report(of request: TrialRequest) async throws -> TrialReport {
        guard let mode = modes.first(where: { $0.name == request.mode }),
            let model = renderModels.first(where: { $0.name == request.render })
        else { throw Misuse("this program has no mode \(request.mode) or no render model \(request.render)") }
        let scenario = try scenario(of: request)
        try prepare(request.fetchSettings)
        return try await MeasuredTrial(request: request, mode: mode, model: model, scenario: scenario).run()
    }

    private func scenario(of request: TrialRequest) throws -> (any Scenario)? {
        guard let choice = request.conditions?.scenario, choice != .none else { return nil }
        guard let scenario = scenarios.first(where: { $0.name == choice.name }) else {
            throw Misuse(
                "this program has no scenario \(choice.name); it has \(scenarios.map(\.name).joined(separator: ", "))")
        }
        return scenario
    }

    /// Plays the part of a scenario outside of the measured process.
    private func accompany(_ name: String) throws {
        guard let scenario = scenarios.first(where: { $0.name == name }) as? any AccompaniedScenario else {
            throw Misuse("this program has no scenario \(name) that is accompanied")
        }
        try scenario.accompany()
    }

    /// Decodes standard input; `nil` if it cannot be read or decoded.
    static func input<Document: Decodable>() -> Document? {
        SystemCall.readAll(from: STDIN_FILENO).flatMap { try? JSONDecoder().decode(Document.self, from: Data($0)) }
    }

    private func write(_ document: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        guard SystemCall.writeAll(try encoder.encode(document), to: STDOUT_FILENO) else {
            throw Misuse("cannot write to standard output")
        }
    }

    private func complain(_ words: String) {
        _ = SystemCall.writeAll("error: \(words)\n".utf8, to: STDERR_FILENO)
    }

    /// The reason why a trial program refuses its arguments or its input.
    struct Misuse: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) { self.description = description }
    }

    /// The work of a program for `--costs`: one first fetch, and a reading before and after it.
    struct CostCourse: Sendable {
        let request: CostRequest
        let mode: any FetchMode
        let url: URL

        /// Fetches once, and reads the process while the body and the fetcher are held.
        /// - Parameter start: The reading that was taken before anything else.
        /// - Throws: ``MemProbeError`` if the process cannot be read; every other failure is in the report.
        func run(from start: CostReading) async throws(MemProbeError) -> CostReport {
            var report = CostReport(start: start)
            do {
                let fetcher = try mode.makeFetcher(request.fetchSettings)
                let fetch = FetchRequest(url: url, destination: request.directory + "/fetched.body")
                try await fetcher.prepare(for: fetch)
                let body = try await fetcher.fetch(fetch)
                report.body = ByteCount(body.byteCount)
                if mode.settles { try settle() }
                report.fetched = try .now()
                withExtendedLifetime(body) {}
                await fetcher.invalidate()
            } catch let error as MemProbeError {
                throw error
            } catch let failure as FetchFailure {
                report.failure = CostReport.Failure(code: failure.code.rawValue, detail: failure.detail)
            } catch {
                report.failure = CostReport.Failure(code: FetchFailure.Code.other.rawValue, detail: "\(error)")
            }
            return report
        }

        /// Waits until the memory is stable; the marker is released before the reading.
        private func settle() throws(MemProbeError) {
            var marker = try TrialMarker()
            try marker.waitForQuiet(.standard)
        }
    }
}

extension TrialProgram {
    static let costsArgument = "--costs"

    /// Returns a reading for the argument `--costs`, and `nil` otherwise.
    static func firstReading(_ arguments: [String]) throws(MemProbeError) -> CostReading? {
        arguments == [costsArgument] ? try .now() : nil
    }

    /// Carries out the request from standard input.
    /// - Parameter start: The reading that was taken before anything else.
    func costs(from start: CostReading) async throws -> CostReport {
        let request = try costRequest()
        guard let mode = modes.first(where: { $0.name == request.mode }), let url = URL(string: request.url) else {
            throw Misuse("this program has no mode \(request.mode), or the URL cannot be parsed")
        }
        // As in every trial: a touched byte is a page and not 2 MiB.
        _ = TransparentHugePages.disableForThisProcess()
        try prepare(request.fetchSettings)
        return try await CostCourse(request: request, mode: mode, url: url).run(from: start)
    }

    private func costRequest() throws -> CostRequest {
        guard let request: CostRequest = Self.input() else {
            throw Misuse("standard input names no fetch; `fetchbench costs` asks for costs")
        }
        guard request.version == CostRequest.understoodVersion else {
            throw Misuse(
                "unsupported cost request version \(request.version) (expected \(CostRequest.understoodVersion))"
            )
        }
        return request
    }
}

extension CostReading {
    /// Reads the clock first, then the memory.
    static func now() throws(MemProbeError) -> CostReading {
        let time = MonotonicClock.now()
        return CostReading(timeNanoseconds: time, inventory: try .read())
    }
}

extension CostRequest {
    /// The mode's settings: only the length is verified, so that costs do not include hashing.
    var fetchSettings: FetchSettings {
        FetchSettings(verification: .length, idleTimeoutSeconds: idleTimeoutSeconds)
    }
}
