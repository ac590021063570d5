// SPDX-License-Identifier: Apache-2.0

import CommandConsole
import Origin
import Reports

/// `fetchbench answer`: compares a download task with a data task, with and without rendering.
struct AnswerCommand: AsyncParsableCommand, PlannedCommand, MeasuringCommand {
    static let configuration = CommandConfiguration(
        commandName: "answer",
        abstract: "Show how much memory a download task saves over a data task, with and without rendering.",
        discussion: """
            fetchbench answer
            fetchbench answer --url https://host/photo.jpg

            Fetches a photo with a data task and with a download task, and shows it in an image view or not: four cases, \
            measured and stored as by `run`.

            Exit status: 0 measured; 2 no answer (the photo cannot be decoded, trials failed); 64 usage error; 130 interrupted.
            """)

    @OptionGroup(title: "Photo options")
    var photo: PhotoOptions

    @OptionGroup
    var format: FormatOptions<RunFormats>

    @OptionGroup(title: "Output options")
    var options: RunOptions

    func validate() throws {
        guard let asset = photo.asset else { return }
        _ = try Usage.checked {
            try WordList.resolve([asset], kind: "photo", among: AssetName.named, name: { $0 }, listedBy: "list assets")
        }
    }

    func namedPrograms() throws -> [String] { [] }

    func checkPlan(_ programs: TrialPrograms) throws { _ = try request(programs) }

    func run() async throws {
        let harness = HarnessContext.here
        let request = try request(await harness.programs())
        let measurement = try await RunMeasurement.begun(
            .run, of: request, request.announcedPlan(in: harness, showsProgress: options.showsProgress),
            to: options.destination, in: harness)
        let delivery = RunDelivery(
            isQuiet: options.quiet, showsProgress: options.showsProgress, formats: try format.formats,
            color: options.color.color)
        let report = try await delivery.measured(measurement)
        if let obstacle = report.obstacleToRendering {
            Console.complain(
                "the photo cannot be decoded (\(obstacle)), so rendering cannot be compared. "
                    + "Use another one, or measure only the fetch: `fetchbench run --mode data,download --render none`"
            )
        }
        try delivery.conclude(report)
        guard report.downloadAnswer == nil else { return }
        Console.complain("no answer: one of the four cases has no result")
        throw ExitCode.noAnswer
    }

    private func request(_ programs: TrialPrograms) throws -> PlanRequest {
        try PlanRequest(photo.words, programs)
    }

    /// The flags of `fetchbench answer` for the photo and its measurement; modes and render models are fixed.
    struct PhotoOptions: ParsableArguments {
        @Option(
            help: ArgumentHelp(
                "URL of a photo to use instead of one of the embedded origin (default: none).", valueName: "url"))
        var url: String?

        @OptionGroup
        var request: RequestOptions

        @Option(
            help: ArgumentHelp(
                "Photo of the embedded origin: hero, hero-progressive, gallery-01 … gallery-36 (default: hero).",
                valueName: "photo"))
        var asset: String?

        @Option(
            help: ArgumentHelp(
                "\(AllocatorArm.ofCommands.map(\.rawValue).joined(separator: ", ")) (default: glibc).",
                valueName: "allocator"
            ))
        var allocator: String?

        @OptionGroup
        var settings: SettingOptions<PhotoSettings>

        var words: PlanWords {
            var words = PlanWords()
            words[.modes] = DownloadAnswer.modes
            words[.renders] = DownloadAnswer.renders
            words.url = url
            words.request = request.words
            words[.assets] = asset.map { [$0] } ?? []
            words[.allocators] = allocator.map { [$0] } ?? []
            words.settings = settings.words
            return words
        }
    }

    /// The settings that leave the question as it is: one photo is fetched at a time, and every body is verified alike.
    enum PhotoSettings: SettingChoice {
        static let settings = Setting.all.filter { !["max-connections", "verify"].contains($0.flag) }
    }
}
