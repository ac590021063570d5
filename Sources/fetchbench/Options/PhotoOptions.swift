// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Measuring
import Runs

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

    /// The arguments of the plan that answers the question.
    var words: PlanWords {
        var words = PlanWords()
        words.modes = DownloadAnswer.modes
        words.renders = DownloadAnswer.renders
        words.url = url
        words.request = request.words
        words.assets = asset.map { [$0] } ?? []
        words.allocators = allocator.map { [$0] } ?? []
        words.settings = settings.words
        return words
    }
}

/// The settings that leave the question as it is: one photo is fetched at a time, and every body is verified alike.
enum PhotoSettings: SettingChoice {
    static let settings = Setting.all.filter { !["max-connections", "verify"].contains($0.flag) }
}
