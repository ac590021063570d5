// SPDX-License-Identifier: Apache-2.0

import Foundation
import Measuring
import Runs
import Testing

/// Plain commands in a plan: each is a case of its own, with no asset and no condition of a fetch.
@Suite struct PlainCommandPlanTests {
    private static let sort = "sort=sort --parallel={threads} x"

    private func request(
        suite: String? = nil, programs: TrialPrograms = .fake, _ change: (inout PlanWords) -> Void
    ) throws -> PlanRequest {
        var words = PlanWords()
        words.suite = try suite.map { try SuiteFile(parsing: $0, fileName: "suite") }
        change(&words)
        return try PlanRequest(words, programs)
    }

    private func mistake(suite: String? = nil, _ change: (inout PlanWords) -> Void) -> String {
        do {
            _ = try request(suite: suite, change)
            return ""
        } catch {
            return (error as? FetchBenchError)?.kind == .usage ? "\(error)" : "another error: \(error)"
        }
    }

    @Test func eachChoiceOfParametersAndAllocatorIsACase() async throws {
        let request = try request {
            $0[.exec] = [Self.sort]
            $0[.parameters] = ["threads=1,2"]
            $0[.allocators] = ["glibc,jemalloc"]
        }
        #expect(request.assetNames.isEmpty && request.models.isEmpty && request.conditions.all == [.standard])
        let plan = try await request.synthetic().plan
        #expect(
            plan.cases.map(\.identifier) == [
                "sort/glibc/threads=1", "sort/jemalloc/threads=1", "sort/glibc/threads=2", "sort/jemalloc/threads=2",
            ])
        #expect(
            plan.cases.map(\.title) == [
                "sort (threads=1)", "sort (threads=1) on jemalloc", "sort (threads=2)", "sort (threads=2) on jemalloc",
            ])
        #expect(plan.assets.isEmpty && plan.inapplicable.isEmpty && plan.plainCases == plan.cases)
        #expect(plan.cases.allSatisfy { $0.isPlain && !$0.isNull && plan.asset(of: $0) == nil })
    }

    /// Nothing is fetched, so there is no floor of a fetch to show.
    @Test func aPlanOfPlainCommandsAloneHasNoNullCase() async throws {
        let plan = try await request { $0[.exec] = ["sort=sort x", "cut=cut -c1 x"] }.synthetic().plan
        #expect(plan.cases == [.plain("sort", on: .glibc), .plain("cut", on: .glibc)])
        #expect(!plan.fetches && plan.firstMode == nil && plan.slots.count == 20)
        let without = try request(programs: TrialPrograms(executables: [], missing: ["trial-raw"])) {
            $0[.exec] = ["sort=sort x"]
        }
        #expect(try await without.synthetic().plan == request { $0[.exec] = ["sort=sort x"] }.synthetic().plan)
    }

    @Test func aPlanOfBothMeasuresBoth() async throws {
        let request = try request {
            $0[.modes] = ["data"]
            $0[.exec] = [Self.sort, "get=curl {url}"]
            $0[.parameters] = ["threads=1,2"]
            $0[.assets] = ["64KiB,1MiB"]
            $0[.renders] = ["none"]
            $0.conditions = ["scheme": ["http,https"]]
        }
        let plan = try await request.synthetic().plan
        #expect(
            plan.cases.map(\.identifier) == [
                "none/none/none/glibc", "64KiB/data/none/glibc", "64KiB/data/none/glibc/scheme=https",
                "64KiB/get/none/glibc", "64KiB/get/none/glibc/scheme=https", "1MiB/data/none/glibc",
                "1MiB/data/none/glibc/scheme=https", "1MiB/get/none/glibc", "1MiB/get/none/glibc/scheme=https",
                "sort/glibc/threads=1", "sort/glibc/threads=2",
            ], "a plain command is measured once, whatever is fetched and how")
        #expect(plan.fetches && plan.plainCases.count == 2 && plan.firstMode == "data")
        #expect(plan.cases[0].isNull && !plan.cases[0].isPlain && !plan.cases[1].isPlain)
    }

    @Test func aSuiteSaysTheSame() async throws {
        let suite = """
            exec: ["sort=sort --parallel={threads} x"]
            parameters: ["threads=1,2"]
            budgets: ["sort: peak <= 200 MiB"]
            """
        let plan = try await request(suite: suite) { _ in }.synthetic().plan
        #expect(plan.cases.map(\.identifier) == ["sort/glibc/threads=1", "sort/glibc/threads=2"])
        let won = try await request(suite: suite) { $0[.parameters] = ["threads=8"] }.synthetic().plan
        #expect(won.cases.map(\.identifier) == ["sort/glibc/threads=8"])
    }

    private static let flagsOfAFetch: [(@Sendable (inout PlanWords) -> Void, String)] = [
        ({ $0[.assets] = ["hero"] }, "--asset"), ({ $0[.renders] = ["none"] }, "--render"),
        ({ $0.url = "http://h/" }, "--url"), ({ $0.settings["rate"] = "1MiB" }, "--rate"),
        ({ $0.settings["latency"] = "1ms" }, "--latency"),
        ({ $0.settings["profile"] = "lte" }, "--profile"), ({ $0.settings["verify"] = "length" }, "--verify"),
        ({ $0.settings["view"] = "100x100" }, "--view"), ({ $0.conditions = ["scenario": ["repeat"]] }, "--scenario"),
        ({ $0.conditions = ["start": ["cold"]] }, "--start"),
        ({ $0.settings["max-connections"] = "2" }, "--max-connections"),
        ({ $0.request.headers = ["Accept: */*"] }, "--header"),
    ]

    @Test(arguments: flagsOfAFetch.indices) func aFlagOfAFetchIsRefusedByName(index: Int) {
        let (change, flag) = Self.flagsOfAFetch[index]
        let said = mistake { words in
            words[.exec] = ["sort=sort x"]
            change(&words)
        }
        #expect(said.hasPrefix("\(flag) does not apply to command sort, which has no {url}"), "\(said)")
        #expect(said.contains("'sort: peak <= 200 MiB'"), "\(said)")
        let beside = mistake { words in
            words[.exec] = ["sort=sort x", "get=curl {url}"]
            change(&words)
        }
        #expect(!beside.contains("does not apply to command"), "\(beside)")
    }

    @Test(arguments: [
        ("assets: [hero]", "assets"), ("renders: [none]", "renders"), ("rate: 1MiB", "rate"),
        ("latency: 1ms", "latency"), ("profile: lte", "profile"), ("verify: length", "verify"),
        ("view: 100x100", "view"), ("scenarios: [repeat]", "scenarios"), ("starts: [cold]", "starts"),
        ("max_connections: 2", "max_connections"),
    ])
    func aKeyOfAFetchIsRefusedByName(line: String, key: String) {
        let said = mistake(suite: "exec: ['sort=sort x']\n\(line)\n") { _ in }
        #expect(said.hasPrefix("the suite's key '\(key)' does not apply to command sort"), "\(said)")
    }

    @Test func metricsOfEveryTrialAccompanyThem() throws {
        let request = try request {
            $0[.exec] = ["sort=sort x"]
            $0.settings["trials"] = "3"
            $0.settings["seed"] = "7"
            $0.settings["timeout"] = "5"
            $0.settings["memory-limit"] = "1GiB"
            $0[.allocators] = ["jemalloc"]
        }
        #expect(request.values.trials == 3 && request.values.seed == 7 && request.allocators == [.jemalloc])
        #expect(request.values.settings.timeoutSeconds == 5 && request.values.settings.commands == CommandSettings())
        #expect(
            try self.request { $0[.modes] = ["data"] }.values.settings.commands == nil, "of no other plan it is stored")
    }

    @Test(arguments: [
        ("sort", "--exec 'sort': expected NAME=command"), ("a b=sort", "--exec 'a b=sort': expected NAME=command"),
        ("sort= ", "--exec 'sort= ': missing command"), ("raw=sort x", "--exec: the name 'raw' is taken"),
        ("sort=sort 'x", "command sort: the quote at position 6"),
        ("sort=sort {file}", "command sort: {file} needs {url}"),
        ("sort=sort {ca}", "command sort: {ca} needs {url}"),
    ])
    func aCommandThatIsNoneIsRefused(text: String, words: String) {
        let said = mistake { $0[.exec] = [text] }
        #expect(said.hasPrefix(words), "\(said)")
    }

    @Test func aListIsForPlainCommandsAlone() {
        let said = mistake {
            $0[.exec] = ["get=curl -j{n} {url}"]
            $0[.parameters] = ["n=1,2"]
        }
        #expect(said.contains("no command without {url} uses {n}"), "\(said)")
    }
}

