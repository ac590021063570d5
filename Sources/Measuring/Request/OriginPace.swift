// SPDX-License-Identifier: Apache-2.0

import MemProbe
package import Runs
import Support

/// How fast the embedded origin answers and sends: what flags, suite and profiles say of it together.
package struct OriginPace: Hashable, Sendable {
    /// The longest wait, in nanoseconds.
    private static let longestLatency = 10_000_000_000

    /// How fast it sends, as it words that itself.
    package let rate: String
    /// How long it waits before each answer, in nanoseconds.
    package let latencyNanoseconds: Int

    /// Joins what is said, a flag before a suite, and a figure before a profile.
    /// - Throws: ``PlanMistake`` for what is no rate, no duration or no profile.
    init(_ words: PlanWords, in source: any AssetSource) throws(PlanMistake) {
        let suite = words.suite
        let flags = try Self.profile(words.profile)
        let keys = try Self.profile(suite?.profile)
        let rate = words.rate ?? flags?.rate ?? suite?.rate ?? keys?.rate ?? source.standardRate
        guard let canonicalRate = source.canonicalRate(of: rate) else {
            throw PlanMistake(
                "--rate: '\(SafeText.forTerminal(rate))' is no rate; give a size a second such as 60MiB, or unlimited")
        }
        self.rate = canonicalRate
        let (flag, key) = (try Self.latency(words.latency), try Self.latency(suite?.latency))
        latencyNanoseconds = flag ?? flags?.latencyNanoseconds ?? key ?? keys?.latencyNanoseconds ?? 0
        guard words.url == nil || latencyNanoseconds == 0 else {
            throw PlanMistake(
                "--latency and --profile tell the embedded origin how to answer; what --url names decides that itself")
        }
    }

    /// A latency as it is typed, in nanoseconds; `nil` of none.
    package static func latency(_ text: String?) throws(PlanMistake) -> Int? {
        guard let text else { return nil }
        guard let latency = DurationText.nanoseconds(parsing: text), latency <= longestLatency else {
            throw PlanMistake(
                "--latency: '\(SafeText.forTerminal(text))' is no duration up to 10s; give 0, 80ms or 1s")
        }
        return latency
    }

    /// A profile by its name; `nil` of none.
    package static func profile(_ name: String?) throws(PlanMistake) -> NetworkProfile? {
        guard let name else { return nil }
        return try WordList.resolve(name, kind: "profile", among: NetworkProfile.all, name: \.name)
    }

    /// Says which assets take longer than a trial may.
    static func warnings(about assets: [Asset], _ settings: TrialSettings) -> [String] {
        guard let rate = ByteCount(parsing: settings.rate), rate > .zero else { return [] }
        return assets.compactMap { asset in
            guard asset.isEmbedded, asset.members == nil, let size = asset.byteCount else { return nil }
            let seconds =
                Double(size.rawValue) / Double(rate.rawValue) + Double(settings.latencyNanoseconds ?? 0) / 1e9
            guard seconds > settings.timeoutSeconds else { return nil }
            return
                "asset \(asset.name) takes \(Int(seconds.rounded(.up))) s at \(settings.rate) a second, and a trial is "
                + "killed after \(Int(settings.timeoutSeconds)) s: raise --timeout, or ask for a smaller asset"
        }
    }
}
