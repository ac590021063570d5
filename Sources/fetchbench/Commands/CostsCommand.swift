// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Measuring
import OperatingSystem
import Reports
import Runs

/// `fetchbench costs`: measures each client library's program before it fetches anything, and after its first 1 KiB.
struct CostsCommand: AsyncParsableCommand, MeasuringCommand {
    static let configuration = CommandConfiguration(
        commandName: "costs",
        abstract: "Measure what each client library costs before it fetches anything, and after its first 1 KiB.",
        discussion: """
            Of each trial program, at its start and after 1 KiB from the embedded origin: resident memory by what backs it, \
            threads, descriptors; from the spawn to its first reading; the size of its file and of the libraries it loads. A \
            program fetches in the first of its modes that speaks http and blocks no thread; the `pair-` programs hold two client \
            libraries, which fetch one after the other. Trials are fresh processes, \
            round by round, in seeded random order; a first round is thrown away. Nothing is stored. Exit status: 0 measured, \
            2 a program failed (the others are still shown), 64 wrong usage, 130 interrupted.
            """)

    @Option(help: "Trials of each program.")
    var trials = 20

    @Option(help: "What orders the trials.")
    var seed: UInt64 = 1

    @Option(
        help: ArgumentHelp("A trial program beside those of this project; may be repeated.", valueName: "path"),
        completion: .file())
    var program: [String] = []

    @Option(
        help: ArgumentHelp(
            "The same programs, built with --static-swift-stdlib, are in this folder; `make costs` builds them.",
            valueName: "folder"), completion: .directory)
    var `static`: String?

    @Option(
        help: ArgumentHelp("\(Usage.names(of: Formats.ofCosts)), separated by commas.", valueName: "formats"),
        completion: .list(Formats.ofCosts.map { $0.name }))
    var format: [String] = ["table"]

    @Option(help: ArgumentHelp("Seconds after which a program is killed and given up.", valueName: "seconds"))
    var timeout = 30.0

    @Flag(help: "Print nothing but the answer and errors.")
    var quiet = false

    func validate() throws {
        try Usage.check("--trials", trials, in: 1...1000)
        guard timeout >= 0.1, timeout <= 3600 else {
            throw ValidationError("--timeout: \(timeout) is not between 0.1 and 3600 seconds")
        }
        guard `static` != "" else { throw ValidationError("--static: give the folder of the programs") }
        _ = try formats()
    }

    func run() async throws {
        let formats = try formats()
        let harness = HarnessContext.here
        let subjects = try await subjects(beside: harness)
        let table = CostTable(
            tool: BuildInformation.tool, measuredAt: harness.now(), trials: trials, seed: seed,
            environment: harness.machine().stamped(await harness.revision()),
            rows: try await rows(of: subjects, in: harness))
        if !quiet { table.doubts.forEach(Console.warn) }
        for format in formats { try Console.answer(format.text(of: table)) }
        guard table.isComplete else { throw ExitStatus.noAnswer }
    }

    /// The programs beside this one and the named ones, then the static builds.
    private func subjects(beside harness: HarnessContext) async throws -> [CostSubject] {
        let shared = try await harness.announcedPrograms(named: program)
        if let remedy = shared.remedy { Console.warn(remedy) }
        let executables = try await shared.executables + harness.pairPrograms()
        var subjects = executables.map { CostSubject($0, linkage: .dynamic) }
        if let folder = `static` {
            let built = try await harness.programs(beside: folder + "/fetchbench")
            let remedy = "`make costs` builds them"
            guard !built.executables.isEmpty else {
                Console.complain("there is no trial program in \(folder): nothing was measured; \(remedy)")
                throw ExitStatus.noAnswer
            }
            if !built.missing.isEmpty {
                Console.warn("no static build of \(built.missing.joined(separator: ", ")) in \(folder); \(remedy)")
            }
            subjects += built.executables.map { CostSubject($0, linkage: .static) }
        }
        guard !subjects.isEmpty else { throw FetchBenchError.noTrialPrograms(remedy: shared.remedy ?? "none is named") }
        return subjects
    }

    private func rows(of subjects: [CostSubject], in harness: HarnessContext) async throws -> [CostRow] {
        let display = ProgressDisplay(.here(isShown: !quiet), "preparing")
        defer { display.finish() }
        let (trials, seed, timeout) = (trials, seed, timeout)
        do {
            let originEnvironment = try harness.originEnvironment()
            return try await Interrupt.whileListening {
                try await TemporaryFolder.with(in: harness.temporaryDirectory) { directory in
                    try await OriginProcess.withOrigin(
                        executable: harness.executable, arguments: ["serve", "--until-stdin-closes"],
                        environment: originEnvironment
                    ) { addresses in
                        let programs = TrialPrograms(executables: subjects.map(\.program))
                        return try await CostRunner(
                            subjects, trials: trials, seed: seed, originURL: addresses[0],
                            variables: harness.variables.fixing(programs.environment), directory: directory,
                            timeoutSeconds: timeout
                        ).run { display.show($0) }
                    }
                }
            }
        } catch is CancellationError {
            display.finish()
            Console.note("interrupted; nothing is shown of what was measured")
            throw ExitStatus.interrupted
        } catch {
            display.finish()
            Console.complain("measuring costs stopped: \(Explanation.text(of: error))")
            throw ExitStatus.noAnswer
        }
    }

    private func formats() throws -> [any TextRenderer<CostTable>] {
        try Usage.formats(format, among: Formats.ofCosts) { $0.name }
    }
}
