// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Measuring
import MemProbe
import Reports
import Runs

/// `fetchbench run`: measures a plan and stores it.
struct RunCommand: AsyncParsableCommand, PlannedCommand, MeasuringCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run a plan, given by flags or a suite; store it in a folder of its own; print the summary.",
        discussion: """
            Without --url the embedded origin serves the assets. Every trial is a fresh process, measured from outside. \
            The folder holds run.json, trials.jsonl, trials.csv, samples.csv, summary.csv, report.md, \
            report.html, of a sweep of sizes slopes.csv, and with --allocator-series allocator.csv.
            """)

    @OptionGroup(title: "What to measure")
    var plan: PlanOptions

    @Option(help: ArgumentHelp("Finish an interrupted run.", valueName: "run"), completion: .directory)
    var resume: String?

    @OptionGroup(title: "What to store and say")
    var options: RunOptions

    @Flag(
        help: "Explain who holds the peak of each case, too, in two extra trials; explain.json and the report have it.")
    var explain = false

    @Flag(
        help: ArgumentHelp(
            "Show what the program holds and what the allocator keeps in time: one extra trial for each case reads the "
                + "allocator's statistics every 5 ms; allocator.csv and the report have it."))
    var allocatorSeries = false

    @Option(
        help: ArgumentHelp(
            "Hold this much memory in the harness, to show that no trial's figure depends on it.", valueName: "size",
            visibility: .hidden))
    var ballast: String?

    func validate() throws {
        guard ballast == nil || ballastSize != nil else {
            throw ValidationError("--ballast: give a size such as 300MiB")
        }
        if resume != nil { try plan.checkResumable(output: options.output, label: options.label) }
    }

    func run() async throws {
        let ballast = [UInt8](repeating: 1, count: ballastSize?.rawValue ?? 0)
        defer { withExtendedLifetime(ballast) {} }
        let harness = HarnessContext.here
        // Fail before hours of trials, not after them.
        if explain { _ = try RecorderLibrary(beside: harness.executable) }
        let (session, subjects) = try await prepared(in: harness)
        try await RunDelivery(
            isQuiet: options.quiet, showsProgress: options.showsProgress, formats: [TerminalRenderer()],
            extras: extras
        ).deliver(session, subjects, in: harness)
    }

    func namedPrograms() throws -> [String] { try plan.namedPrograms() }

    func checkPlan(_ programs: TrialPrograms) throws {
        if resume == nil { _ = try plan.request(programs) }
    }

    private var extras: [RunExtra] {
        (explain ? [.explain] : []) + (allocatorSeries ? [.allocatorSeries] : [])
    }

    private var ballastSize: ByteCount? {
        ballast.flatMap { ByteCount(parsing: $0) }
    }

    private func prepared(in harness: HarnessContext) async throws -> (Session, TrialHost.Subjects) {
        let programs = try await plan.programs()
        if let resume {
            // Extras can be added to a finished run.
            return try plan.resumed(resume, .run, evenIfFinished: !extras.isEmpty, programs: programs, in: harness)
        }
        let request = try plan.request(programs)
        let session = try await Session.begun(
            .run, of: request, request.announcedPlan(in: harness, showsProgress: options.showsProgress),
            to: options.destination, in: harness)
        return (session, request.subjects)
    }
}
