// SPDX-License-Identifier: Apache-2.0

import Judging
import Measuring
import MemProbe
import Runs
import Testing
import TrialKit

/// What words and suite ask for together: checked without a process.
struct PlanRequestTests {
    private func request(
        suite: String? = nil, programs: TrialPrograms = .fake, _ change: (inout PlanWords) -> Void = { _ in }
    ) throws -> PlanRequest {
        var words = PlanWords()
        words.suite = try suite.map { try SuiteFile(parsing: $0, fileName: "suite") }
        change(&words)
        return try PlanRequest(words, programs)
    }

    @Test func whoSaysNothingAsksTheFamousQuestion() throws {
        let request = try request()
        #expect(request.assetNames == ["hero"])
        #expect(request.modes.map(\.name) == ["none", "data", "download", "stream", "raw"])
        #expect(request.models.map(\.name) == ["none", "imageview"])
        #expect(request.allocators == [.glibc])
        #expect(request.conditions.all == [.standard])
        #expect(request.values.trials == 10 && request.values.seed == 1)
        #expect(request.values.settings.rate == "60MiB" && request.values.settings.timeoutSeconds == 60)
        #expect(request.values.settings.verification == .sha256)
    }

    @Test func aWordWinsOverTheSuite() throws {
        let suite = """
            assets: [1MiB, 2MiB]
            modes: [data, raw]
            allocators: [jemalloc]
            trials: 3
            seed: 7
            rate: unlimited
            timeout: 5
            verify: length
            budgets: ["*: peak <= 4 MiB"]
            """
        let asked = try request(suite: suite)
        #expect(asked.assetNames == ["1MiB", "2MiB"] && asked.modes.map(\.name) == ["data", "raw"])
        #expect(asked.values.trials == 3 && asked.values.seed == 7 && asked.values.settings.rate == "unlimited")
        #expect(asked.allocators == [.jemalloc] && asked.budgets.map(\.text) == ["*: peak <= 4 MiB"])
        let won = try request(suite: suite) {
            $0.assets = ["65536"]
            $0.modes = ["stream"]
            $0.settings["trials"] = "4"
            $0.settings["verify"] = "sha256"
        }
        #expect(won.assetNames == ["64KiB"] && won.modes.map(\.name) == ["stream"] && won.values.trials == 4)
        #expect(won.values.settings.verification == .sha256 && won.values.seed == 7)
    }

    @Test func anAssetIsThereOnceHoweverItIsWritten() throws {
        #expect(try request { $0.assets = ["64KiB,65536", "64KiB"] }.assetNames == ["64KiB"])
    }

