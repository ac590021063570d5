// SPDX-License-Identifier: Apache-2.0

import Behaviours
import CommandConsole
import Foundation
import Origin
import ProbeProtocol

/// `fetchbench behaviours`: tests what the fetch APIs of this toolchain really do.
@main
struct FetchBenchBehaviours: AsyncParsableCommand, MeasuringCommand {
    static let configuration = CommandConfiguration(
        commandName: "fetchbench-behaviours", abstract: BehaviourOptions.abstract,
        discussion: BehaviourOptions.discussion, version: BuildInformation.version)

    @OptionGroup
    var options: BehaviourOptions

    var measures: Bool { !options.list }

    func validate() throws {
        if options.report != nil { return try validateReport() }
        _ = try behaviours()
        _ = try formats()
        try Usage.check("--jobs", options.jobs, in: 1...64)
        try checkOutput()
    }

    func run() async throws {
        if options.report != nil { return try await writeReport() }
        let behaviours = try behaviours()
        // Read once and first: it may be a pipe, or change meanwhile.
        let expectation = try stored(options.expect, by: "--expect")
        let earlier = try stored(options.against, by: "--against")
        if options.list { return try Console.answer(Self.list(behaviours)) }
        // Before anything is tried: a folder that cannot be created must not cost the answer.
        if let output = options.output { try makeFolder(output) }
        var seen = try await observe(behaviours, jobs: options.jobs)
        if let expectation, options.jobs > 1, seen.count == behaviours.count {
            seen.merge(try await triedAgain(seen, among: behaviours, by: expectation)) { $1 }
        }
        let report = try await table(of: seen, among: behaviours)
        // Stored before it is printed, as a pipe may be closed; printed even if storing fails.
        let stored = Result { try store(report) }
        let comparison = earlier.map { BehaviourComparison(from: $0, to: report, isWhole: options.only.isEmpty) }
        let printed = Result {
            for format in try formats() {
                try Console.answer(comparison.map(format.text(of:)) ?? format.text(of: report))
            }
        }
        try stored.get()
        if seen.count < behaviours.count {
            Console.note("interrupted after \(seen.count) of \(behaviours.count) behaviours; they are kept")
            throw ExitCode.interrupted
        }
        try printed.get()
        try judge(report, by: expectation)
    }

    private typealias Seen = (row: BehaviourReport.Row, compiler: String?)

    /// Returns what is observed until the end or an interrupt, by index of the behaviour.
    private func observe(_ behaviours: [Behaviour], jobs: Int) async throws -> [Int: Seen] {
        let isQuiet = options.quiet
        let display = ProgressDisplay(.here(isShown: !options.quiet), "preparing")
        defer { display.finish() }
        return try await Self.withRunner { runner in
            await withTaskGroup(of: (Int, Seen)?.self) { group in
                var rest = behaviours.indices.makeIterator()
                func begin() {
                    guard !Task.isCancelled, let index = rest.next() else { return }
                    display.began(ProgressBoard.Item(behaviours[index].name, position: index + 1, of: behaviours.count))
                    group.addTask { await Self.seen(behaviours[index], by: runner).map { (index, $0) } }
                }
                for _ in 0..<jobs { begin() }
                var seen: [Int: Seen] = [:]
                for await case (let index, let entry)? in group {
                    seen[index] = entry
                    begin()
                    guard !isQuiet else { continue }
                    let row = entry.row
                    display.interrupted {
                        Console.note(
                            "[\(seen.count)/\(behaviours.count)] \(row.name): \(row.word.rawValue): \(row.detail)")
                    }
                }
                return seen
            }
        }
    }

    /// Runs `body` with a runner of probes in a temporary folder, until its end or an interrupt.
    private static func withRunner<Result: Sendable>(
        _ body: @escaping @Sendable (BehaviourRunner) async throws -> Result
    ) async throws -> Result {
        let (library, executable) = (try AssetLibrary.announced.get(), try probes())
        return try await whileListeningForSignals {
            try await TemporaryFolder.with(in: HarnessContext.here.temporaryDirectory) { directory in
                try await body(
                    BehaviourRunner(
                        executable: executable, variables: HarnessContext.here.variables, library: library,
                        directory: directory))
            }
        }
    }

