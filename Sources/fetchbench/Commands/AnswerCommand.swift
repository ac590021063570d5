// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Measuring
import Origin
import Reports
import Runs

/// `fetchbench answer`: compares a download task with a data task, with and without rendering.
struct AnswerCommand: AsyncParsableCommand, PlannedCommand, MeasuringCommand {
    static let configuration = CommandConfiguration(
        commandName: "answer",
        abstract: "Answer what a download task saves against a data task, without rendering and with it.",
        discussion: """
            fetchbench answer
            fetchbench answer --url https://host/photo.jpg

            Fetches the hero image, or the photo of --url, by a data task and by a download task, and shows it in an image \
            view or not: four cases, measured and stored as those of `run`, which finishes an interrupted one, and which \
            takes every other question.
            Exit status: 0 measured, 2 no answer (the photo cannot be decoded, trials failed), 64 wrong usage, 130 interrupted.
            """)

    @OptionGroup(title: "Which photo, and how")
    var photo: PhotoOptions

    @Option(
        help: ArgumentHelp("What to print: \(Usage.names(of: Formats.ofRuns)).", valueName: "formats"),
        completion: .list(Formats.ofRuns.map { $0.name }))
    var format: [String] = ["table"]

    @OptionGroup(title: "What to store and say")
    var options: RunOptions

    func validate() throws {
        _ = try formats()
        guard let asset = photo.asset else { return }
        _ = try Usage.checked {
            try WordList.resolve([asset], kind: "photo", among: AssetName.named, name: { $0 })
        }
    }

    func namedPrograms() throws -> [String] { [] }

    func checkPlan(_ programs: TrialPrograms) throws { _ = try request(programs) }

    func run() async throws {
        let harness = HarnessContext.here
        let request = try request(await harness.programs())
        let session = try await Session.begun(
            .run, of: request, request.announcedPlan(in: harness, showsProgress: options.showsProgress),
            to: options.destination, in: harness)
        let delivery = RunDelivery(
            isQuiet: options.quiet, showsProgress: options.showsProgress, formats: try formats())
        let run = try await delivery.measured(session, request.subjects, in: harness)
        if let obstacle = Report(run).obstacleToRendering {
            Console.complain(
                "the photo cannot be decoded (\(obstacle)): there is no answer with rendering. "
                    + "Name another one, or measure the fetch alone: `fetchbench run --mode data,download --render none`"
            )
        }
        try delivery.conclude(run)
        guard Report(run).downloadAnswer == nil else { return }
        Console.complain("there is no answer: one of the four cases has no figure")
        throw ExitStatus.noAnswer
    }

    private func request(_ programs: TrialPrograms) throws -> PlanRequest {
        try PlanRequest(photo.words, programs)
    }

    private func formats() throws -> [any TextRenderer<Report>] {
        try Usage.formats(format, among: Formats.ofRuns) { $0.name }
    }
}
