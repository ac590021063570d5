// SPDX-License-Identifier: Apache-2.0

import Foundation
import Judging
import Measuring
import Runs
import Testing

/// Requests from arguments and a suite together, checked without a process.
struct PlanRequestTests {
    private func request(
        suite: String? = nil, programs: TrialPrograms = .fake, _ change: (inout PlanWords) -> Void = { _ in }
    ) throws -> PlanRequest {
        var words = PlanWords()
        words.suite = try suite.map { try SuiteFile(parsing: $0, fileName: "suite") }
        change(&words)
        return try PlanRequest(words, programs)
    }

    @Test func withoutArgumentsTheDefaultQuestionIsAsked() throws {
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
            $0[.assets] = ["65536"]
            $0[.modes] = ["stream"]
            $0.settings["trials"] = "4"
            $0.settings["verify"] = "sha256"
        }
        #expect(won.assetNames == ["64KiB"] && won.modes.map(\.name) == ["stream"] && won.values.trials == 4)
        #expect(won.values.settings.verification == .sha256 && won.values.seed == 7)
    }

    @Test func anAssetIsThereOnceHoweverItIsWritten() throws {
        #expect(try request { $0[.assets] = ["64KiB,65536", "64KiB"] }.assetNames == ["64KiB"])
    }

    @Test func commandsAloneMeasureNothingElse() throws {
        let asked = try request { $0[.exec] = ["curl=curl {url}"] }
        #expect(asked.modes.map(\.name) == ["curl"])
        #expect(asked.inputs(in: .fake("/tmp")).commands["curl"]?.command == "curl {url}")
        #expect(
            try request {
                $0[.exec] = ["a=b {url}"]
                $0[.modes] = ["raw"]
            }.modes.map(\.name) == ["raw", "a"])
    }

    @Test func theProgramOfTheFirstModeComesFirst() throws {
        let asked = try request { $0[.modes] = ["none", "raw", "data"] }
        #expect(asked.programs.executables.map(\.name) == ["trial-two", "trial-one"])
    }

    @Test(arguments: [
        ("ftp://host/a", "invalid --url scheme 'ftp': expected http or https"),
        ("http://", "invalid --url: the host is missing; expected http://HOST/PATH"),
        ("http://[::1", "invalid --url host '[::1': write IPv6 addresses in brackets, such as [::1]"),
    ])
    func invalidURLsAreRefused(url: String, words: String) {
        #expect(performing: { try request { $0.url = url } }, throws: { "\($0)" == words })
    }

    private static let mistakes: [(@Sendable (inout PlanWords) -> Void, String)] = [
        ({ $0[.modes] = ["dta"] }, "unknown mode 'dta'. Did you mean 'data'?"),
        ({ $0[.renders] = ["thumb"] }, "unknown render model 'thumb'."),
        ({ $0[.allocators] = ["mimalloc"] }, "unknown allocator 'mimalloc'."),
        ({ $0[.assets] = ["0B"] }, "unknown asset '0B'."),
        ({ $0[.assets] = [","] }, "invalid --asset '': expected at least one name"),
        ({ $0.settings["trials"] = "0" }, "invalid --trials '0': expected a number from 1 to 10000"),
        ({ $0.settings["timeout"] = "0.01" }, "invalid --timeout '0.01': expected a number from 0.1 to 604800.0"),
        ({ $0.settings["rate"] = "fast" }, "invalid --rate 'fast'"),
        ({ $0.settings["verify"] = "md5" }, "unknown way to verify 'md5'."),
        ({ $0.settings["memory-limit"] = "1KiB" }, "invalid --memory-limit '1KiB'"),
        ({ $0.settings["view"] = "wide" }, "invalid --view 'wide'"),
        ({ $0.settings["view"] = "70000x1" }, "invalid --view '70000x1' (70000×1 pixels)"),
        ({ $0[.exec] = ["curl {url}"] }, "--exec 'curl {url}':"),
        ({ $0[.exec] = ["data=curl {url}"] }, "--exec: the name 'data' is taken"),
        ({ $0.conditions = ["start": ["tepid"]] }, "unknown start 'tepid'."),
        (
            {
                $0.url = "http://host/a"
                $0[.assets] = ["hero"]
            }, "--url cannot be combined with --asset"
        ),
        (
            {
                $0.url = "http://host/a"
                $0.conditions = ["transfer": ["gzip"], "scheme": ["http"]]
                $0.settings = ["rate": "1MiB", "profile": "3g"]
            }, "--transfer and --scheme and --rate and --profile configure the embedded origin"
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
            performing: { try request(programs: programs) { $0[.modes] = ["curl-stream"] } },
            throws: {
                "\($0)" == "mode curl-stream is not built (program trial-curl): run `make build`"
            })
        #expect(throws: FetchBenchError.noTrialPrograms(remedy: "not built: x; `make build` builds them")) {
            try request(programs: TrialPrograms(executables: [], missing: ["x"]))
        }
    }

    /// Otherwise the second program of the head would stand in for its first.
    @Test func aHeadThatLacksAModeOfTheBaseIsRefused() async throws {
        let plan = try await request { $0[.modes] = ["data"] }.synthetic().plan
        let head = TrialPrograms(executables: TrialPrograms.fake.executables.reversed())
        let reason = "it has no mode data, which the base has"
        #expect(throws: FetchBenchError.trialProgram(path: "/nowhere/trial-two", reason: reason)) {
            try head.checkCounterpart(of: .fake, in: plan)
        }
    }

    @Test func aProgramThatIsBuiltMeanwhileIsNoticed() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/trial"
            try Data("a".utf8).write(to: URL(fileURLWithPath: path))
            let program = TrialExecutable(path: path, description: TrialPrograms.fake.executables[0].description)
            #expect(program.change == nil)
            try Data("ab".utf8).write(to: URL(fileURLWithPath: path))
            #expect(program.change?.contains("2 bytes, was 1") == true)
            try FileManager.default.removeItem(atPath: path)
            #expect(program.change?.contains("removed") == true)
        }
    }

    @Test func thePlanHasEveryAssetAndSaysWhatWasPrepared() async throws {
        let asked = try request {
            $0[.assets] = ["1MiB", "2MiB"]
            $0[.modes] = ["data"]
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
            $0[.modes] = ["data"]
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
            $0[.modes] = ["data,raw"]
            $0[.assets] = ["64KiB"]
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

struct PlanTests {
    @Test func everyRoundHoldsEveryCaseOnce() {
        let plan = Plan.synthetic(trials: 4)
        let count = plan.cases.count
        #expect(plan.slots.count == 4 * count)
        for round in 0..<4 {
            let cells = plan.slots[round * count..<(round + 1) * count].map(\.cell)
            #expect(Set(cells) == Set(plan.cases))
            #expect(Set(cells).count == cells.count)
        }
    }

    @Test func trialsAreNumberedFromOneInTheOrderInWhichTheyAreDone() {
        let slots = Plan.synthetic().slots
        #expect(slots.map(\.trial) == Array(1...slots.count))
        #expect(Set(slots.map(\.seed)).count == slots.count)
    }

    @Test func theSameSeedGivesTheSameOrder() {
        #expect(Plan.synthetic(seed: 5).slots == Plan.synthetic(seed: 5).slots)
    }

    @Test func anotherSeedGivesAnotherOrder() {
        #expect(Plan.synthetic(seed: 5).slots.map(\.cell) != Plan.synthetic(seed: 6).slots.map(\.cell))
    }

    @Test func roundsAreShuffledApart() {
        let plan = Plan.synthetic(trials: 2)
        let cells = plan.slots.map(\.cell)
        #expect(Array(cells.prefix(plan.cases.count)) != Array(cells.suffix(plan.cases.count)))
    }

    /// The first values of the reference implementation, `splitmix64.c` by Sebastiano Vigna, for seed 1234567.
    @Test func theGeneratorIsSplitMix64() {
        var generator = SeededGenerator(seed: 1_234_567)
        let values = (0..<3).map { _ in generator.next() }
        #expect(values == [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423])
    }
}

struct PlanCaseTests {
    @Test func theNullCaseStandsFirstForEachAllocator() {
        let plan = Plan.synthetic(allocators: [.jemalloc, .glibc])
        #expect(Array(plan.cases.prefix(2)) == [.null(on: .jemalloc), .null(on: .glibc)])
        #expect(plan.cases.count { $0.asset == Case.nullAsset } == 2)
    }

    @Test func theNullCaseIsThereEvenIfNobodyAskedForIt() {
        let plan = Plan.synthetic(modes: [FakeMode(name: "data")], allocators: [.glibc])
        #expect(plan.cases.first == .null(on: .glibc))
        #expect(plan.asset(of: .null(on: .glibc)) == nil)
        #expect(plan.modes == ["data"])
    }

    @Test func aModeThatDoesNotFetchCannotBeRendered() {
        let plan = Plan.synthetic(allocators: [.glibc])
        let cell = Case(asset: "hero", mode: "none", render: "imageview", allocator: .glibc)
        #expect(!plan.cases.contains(cell))
        #expect(
            plan.inapplicable.first { $0.cell == cell }?.reason
                == "mode none does not fetch, so imageview cannot render anything")
    }

    @Test func bytesThatAreNoImageAreFetchedAndNotRendered() {
        let bytes = Asset(
            name: "64MiB", location: "/bytes/64MiB", isEmbedded: true, mediaType: "application/octet-stream")
        let plan = Plan.synthetic(assets: [bytes], modes: [FakeMode(name: "data")], allocators: [.glibc])
        #expect(plan.cases.map(\.identifier) == ["none/none/none/glibc", "64MiB/data/none/glibc"])
        #expect(
            plan.inapplicable.map(\.reason) == [
                "asset 64MiB is application/octet-stream, and imageview renders only images",
                "asset 64MiB is application/octet-stream, and thumbnail renders only images",
            ])
    }

    @Test func anAssetOfUnknownTypeIsGivenToTheRenderer() {
        let foreign = Asset(name: "big", location: "https://example.org/big", isEmbedded: false)
        let plan = Plan.synthetic(assets: [foreign], modes: [FakeMode(name: "data")], allocators: [.glibc])
        #expect(plan.inapplicable.isEmpty)
        #expect(plan.cases.count == 4)
    }

    @Test func onlyConcurrentFetchesGetTheFirstAssetsOfASet() throws {
        let members = (1...3).map {
            Asset(name: "gallery-0\($0)", location: "/\($0)", isEmbedded: true, byteCount: .mebibytes($0))
        }
        let set = Asset("gallery", location: "/gallery/manifest.json", of: members, mediaType: "image/*")
        let plan = Plan.synthetic(
            assets: [set], modes: [FakeMode(name: "data", abilities: [.concurrency])], allocators: [.glibc],
            conditions: [1, 2, 4].map { count in FetchConditions.unusual { $0.concurrency = count } })
        let cells = plan.cases.filter { $0.mode == "data" && $0.render == "none" }
        #expect(cells.map(\.conditions.concurrency) == [2])
        #expect(plan.asset(of: try #require(cells.first))?.byteCount == .mebibytes(3))
        #expect(plan.inapplicable.allSatisfy { $0.reason.hasPrefix("asset gallery is a set of 3 assets; give one") })
        let encoded = try JSONEncoder().encode(plan.assets)
        #expect(try JSONDecoder().decode([Asset].self, from: encoded) == [set])
        let single = String(decoding: try JSONEncoder().encode(Asset.hero), as: UTF8.self)
        #expect(!single.contains("members"), "what older runs do not have is stored only where it is there")
    }

    @Test func anAllocatorThatIsNotThereLeavesItsCellsOutWithTheReason() {
        let plan = Plan.synthetic(unavailable: [.jemalloc: "not on this machine"])
        #expect(plan.cases.allSatisfy { $0.allocator == .glibc })
        let left = plan.inapplicable.filter { $0.cell.allocator == .jemalloc }
        #expect(left.contains { $0.cell == .null(on: .jemalloc) })
        #expect(left.allSatisfy { $0.reason == "not on this machine" })
        #expect(left.count == plan.cases.count + plan.inapplicable.count - left.count)
    }

    @Test func noCellIsLostAndNoneIsThereTwice() {
        let plan = Plan.synthetic()
        let cells = plan.cases + plan.inapplicable.map(\.cell)
        // The null case, four modes with three models and `none` with the two models that need a body; two allocators.
        #expect(cells.count == (1 + 4 * 3 + 2) * 2)
        #expect(Set(cells).count == cells.count)
    }
}