@Suite struct PlainCommandStorageTests {
    private func again<Value: Codable>(_ value: Value) throws -> (value: Value, text: String) {
        let data = try JSONEncoder().encode(value)
        return (try JSONDecoder().decode(Value.self, from: data), String(decoding: data, as: UTF8.self))
    }

    @Test func aCaseSurvives() throws {
        let cell = Case.plain("sort", with: [.init("threads", "2"), .init("size", "a,b")], on: .jemalloc)
        #expect(try again(cell).value == cell)
        let fetched = Case(asset: "hero", mode: "data", render: "none", allocator: .glibc)
        let (value, text) = try again(fetched)
        #expect(value == fetched && !text.contains("parameters"), "an older build reads what it knows")
    }

    @Test(arguments: [nil, CommandShell.never, .always(["bash", "--norc"])])
    func aPlanSurvives(shell: CommandShell?) async throws {
        var asked = CommandsRequest(commands: ["sort {n} x", "cut x"])
        asked.shell = shell
        asked.preparations = ["rm y"]
        asked.cleanups = ["sync", "true"]
        let request = try PlanRequest.plain(asked) { words in
            words[.parameters] = ["n=1,2"]
            words.commandSettings.warmup = 2
            words.commandSettings.limit = .mebibytes(200)
            words.commandSettings.reference = "cut x"
            words.commandSettings.ignoresFailure = true
        }
        let plan = try await request.synthetic().plan
        let (value, text) = try again(plan)
        #expect(value == plan && value.settings.commands?.limit == .mebibytes(200))
        #expect(text.contains("\"shell\"") == (shell != nil))
        #expect(value.slots == plan.slots)
    }

