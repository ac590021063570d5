// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FetchBenchKit

/// `fetchbench calibrate`: one build against itself, to know what this machine can tell apart.
struct CalibrateCommand: AsyncParsableCommand, PlannedCommand {
    static let configuration = CommandConfiguration(
        commandName: "calibrate",
        abstract: "Compare this build with itself or its copy: noise floor, smallest detectable change, false alarms.",
        discussion: "Exit status: 0 measured, 2 a case has too few completed trials, 64 wrong usage, 130 interrupted.")

    @OptionGroup(title: "What to measure")
    var plan: PlanOptions

    @Flag(help: "Compare with a copy of this program, whose pages lie elsewhere in the page cache.")
    var copy = false

    @Option(help: "Pairs of trials of each case.")
    var pairs = 24

    @Option(help: "Comparisons resampled from the trials.")
    var resamples = 2000

    @Option(help: ArgumentHelp("Write the noise floor of noisy cases into this suite.", valueName: "file"))
    var write: String?

    @Option(help: ArgumentHelp("The folder in which the folder of this measurement is made.", valueName: "folder"))
    var output = "results"

    @Flag(help: "Print nothing but the result and errors.")
    var quiet = false

    func validate() throws {
        guard (4...1000).contains(pairs) else { throw ValidationError("--pairs: \(pairs) is not between 4 and 1000") }
        guard (100...100_000).contains(resamples) else {
            throw ValidationError("--resamples: \(resamples) is not between 100 and 100000")
        }
        _ = try suiteToWrite()
    }

    /// The suite that gets the noise floor.
    /// - Throws: `ValidationError` where there is none: what a measurement of minutes is written into has to be there.
    private func suiteToWrite() throws -> SuiteText? {
        guard let write else { return nil }
        do throws(FetchBenchError) {
            return try SuiteText(at: write)
        } catch {
            throw ValidationError("--write: \(error.explanation). Give the file of a suite")
        }
    }

    func checkPlan(_ programs: TrialPrograms) throws {
        _ = try PlanRequest(plan, programs)
    }

    func run() async throws {
        let request = try PlanRequest(plan, await plan.programs())
        let suite = try suiteToWrite()
        let session = try await PairSession(
            copy ? .copy : .itself, request: request, output: output, isQuiet: quiet)
        let measured = try await session.pairs(count: pairs)
        let calibration = Calibrator(resamples: resamples).calibration(
            of: measured, order: session.cells, seed: request.seed)
        try session.folder.write(CalibrationRenderer().json(of: calibration), to: .calibration)
        try Console.answer(CalibrationRenderer().text(of: calibration))
        if let suite, let write {
            try WholeFile.write(suite.withNoise(calibration.noise), to: write, name: write)
            if !quiet { Console.note("noise floors of \(calibration.noise.values.count) cases written into \(write)") }
        }
        guard Set(calibration.entries.map(\.cell)).isSuperset(of: session.cells.map(\.identifier)) else {
            Console.complain("some cases have too few completed trials to be calibrated")
            throw ExitStatus.noAnswer
        }
    }
}
