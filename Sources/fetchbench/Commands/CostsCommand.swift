// SPDX-License-Identifier: Apache-2.0

import CommandConsole
import Foundation
import Reports

/// `fetchbench costs`: measures each client library's program before it fetches anything, and after its first 1 KiB.
struct CostsCommand: AsyncParsableCommand, MeasuringCommand {
    static let configuration = CommandConfiguration(
        commandName: "costs",
        abstract: "Measure the base memory of each client library, and after its first fetch of 1 KiB.",
        discussion: """
            fetchbench costs
            fetchbench costs --program .build/release/my-trials --trials 5

            For each trial program, at its start and after a fetch of 1 KiB from the embedded origin: resident memory by \
            kind, threads, descriptors, time to start, and file size. The `pair-` programs load two client libraries. \
            Nothing is stored.

            Exit status: 0 measured; 2 a program failed (the others are shown); 64 usage error; 130 interrupted.
            """)

    @Option(help: "Trials of each program.")
    var trials = 20

    @Option(help: "Seed for the order of trials.")
    var seed: UInt64 = 1

    @Option(
        help: ArgumentHelp("Additional trial program; repeatable (default: none).", valueName: "path"),
        completion: .file())
    var program: [String] = []

    @Option(
        help: ArgumentHelp(
            "Folder of the same programs built with --static-swift-stdlib; `make costs` builds them (default: none).",
            valueName: "folder"), completion: .directory)
    var `static`: String?

    @OptionGroup
    var format: FormatOptions<CostFormats>

    @Option(help: ArgumentHelp("Seconds after which a program is killed and skipped.", valueName: "seconds"))
    var timeout = 30.0

    @Flag(help: "Print only the result and errors.")
    var quiet = false

    func validate() throws {
        try Usage.check("--trials", trials, in: 1...1000)
        try Usage.checkTimeout(timeout)
        guard `static` != "" else { throw ValidationError("invalid --static '': expected the folder of the programs") }
    }

    func run() async throws {
        let formats = try format.formats
        let harness = HarnessContext.here
        let subjects = try await subjects(beside: harness)
        let table = CostTable(
            tool: BuildInformation.tool, measuredAt: harness.now(), trials: trials, seed: seed,
            environment: harness.machine().stamped(await harness.revision()),
            rows: try await rows(of: subjects, in: harness))
        if !quiet { table.doubts.forEach(Console.warn) }
        for format in formats { try Console.answer(format.text(of: table)) }
        guard table.isComplete else { throw ExitCode.noAnswer }
    }

    /// The programs beside this one and the named ones, then the static builds.
    private func subjects(beside harness: HarnessContext) async throws -> [CostRunner.Subject] {
        let shared = try await harness.announcedPrograms(named: program)
        if let remedy = shared.remedy { Console.warn(remedy) }
        let executables = try await shared.executables + harness.pairPrograms()
        var subjects = executables.map { CostRunner.Subject($0, linkage: .dynamic) }
        if let folder = `static` {
            let built = try await harness.programs(beside: folder + "/fetchbench")
            let remedy = "`make costs` builds them"
            guard !built.executables.isEmpty else {
                Console.complain("no trial program in \(folder): nothing was measured; \(remedy)")
                throw ExitCode.noAnswer
            }
            if !built.missing.isEmpty {
                Console.warn("no static build of \(built.missing.joined(separator: ", ")) in \(folder); \(remedy)")
            }
            subjects += built.executables.map { CostRunner.Subject($0, linkage: .static) }
        }
        guard !subjects.isEmpty else { throw FetchBenchError.noTrialPrograms(remedy: shared.remedy ?? "none is named") }
        return subjects
    }

    private func rows(of subjects: [CostRunner.Subject], in harness: HarnessContext) async throws -> [CostRow] {
        let (trials, seed, timeout) = (trials, seed, timeout)
        let (origin, originEnvironment) = (try harness.origin(), try harness.originEnvironment())
        return try await interruptible("preparing", isShown: !quiet, remark: "no result is shown") { display in
            try await TemporaryFolder.with(in: harness.temporaryDirectory) { directory in
                try await OriginProcess.withOrigin(
                    executable: origin.executable, arguments: origin.arguments, environment: originEnvironment
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
    }
}
