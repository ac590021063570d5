// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FetchBenchKit

/// The flags that say which photo is asked about, and how it is measured; modes and render models are the question's.
struct PhotoOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Ask about this photo instead of one of the embedded origin.", valueName: "url"))
    var url: String?

    @Option(
        help: ArgumentHelp(
            "The photo of the embedded origin: hero, hero-progressive, gallery-01 and further (default: hero).",
            valueName: "photo"))
    var asset: String?

    @Option(
        help: ArgumentHelp("\(AllocatorArm.allCases.map(\.rawValue).joined(separator: ", ")).", valueName: "allocator"))
    var allocator: String?

    @Option(
        help: ArgumentHelp(
            "The view that the photo is shown in: points and scale, or pixels (default: 390x844@3).",
            valueName: "size"))
    var view: String?

    @Option(help: "Trials of each case (default: 10).")
    var trials: Int?

    @Option(help: "What orders the trials (default: 1).")
    var seed: UInt64?

    @Option(help: ArgumentHelp("How fast the embedded origin sends: 60MiB a second, or unlimited.", valueName: "rate"))
    var rate: String?

    @Option(help: ArgumentHelp("Seconds after which a trial is killed (default: 60).", valueName: "seconds"))
    var timeout: Double?

    @Option(
        help: ArgumentHelp(
            "Kill a trial that holds more than this, such as 4GiB (default: half of the machine's memory).",
            valueName: "size"))
    var memoryLimit: String?

    /// The words of the plan that answers the question.
    var words: PlanWords {
        var words = PlanWords()
        words.modes = DownloadAnswer.modes
        words.renders = DownloadAnswer.renders
        words.url = url
        words.assets = asset.map { [$0] } ?? []
        words.allocators = allocator.map { [$0] } ?? []
        words.view = view
        words.trials = trials
        words.seed = seed
        words.rate = rate
        words.timeout = timeout
        words.memoryLimit = memoryLimit
        return words
    }
}