    @Test func aRunSurvivesWithItsTraces() throws {
        let trace = SyntheticCommand.trace(2000, net: 900, others: (0..<100).map { ("p", 1000 + $0) }).listing(64)
        let run = try SyntheticCommand.run(of: ["a"], [SyntheticCommand.trial(1, of: .plain("a", on: .glibc), trace)])
        try withTemporaryFolder { path in
            let folder = RunFolder(existing: path)
            try RunStore.create(run, in: folder)
            let loaded = try RunStore.load(folder)
            #expect(loaded == run && loaded.trials.first?.report?.command?.others.first?.count == 37)
        }
    }
}

@Suite struct PlainCommandTrialTests {
    private static let sort = Case.plain("sort", on: .glibc)

    private func trial(
        of cell: Case = sort, ignoresFailure: Bool = false, saying complaint: String = "",
        _ change: (inout TrialReport) -> Void = { _ in }
    ) throws -> Trial {
        var report = SyntheticCommand.report(SyntheticCommand.trace(2000, net: 900))
        change(&report)
        let end = ProcessEnd(
            ending: .exited(0), nanoseconds: 4_000_000, output: Array(try JSONEncoder().encode(report)))
        var assembler = TrialAssembler(
            slot: Plan.Slot(trial: 1, cell: cell, seed: 7), asset: nil, timeoutSeconds: 60)
        assembler.ignoresFailure = ignoresFailure
        assembler.complaint = complaint
        return assembler.trial(of: end)
    }

    private func failure(_ code: String, _ detail: String) -> (inout TrialReport) -> Void {
        { $0.failure = TrialReport.Failure(phase: .fetch, code: code, detail: detail, isRejection: false) }
    }

    @Test func aCommandThatEndedWellIsCompleted() throws {
        let trial = try trial()
        #expect(trial.outcome == .completed && trial.doubts.isEmpty, "nothing has to be fetched")
        #expect(trial.report?.command?.peak.resident == .kibibytes(2000))
        let fetching = Case(asset: "hero", mode: "sort", render: "none", allocator: .glibc)
        #expect(try self.trial(of: fetching).doubts.contains { $0.contains("fetched anything") })
    }

