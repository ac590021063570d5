// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Measuring
import Runs

/// The flags that say how the trials of a plan are done, whatever it asks.
struct TrialOptions: ParsableArguments {
    @Option(help: "Trials of each case (default: 10).")
    var trials: Int?

    @Option(help: "What orders the trials and fills synthetic assets (default: 1).")
    var seed: UInt64?

    @Option(help: ArgumentHelp("How fast the embedded origin sends: 60MiB a second, or unlimited.", valueName: "rate"))
    var rate: String?

    @Option(
        help: ArgumentHelp(
            "How long the embedded origin waits before each answer, such as 80ms: one round trip a request; handshakes do not wait.",
            valueName: "duration"))
    var latency: String?

    @Option(
        help: ArgumentHelp(
            "What --rate and --latency do not say: \(NetworkProfile.all.map { "\($0.name) (\($0.source))" }.joined(separator: ", ")).",
            valueName: "profile"))
    var profile: String?

    @Option(help: ArgumentHelp("Seconds after which a trial is killed (default: 60).", valueName: "seconds"))
    var timeout: Double?

    @Option(
        help: ArgumentHelp(
            "Kill a trial that holds more than this, such as 4GiB (default: half of the machine's memory).",
            valueName: "size"))
    var memoryLimit: String?

    @Option(
        help: ArgumentHelp(
            "The view that pictures are shown in: points and scale, or pixels (default: 390x844@3).",
            valueName: "size"))
    var view: String?

    /// Whether none of them was given.
    var isEmpty: Bool {
        [rate, latency, profile, memoryLimit, view].allSatisfy { $0 == nil }
            && trials == nil && seed == nil && timeout == nil
    }

    /// Puts what was given into the words of a plan.
    func put(into words: inout PlanWords) {
        words.trials = trials
        words.seed = seed
        words.rate = rate
        words.latency = latency
        words.profile = profile
        words.timeout = timeout
        words.memoryLimit = memoryLimit
        words.view = view
    }
}
