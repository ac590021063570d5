// SPDX-License-Identifier: Apache-2.0

import Judging
import Measuring
import Runs
import Testing

/// The list of settings: whatever is in it is asked for, printed, compared and checked alike.
@Suite struct SettingTests {
    /// A value of each that is not the usual one, as it is printed; one that is missing here fails the tests.
    private static let unusual = [
        "max-connections": "3", "trials": "4", "seed": "18446744073709551615", "rate": "unlimited", "latency": "80ms",
        "profile": "lte", "timeout": "2.5", "memory-limit": "3MiB", "view": "100x200", "verify": "length",
        "destination-folder": "/dev/shm", "max-pixels": "200000000", "max-decode-memory": "1GiB", "cacert": "/ca.pem",
    ]

    private static func values(_ flags: [String: String] = [:], suite: [String: String] = [:]) throws -> SettingValues {
        try SettingValues(flags: flags, suite: suite)
    }

    @Test func everyNameIsThereOnce() {
        let flags = Setting.all.map(\.flag) + Dimension.all.map(\.flag)
        #expect(Set(flags).count == flags.count)
        #expect(Set(SuiteFile.keys).count == SuiteFile.keys.count)
        #expect(Setting.inReports.map(\.flag).sorted() == Setting.all.map(\.flag).sorted())
        #expect(Setting.all.map(\.suiteKey).contains("memory_limit"))
    }

    @Test(arguments: Setting.all.map(\.flag)) func whatIsPrintedAsksForTheSame(flag: String) throws {
        let setting = try #require(Setting.all.first { $0.flag == flag })
        let text = try #require(Self.unusual[flag], "the test knows no value of --\(flag)")
        let asked = try Self.values([flag: text])
        #expect(asked != (try Self.values()) && setting.isNumber?(text) ?? true)
        #expect(try Self.values(suite: [setting.suiteKey: text]) == asked)
        // A profile is printed as the figures that it gave.
        if flag != "profile" { #expect(setting.words(of: asked) == ["--" + flag, text]) }
        let printed = Setting.all.flatMap { $0.words(of: asked) }
        let flags = stride(from: 0, to: printed.count, by: 2).map {
            (String(printed[$0].dropFirst(2)), printed[$0 + 1])
        }
        #expect(try Self.values(Dictionary(flags) { $1 }) == asked)
    }

    @Test func aFlagWinsOverTheSuite() throws {
        for setting in Setting.all {
            let text = Self.unusual[setting.flag] ?? ""
            #expect(
                try Self.values([setting.flag: text], suite: [setting.suiteKey: "nonsense"])
                    == Self.values([setting.flag: text]))
        }
    }

    @Test(arguments: ["0", "-1", "1001", "many"]) func connectionsAreANumber(text: String) {
        #expect(throws: PlanMistake("invalid --max-connections '\(text)': expected a number from 1 to 1000")) {
            try Self.values(["max-connections": text])
        }
    }

    @Test(arguments: ["trials", "seed", "timeout"]) func aNumberIsOne(flag: String) throws {
        #expect(
            performing: { try Self.values([flag: "many"]) },
            throws: { "\($0)".hasPrefix("invalid --\(flag) 'many': expected a number") })
        #expect(try #require(Setting.all.first { $0.flag == flag }).isNumber?("many") == false)
    }

    @Test func aForeignServerIsNotToldToWait() throws {
        #expect(throws: Never.self) { try Self.values(["rate": "1MiB", "latency": "0"]).checkForeignURL() }
        #expect(throws: PlanMistake.self) { try Self.values(["profile": "lte"]).checkForeignURL() }
    }

    /// What decides about figures keeps two runs apart; how many trials there are does not.
    @Test func whatMakesFiguresOthersIsCompared() async throws {
        var words = PlanWords()
        let plan = try await PlanRequest(words, .fake).synthetic().plan
        for flag in Setting.all.map(\.flag) where !["profile", "cacert"].contains(flag) {
            words.settings = [flag: Self.unusual[flag] ?? ""]
            let other = try await PlanRequest(words, .fake).synthetic().plan
            let decides = !["trials", "seed", "timeout", "memory-limit", "destination-folder"].contains(flag)
            #expect(EnvironmentMatch.differences(plan, other).count == (decides ? 1 : 0), "\(flag)")
        }
    }
}