    @Test func whoNamesCommandsAloneMeasuresNothingElse() throws {
        let asked = try request { $0.commands = ["curl=curl {url}"] }
        #expect(asked.modes.map(\.name) == ["curl"])
        #expect(asked.inputs(in: .fake("/tmp")).commands["curl"]?.command == "curl {url}")
        #expect(
            try request {
                $0.commands = ["a=b {url}"]
                $0.modes = ["raw"]
            }.modes.map(\.name) == ["raw", "a"])
    }

    @Test func theProgramOfTheFirstModeComesFirst() throws {
        let asked = try request { $0.modes = ["none", "raw", "data"] }
        #expect(asked.programs.executables.map(\.name) == ["trial-two", "trial-one"])
    }

    @Test(arguments: [
        ("ftp://host/a", "invalid --url scheme 'ftp': expected http or https"),
        ("http://", "invalid --url: the host is missing; expected http://HOST/PATH"),
        ("http://[::1", "invalid --url host '[::1': write IPv6 addresses in brackets, such as [::1]"),
    ])
    func whatIsNoURLIsRefused(url: String, words: String) {
        #expect(performing: { try request { $0.url = url } }, throws: { "\($0)" == words })
    }

    private static let mistakes: [(@Sendable (inout PlanWords) -> Void, String)] = [
        ({ $0.modes = ["dta"] }, "unknown mode 'dta'. Did you mean 'data'?"),
        ({ $0.renders = ["thumb"] }, "unknown render model 'thumb'."),
        ({ $0.allocators = ["mimalloc"] }, "unknown allocator 'mimalloc'."),
        ({ $0.assets = ["0B"] }, "unknown asset '0B'."),
        ({ $0.assets = [","] }, "invalid --asset '': expected at least one name"),
        ({ $0.settings["trials"] = "0" }, "invalid --trials '0': expected a number from 1 to 10000"),
        ({ $0.settings["timeout"] = "0.01" }, "invalid --timeout '0.01': expected a number from 0.1 to 604800.0"),
        ({ $0.settings["rate"] = "fast" }, "invalid --rate 'fast'"),
        ({ $0.settings["verify"] = "md5" }, "unknown way to verify 'md5'."),
        ({ $0.settings["memory-limit"] = "1KiB" }, "invalid --memory-limit '1KiB'"),
        ({ $0.settings["view"] = "wide" }, "invalid --view 'wide'"),
        ({ $0.settings["view"] = "70000x1" }, "invalid --view '70000x1' (70000×1 pixels)"),
        ({ $0.commands = ["curl {url}"] }, "--exec 'curl {url}':"),
        ({ $0.commands = ["data=curl {url}"] }, "--exec: the name 'data' is taken"),
        ({ $0.conditions = ["start": ["tepid"]] }, "unknown start 'tepid'."),
        (
            {
                $0.url = "http://host/a"
                $0.assets = ["hero"]
            }, "--url cannot be combined with --asset"
        ),
        (
            {
                $0.url = "http://host/a"
                $0.conditions = ["transfer": ["gzip"]]
            }, "--transfer configures the embedded origin"
        ),
    ]

    @Test(arguments: mistakes.indices)
    func aMistakeIsNamed(index: Int) {
        let (change, words) = Self.mistakes[index]
        #expect(performing: { try request(change) }, throws: { "\($0)".hasPrefix(words) })
    }

    @Test func aModeOfAMissingProgramIsNotUnknown() {
        let programs = TrialPrograms(executables: TrialPrograms.fake.executables, missing: ["trial-curl"])
        #expect(
            performing: { try request(programs: programs) { $0.modes = ["curl-stream"] } },
            throws: {
                "\($0)" == "mode curl-stream is not built (program trial-curl): run `make build`"
            })
        #expect(throws: FetchBenchError.noTrialPrograms(remedy: "not built: x; `make build` builds them")) {
            try request(programs: TrialPrograms(executables: [], missing: ["x"]))
        }
    }

    @Test func thePlanHasEveryAssetAndSaysWhatWasPrepared() async throws {
        let asked = try request {
            $0.assets = ["1MiB", "2MiB"]
            $0.modes = ["data"]
        }
        let (plan, warnings) = try await asked.synthetic()
        #expect(plan.assets.map(\.byteCount) == [.mebibytes(1), .mebibytes(2)])
        #expect(warnings == ["prepared 1MiB", "prepared 2MiB"])
        #expect(
            plan.cases.map(\.identifier) == [
                "none/none/none/glibc", "1MiB/data/none/glibc", "2MiB/data/none/glibc",
            ])
    }

    @Test func aPlanThatFetchesNothingAnswersNothing() async throws {
        let asked = try request {
            $0.modes = ["data"]
            $0.conditions = ["consumer-delay": ["1ms"]]
        }
        await #expect(
            performing: { try await asked.synthetic() },
            throws: {
                "\($0)".hasPrefix("no case of this plan can be measured: mode data does not stream its body")
            })
    }

    @Test func theFlagsOfARequestAskForItAgain() throws {
        let asked = try request {
            $0.modes = ["data,raw"]
            $0.assets = ["64KiB"]
            $0.conditions = ["start": ["cold"], "consumer-delay": ["0", "1ms"]]
            $0.settings["max-connections"] = "3"
            $0.settings["memory-limit"] = "4GiB"
        }
        let flags = PlanFlags(asked, redaction: RedactedCommand(folders: [:])).command()
        #expect(
            flags == "fetchbench run --asset 64KiB --mode data,raw --render none --allocator glibc "
                + "--consumer-delay 0,1ms --start cold --max-connections 3 --trials 10 --seed 1 --rate 60MiB "
                + "--timeout 60 --memory-limit 4GiB --verify sha256")
    }
}