    @Test func aFailureSaysNothingOfAFetch() throws {
        let change = failure("command_status", "the command ended with status 3")
        let outcome = try trial(saying: "sort: no such file", change).outcome
        #expect(outcome == Outcome(.failed, "the command ended with status 3: sort: no such file"))
        let fetching = Case(asset: "hero", mode: "sort", render: "none", allocator: .glibc)
        let other = try trial(of: fetching, saying: "sort: no such file", change).outcome
        #expect(other.detail.hasPrefix("fetch: command_status: the command ended with status 3"))
    }

    @Test(arguments: [
        ("command_status", Outcome.Kind.failed, Outcome.Kind.completed),
        ("command_signal", .crashed, .completed), ("timed_out", .timedOut, .timedOut),
        ("memory_limit", .overLimit, .overLimit), ("command_not_started", .failed, .failed),
    ])
    func aStatusAndASignalCountWhereTheyAreIgnored(code: String, kind: Outcome.Kind, ignored: Outcome.Kind) throws {
        let strict = try trial(failure(code, "why"))
        #expect(strict.outcome == Outcome(kind, "why"))
        let lenient = try trial(ignoresFailure: true, failure(code, "why"))
        #expect(lenient.outcome == Outcome(ignored, "why"), "what happened is said either way")
    }

    @Test func whichMallocItBringsIsItsOwnAffairUnlessOneWasAskedFor() throws {
        #expect(try trial { $0.allocator.name = "jemalloc" }.outcome == .completed)
        let asked = Case.plain("sort", on: .jemalloc)
        #expect(try trial(of: asked) { $0.allocator.name = "jemalloc" }.outcome == .completed)
        let refused = try trial(of: asked).outcome
        #expect(refused.kind == .failed && refused.detail.hasPrefix("started with jemalloc"))
        let fetching = Case(asset: "hero", mode: "curl", render: "none", allocator: .glibc)
        #expect(try trial(of: fetching) { $0.allocator.name = "jemalloc" }.outcome.kind == .failed)
    }

    @Test func survivorsAndPolledRunsHaveWarnings() throws {
        let trial = try trial { report in
            report.command?.processes[0].outlived = true
            report.command?.method = .polled
            report.command?.methodReason = "ptrace was refused"
        }
        #expect(trial.isCompleted && trial.doubts.count == 2)
        #expect(trial.doubts.contains { $0.contains("--wait-for-children): first") })
        #expect(trial.doubts.contains { $0.contains("ptrace was refused") })
    }

    private static let impossible: [(@Sendable (inout CommandTrace) -> Void, String)] = [
        ({ $0.others = [Self.others(0, 5, 5)] }, "others[0].count"),
        ({ $0.others = [Self.others(2, -1, 5)] }, "others[0].largest_peak_bytes"),
        ({ $0.others = [Self.others(2, 5, 4)] }, "others[0].sum_of_peaks_bytes"),
        (
            { $0.series = [Sample(timeNanoseconds: 1, resident: ByteCount(-1), shared: .zero)] },
            "series[0].resident_bytes"
        ),
        (
            { $0.series = [Sample(timeNanoseconds: 1, resident: ByteCount(1), shared: ByteCount(2))] },
            "series[0].shared_bytes"
        ),
        (
            { $0.series = [Sample(timeNanoseconds: -1, resident: ByteCount(1), shared: .zero)] },
            "series[0].time_ns"
        ),
    ]

    private static func others(_ count: Int, _ largest: Int, _ sum: Int) -> OtherProcesses {
        OtherProcesses(
            name: "cc", count: count, largestPeak: ByteCount(largest), sumOfPeaks: ByteCount(sum), threads: 1)
    }

    @Test(arguments: impossible.indices) func impossibleValuesAreRefused(index: Int) throws {
        let (change, field) = Self.impossible[index]
        let trial = try trial { report in
            guard var trace = report.command else { return }
            change(&trace)
            report.command = trace
        }
        #expect(trial.outcome.kind == .failed && trial.outcome.detail.contains(field), "\(trial.outcome.detail)")
        #expect(trial.report == nil)
    }
}