    /// Tries each row that differs from the expectation once more, alone: beside others it can be late for a time-out.
    private func triedAgain(
        _ seen: [Int: Seen], among behaviours: [Behaviour], by expectation: BehaviourReport
    ) async throws -> [Int: Seen] {
        let report = try await table(of: seen, among: behaviours)
        let names = BehaviourComparison(from: expectation, to: report, isWhole: false).changedNames
        let places = behaviours.indices.filter { names.contains(behaviours[$0].name) }
        guard !places.isEmpty else { return [:] }
        let again = try await observe(places.map { behaviours[$0] }, jobs: 1)
        return Dictionary(uniqueKeysWithValues: again.map { (places[$0.key], $0.value) })
    }

    private static func seen(_ behaviour: Behaviour, by runner: BehaviourRunner) async -> Seen? {
        guard let evidence = await runner.evidence(for: behaviour) else { return nil }
        return (BehaviourReport.Row(behaviour, evidence), evidence.lazy.compactMap(\.compiler).first)
    }

    static func probes() throws -> String {
        try HarnessContext.here.program("behaviour-probes", for: "testing")
    }

    static func toolchain(compiler: String?) async throws -> BehaviourReport.Toolchain {
        let environment = HarnessContext.here.machine().stamped(await HarnessContext.here.revision())
        let libraries = await ProbeLine.LibraryFacts.reported(
            by: try probes(), environment: HarnessContext.here.environment)
        return BehaviourReport.Toolchain(
            environment, libcurl: libraries?.libcurl, platform: libraries?.platform, compiler: compiler)
    }

    private func table(of seen: [Int: Seen], among behaviours: [Behaviour]) async throws -> BehaviourReport {
        let toolchain = try await Self.toolchain(compiler: seen.values.lazy.compactMap(\.compiler).first)
        let rows = behaviours.enumerated().map { index, behaviour in
            seen[index]?.row
                ?? BehaviourReport.Row(behaviour, Observation(.notTried, "interrupted before it was observed"))
        }
        return BehaviourReport(
            tool: BuildInformation.tool, toolchain: toolchain, rows: rows,
            isIncomplete: seen.count == behaviours.count ? nil : true)
    }

    private func store(_ report: BehaviourReport) throws {
        guard let output = options.output else { return }
        for format in BehaviourFormat.stored {
            try WholeFile.write(
                format.text(of: report), to: output + "/" + format.fileName, name: format.fileName)
        }
    }

    private func judge(_ report: BehaviourReport, by expectation: BehaviourReport?) throws {
        guard let expectation else { return }
        let comparison = BehaviourComparison(from: expectation, to: report, isWhole: options.only.isEmpty)
        comparison.lines.forEach { Console.note($0) }
        switch comparison.answer {
        case .same: return
        case .changed: throw ExitCode.red
        case .incomplete: throw ExitCode.noAnswer
        }
    }

    static func main() async {
        await CommandMain.run(Self.self) { _ in "fetchbench behaviours" }
    }
}

extension FetchBenchBehaviours {
    private func behaviours() throws -> [Behaviour] {
        try Usage.checked {
            let words = try WordList.words(of: "--only", options.only, orOf: nil)
            guard !words.isEmpty else { return BehaviourCatalog.all }
            let hidden = BehaviourCatalog.hidden.filter { words.contains($0.name) }
            return try WordList.resolve(
                words, kind: "behaviour", among: BehaviourCatalog.all + hidden, name: \.name,
                listedBy: "behaviours --list")
        }
    }

    private func formats() throws -> [BehaviourFormat] {
        try Usage.formats(options.format, among: BehaviourFormat.allCases, name: \.rawValue)
    }

    private func stored(_ file: String?, by flag: String) throws -> BehaviourReport? {
        guard let file else { return nil }
        let name = SafeText.forTerminal(file)
        do {
            return try BehaviourReport(parsing: WholeFile.data(at: file, name: name, allowsPipe: true))
        } catch let error as FetchBenchError where error.errno != nil {
            throw ValidationError("\(flag): \(error)")
        } catch {
            throw ValidationError(
                "\(flag): \(name) cannot be used: \(error). `fetchbench behaviours --output` writes one")
        }
    }

