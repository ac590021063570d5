// SPDX-License-Identifier: Apache-2.0

import CommandConsole
import Judging
import Reports

/// `fetchbench calibrate`: compares one build with itself, to find the smallest change that this machine can detect.
struct CalibrateCommand: AsyncParsableCommand, PlannedCommand, MeasuringCommand {
    static let configuration = CommandConfiguration(
        commandName: "calibrate",
        abstract: "Compare this build with itself or its copy: noise floor, smallest detectable change, false alarms.",
        discussion: """
            fetchbench calibrate --mode data,download --asset hero
            fetchbench calibrate --suite fetchbench.yml --copy --write fetchbench.yml

            Exit status: 0 measured; 2 a case has too few completed trials; 64 usage error; 130 interrupted.
            """)

    @OptionGroup(title: "Plan options")
    var plan: PlanOptions

    @Flag(help: "Compare with a copy of this program, which has other pages in the page cache.")
    var copy = false

    @Option(help: "Pairs of trials of each case (default: 24).")
    var pairs: Int?

    @Option(help: "Comparisons to resample from the trials.")
    var resamples = 2000

    @Option(
        help: ArgumentHelp("Suite file to write the noise floors of noisy cases to (default: none).", valueName: "file")
    )
    var write: String?

    @Option(
        help: ArgumentHelp("Interrupted calibration to finish (default: none).", valueName: "run"),
        completion: .directory)
    var resume: String?

    @OptionGroup(title: "Output options")
    var options: RunOptions

    func validate() throws {
        if let pairs { try Usage.check("--pairs", pairs, in: 4...1000) }
        try Usage.check("--resamples", resamples, in: 100...100_000)
        _ = try suiteToWrite()
        try plan.check(resuming: resume, options)
        guard resume == nil || pairs == nil else {
            throw ValidationError("--resume keeps the stored number of pairs and cannot be combined with --pairs")
        }
    }

    /// The suite that gets the noise floor; read before a measurement of minutes, so that an invalid one fails first.
    private func suiteToWrite() throws -> String? {
        guard let write else { return nil }
        do {
            return try SuiteFile.text(at: write)
        } catch {
            throw ValidationError("--write: \(error). Give a suite file")
        }
    }

    func namedPrograms() throws -> [String] { try plan.namedPrograms() }

    func checkPlan(_ programs: TrialPrograms) throws {
        if resume == nil { _ = try plan.request(programs) }
    }

    func run() async throws {
        let harness = HarnessContext.here
        let suite = try suiteToWrite()
        let measurement = try await prepared(in: harness)
        let console = MeasurementConsole(
            measurement, isQuiet: options.quiet, showsProgress: options.showsProgress)
        let measured = try await console.measured { try await measurement.pairs(onEvent: $0) }
        try console.finished(at: harness.now())
        let display = ProgressDisplay(.here(isShown: options.showsProgress), "resampling")
        let calibration = Calibrator(resamples: resamples).calibration(
            of: measured, order: measurement.cells, seed: measurement.record.plan.seed)
        display.finish()
        // Stored before printing: a failed write to standard output loses nothing.
        for format in Formats.ofCalibrations.reversed() {
            let text = try format.text(of: calibration)
            if let file = format.file { try measurement.folder.write(text, to: file) } else { try Console.answer(text) }
        }
        if let suite, let write {
            try WholeFile.write(calibration.noise.written(into: suite), to: write, name: write)
            if !options.quiet {
                Console.note("noise floors of \(calibration.noise.values.count) cases written to \(write)")
            }
        }
        guard Set(calibration.entries.map(\.cell)).isSuperset(of: measurement.cells.map(\.identifier)) else {
            Console.complain("some cases have too few completed trials to be calibrated")
            throw ExitCode.noAnswer
        }
    }

    private func prepared(in harness: HarnessContext) async throws -> RunMeasurement {
        let programs = try await plan.programs(isStored: resume != nil)
        let sides = Sides(copy ? .copy : .itself)
        if let resume {
            return try plan.resumed(resume, .calibration, sides, programs: programs, in: harness)
        }
        let request = try plan.request(programs)
        return try await RunMeasurement.begun(
            .calibration, sides, of: request,
            request.announcedPlan(in: harness, showsProgress: options.showsProgress), pairs: pairs ?? 24,
            to: options.destination, in: harness)
    }
}