    private func checkOutput() throws {
        guard let output = options.output else { return }
        let existing = BehaviourFormat.stored.first {
            FileManager.default.fileExists(atPath: output + "/" + $0.fileName)
        }
        if let existing {
            throw ValidationError(
                "--output: \(SafeText.forTerminal(output))/\(existing.fileName) already exists and is not "
                    + "overwritten; choose another folder")
        }
    }

    private static func list(_ behaviours: [Behaviour]) -> String {
        let width = behaviours.map(\.name.count).max() ?? 0
        return behaviours.map { behaviour in
            let name = behaviour.name + String(repeating: " ", count: width - behaviour.name.count)
            return "\(name)  \(behaviour.path): \(behaviour.promise)\n"
        }.joined()
    }

    func validateReport() throws {
        guard options.only.isEmpty, options.expect == nil, options.against == nil, !options.list else {
            throw ValidationError("--report cannot be combined with --only, --expect, --against or --list")
        }
        let behaviour = try reported()
        if APIName.packages.contains(behaviour.path) {
            throw ValidationError(
                "--report: '\(behaviour.name)' is a behaviour of \(behaviour.path), and a program for a report needs URLSession "
                    + "alone: choose a behaviour of URLSession")
        }
        if let file = try reportFile(), FileManager.default.fileExists(atPath: file) {
            throw ValidationError(
                "--output: \(SafeText.forTerminal(file)) already exists and is not overwritten; choose another folder"
            )
        }
    }

    private func reported() throws -> Behaviour {
        try Usage.checked {
            try WordList.resolve(
                options.report ?? "", kind: "behaviour", among: BehaviourCatalog.all, name: \.name,
                listedBy: "behaviours --list")
        }
    }

    private func reportFile() throws -> String? {
        try options.output.map { $0 + "/report-\(try reported().name).md" }
    }

    func writeReport() async throws {
        let behaviour = try reported()
        guard Compiler.path(in: HarnessContext.here.environment) != nil else {
            Console.complain(
                "--report: \(Compiler.missing), but the report's program has to be compiled; install a Swift toolchain")
            throw ExitCode.noAnswer
        }
        if let output = options.output { try makeFolder(output) }
        guard let report = try await Self.withRunner({ try await observed(behaviour, by: $0) }) else {
            throw ExitCode.interrupted
        }
        if let file = try reportFile() {
            try WholeFile.write(report.markdown, to: file, name: SafeText.forTerminal(file))
        } else {
            try Console.answer(report.markdown)
        }
    }

    private func observed(_ behaviour: Behaviour, by runner: BehaviourRunner) async throws -> BugReport? {
        guard let evidence = await runner.evidence(for: behaviour) else { return nil }
        let row = BehaviourReport.Row(behaviour, evidence)
        guard !row.word.isKept else {
            Console.note("\(row.name): \(row.word.rawValue): \(row.detail); nothing to report")
            throw ExitCode.success
        }
        guard row.word != .notTried else { throw unanswered("\(row.name) was not tried: \(row.detail)") }
        guard let program = MinimalProgram(for: behaviour) else {
            throw unanswered("\(row.name): \(row.word.rawValue): \(row.detail); it has no minimal program")
        }
        let seen = behaviour.verdict(on: evidence).evidence
        let run =
            program.isSnippet
            ? ProgramRun(ending: seen.ending, complaint: seen.complaint)
            : await runner.run(program, of: behaviour)
        if Task.isCancelled { return nil }
        guard program.isSnippet || run.showsFault else {
            throw unanswered(
                "\(row.name): \(row.word.rawValue): \(row.detail); the minimal program does not show it: \(run.summary)"
            )
        }
        return BugReport(
            row: row, evidence: seen, program: program, run: run, tool: BuildInformation.tool,
            toolchain: try await Self.toolchain(compiler: evidence.lazy.compactMap(\.compiler).first ?? run.compiler),
            system: BugReport.systemName, workaround: await workaround(for: row, by: runner))
    }

    private func workaround(for row: BehaviourReport.Row, by runner: BehaviourRunner) async -> BehaviourReport.Row? {
        guard let name = row.workaround?.row, name != row.name,
            let behaviour = BehaviourCatalog.all.first(where: { $0.name == name })
        else { return nil }
        return await runner.evidence(for: behaviour).map { BehaviourReport.Row(behaviour, $0) }
    }

    private func unanswered(_ reason: String) -> ExitCode {
        Console.complain("--report: \(reason)")
        return .noAnswer
    }
}
