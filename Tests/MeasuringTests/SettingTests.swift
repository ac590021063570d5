// SPDX-License-Identifier: Apache-2.0

import Judging
import Measuring
import Reports
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

    @Test(arguments: Setting.all.map(\.flag)) func printedFlagsReproduceTheRequest(flag: String) throws {
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
        #expect(throws: FetchBenchError(usage: "invalid --max-connections '\(text)': expected a number from 1 to 1000"))
        {
            try Self.values(["max-connections": text])
        }
    }

    @Test(arguments: ["trials", "seed", "timeout"]) func aNumberIsOne(flag: String) throws {
        #expect(
            performing: { try Self.values([flag: "many"]) },
            throws: { "\($0)".hasPrefix("invalid --\(flag) 'many': expected a number") })
        #expect(try #require(Setting.all.first { $0.flag == flag }).isNumber?("many") == false)
    }

    @Test func settingsThatChangeFiguresAreCompared() async throws {
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

struct DimensionTests {
    /// A value of each dimension that is not the usual one.
    private static let unusual = [
        "concurrency": "5", "consumer-delay": "200us", "session": "default", "transfer": "gzip", "scheme": "https",
        "start": "cold", "scenario": "repeat:5", "loader": "naive", "display": "at-once",
        "destination": "other", "http": "2", "container-limit": "64MiB", "chunk": "16B",
        "client-rate": "1MiB",
    ]

    private static func request(_ flags: [String: [String]]) throws -> ConditionRequest {
        try ConditionRequest(flags: flags, suite: [:])
    }

    @Test func everyNameIsThereOnce() {
        for names in [Dimension.all.map(\.flag), Dimension.all.map(\.suiteKey), Dimension.all.map(\.column)] {
            #expect(Set(names).count == Dimension.all.count)
        }
        #expect(Set(Self.unusual.keys) == Set(Dimension.all.map(\.flag)), "a new dimension belongs into this test")
    }

    @Test(arguments: Dimension.all.map(\.flag))
    func aValueComesBackFromItsFlag(flag: String) throws {
        let value = try #require(Self.unusual[flag])
        let request = try Self.request([flag: [value]])
        #expect(request.flags == ["--" + flag, value])
        let conditions = try #require(request.all.first)
        #expect(request.all == [conditions] && conditions != .standard)
        #expect(ConditionRequest(only: conditions) == request)
    }

    @Test(arguments: Dimension.all.map(\.flag))
    func aSuiteAsksForTheSame(flag: String) throws {
        let dimension = try #require(Dimension.all.first { $0.flag == flag })
        let value = try #require(Self.unusual[flag])
        let suite = try SuiteFile(parsing: "\(dimension.suiteKey): [\(dimension.usual), \(value)]\n", fileName: "s")
        let asked = try ConditionRequest(flags: [:], suite: suite.conditions)
        #expect(try asked == Self.request([flag: [dimension.usual + "," + value]]))
        let won = try ConditionRequest(flags: [flag: [dimension.usual]], suite: suite.conditions)
        #expect(won.all == [.standard], "a flag wins over a suite")
    }

    @Test func everyDimensionIsAColumnOfEveryTable() throws {
        let run = try SyntheticRun.complete()
        for table in [TrialsTable.text(of: run), SummaryTable.text(of: Report(run))] {
            let header = try #require(MiniCSV.rows(of: table).first)
            #expect(Set(header).isSuperset(of: Dimension.all.map(\.column)))
            #expect(Set(header).count == header.count)
        }
    }

    @Test func defaultsAreNotMentioned() throws {
        #expect(try Self.request([:]).flags == [])
        #expect(try Self.request([:]).all == [.standard])
        #expect(FetchConditions.standard.words == [])
    }

    @Test func everyCombinationIsThereOnce() throws {
        let flags = Dictionary(
            uniqueKeysWithValues: Dimension.all.map { ($0.flag, [$0.usual, Self.unusual[$0.flag] ?? ""]) })
        let all = try Self.request(flags).all
        #expect(all.count == 1 << Dimension.all.count)
        #expect(Set(all).count == all.count)
        #expect(all.first == .standard)
    }

    @Test func oneMillisecondIsAThousandMicroseconds() throws {
        let request = try Self.request(["consumer-delay": ["1ms", "1000us,0"]])
        #expect(request.all.map(\.consumerDelayNanoseconds) == [1_000_000, 0])
    }

    @Test(arguments: [
        ("concurrency", "0", "invalid --concurrency '0': expected a number from 1 to 1000"),
        ("concurrency", "many", "invalid --concurrency 'many': expected a number from 1 to 1000"),
        ("consumer-delay", "2s", "invalid --consumer-delay '2s': expected a duration up to 1s, such as 200us"),
        ("transfer", "gzop", "unknown transfer encoding 'gzop'. Did you mean 'gzip'? Choices: length, chunked, gzip."),
        ("start", "cool", "unknown start 'cool'. Did you mean 'cold'? Choices: warm, cold."),
        ("scheme", ",", "invalid --scheme '': expected at least one name"),
    ])
    func invalidValuesAreRefused(flag: String, value: String, words: String) {
        #expect(throws: FetchBenchError(usage: words)) { try Self.request([flag: [value]]) }
    }

    @Test func aForeignServerIsNotToldHowToSend() throws {
        #expect(try Self.request(["concurrency": ["5"], "start": ["cold"]]).flagsOfOrigin.isEmpty)
        #expect(try Self.request(["scheme": ["https"], "http": ["1.1"]]).flagsOfOrigin == ["scheme"])
    }
}

/// The size of the view, as it is typed and as it is told.
struct ViewTextTests {
    @Test(arguments: [
        ("390x844@3", 1170, 2532), ("1170x2532", 1170, 2532), ("390x260", 390, 260), ("1x1@1", 1, 1),
        ("411x731@2.625", 1079, 1919), ("65535x1", 65_535, 1),
    ])
    func pointsBecomePixels(text: String, width: Int, height: Int) throws {
        let settings = try ViewText.settings(parsing: text)
        #expect([settings.viewWidth, settings.viewHeight] == [width, height])
        #expect(settings.maximumPixels == RenderSettings().maximumPixels, "nothing else changes")
        #expect(try ViewText.settings(parsing: ViewText.text(of: settings)) == settings)
    }

    @Test(arguments: [
        "", "390", "390x", "x844", "390x844@", "390x844@x", "390x844@3@3", "390X844", "3.5x4", "-1x4", "390x844x3",
        "390x844@nan", "390x844@0", "390x844@17", "1234567x1",
    ])
    func invalidViewsAreRefused(text: String) {
        let words =
            "invalid --view '\(text)': expected points and scale such as 390x844@3, or pixels such as 1170x2532"
        #expect(throws: FetchBenchError(usage: words)) { try ViewText.settings(parsing: text) }
    }

    @Test(arguments: ["0x4", "65536x1", "390x844@0.001", "20000x20000"])
    func aViewThatNobodyHasIsRefusedWithItsPixels(text: String) {
        #expect(throws: FetchBenchError.self) { try ViewText.settings(parsing: text) }
    }
}

/// When and how pictures are shown, and who cannot.
struct PictureConditionTests {
    private static let streaming = FakeModel(name: "stream-thumbnail", takesPieces: true)

    private func reason(_ mode: FakeMode, _ model: FakeModel, _ change: (inout FetchConditions) -> Void) -> String? {
        var conditions = FetchConditions.standard
        change(&conditions)
        let plan = Plan.synthetic(modes: [mode], models: [model], allocators: [.glibc], conditions: [conditions])
        return plan.inapplicable.first?.reason
    }

    @Test func aModelThatStreamsNeedsPiecesOrAFile() throws {
        let reason = try #require(reason(FakeMode(name: "data"), Self.streaming) { _ in })
        #expect(reason.contains("data") && reason.contains("stream-thumbnail"))
        for ability in [ModeAbility.pieces, .file] {
            #expect(self.reason(FakeMode(name: "able", abilities: [ability]), Self.streaming) { _ in } == nil)
        }
    }

    @Test func onlyWhatIsShownCanBeShownAtOnce() {
        let none = FakeModel(name: "none", needsBody: false)
        #expect(
            reason(FakeMode(name: "data"), none) { $0.display = .atOnce }
                == "render model none does not show pictures")
        #expect(reason(FakeMode(name: "data"), FakeModel(name: "imageview")) { $0.display = .atOnce } == nil)
        let command = PlannedMode(ExternalCommand(name: "curl", command: "curl {url} -o {file}"))
        var conditions = FetchConditions.standard
        conditions.display = .atOnce
        let plan = Plan.synthetic(
            planned: [command], models: [none], allocators: [.glibc], conditions: [conditions])
        #expect(plan.inapplicable.map(\.reason) == ["command curl does not show pictures"])
    }

    /// A model that streams takes the body in pieces where it can, and no file is written.
    @Test func onlyAFileCanEndOnAnotherFileSystem() {
        let other: (inout FetchConditions) -> Void = { $0.destination = .other }
        let none = FakeModel(name: "none", needsBody: false)
        #expect(reason(FakeMode(name: "download", abilities: [.file]), none, other) == nil)
        #expect(reason(FakeMode(name: "stream", abilities: [.file, .pieces]), none, other) == nil)
        #expect(reason(FakeMode(name: "data"), none, other) == "mode data does not store the body in a file")
        #expect(reason(FakeMode(name: "download", abilities: [.file]), Self.streaming, other) == nil)
        #expect(
            reason(FakeMode(name: "stream", abilities: [.file, .pieces]), Self.streaming, other)
                == "mode stream streams the body to stream-thumbnail and writes no file")
    }

    @Test func anOlderProgramIsAskedInItsOwnVersionUnlessItHasToKnowMore() {
        var conditions = FetchConditions.standard
        #expect(conditions.documentVersion == 1)
        conditions.display = .atOnce
        #expect(conditions.documentVersion == 5 && TrialRequest.understoodProtocols.contains(5))
        #expect(conditions.words == ["display=at-once"])
    }
}

@Suite struct ClosestModeTests {
    private static let loaders = [
        LoaderDeclaration(name: "best", title: "best", closestMode: "download", figures: []),
        LoaderDeclaration(name: "whole", title: "whole", closestMode: "data", figures: []),
        LoaderDeclaration(name: "other", title: "other", closestMode: "data", figures: []),
    ]

    private static let programs = TrialPrograms.fake(
        ScenarioDeclaration(
            name: "list", summary: "shows pictures", variants: [], usualCount: nil, needs: ScenarioNeeds(loader: true),
            loaders: loaders))

    private static func request(
        modes: [String] = ["closest"], scenario: String = "list", loader: String = "whole,other,best"
    ) throws -> PlanRequest {
        var words = PlanWords()
        words[.modes] = modes
        words[.renders] = ["none"]
        words.conditions = ["scenario": [scenario], "loader": [loader]]
        return try PlanRequest(words, programs)
    }

    private static func cells(_ request: PlanRequest) async throws -> Set<String> {
        let cases = try await request.synthetic().plan.cases.filter { $0.mode != "none" }
        return Set(cases.map { "\($0.conditions.loader) \($0.mode)" })
    }

    @Test func eachLoaderIsMeasuredInItsModeOnly() async throws {
        #expect(try await Self.cells(Self.request()) == ["whole data", "other data", "best download"])
        let named = try Self.request(modes: ["data,download"], loader: "whole,best")
        #expect(try await Self.cells(named).count == 4)
    }

    @Test func theFlagsOfARequestMeasureItAgain() async throws {
        let request = try Self.request()
        let line = PlanFlags(request, redaction: RedactedCommand(folders: [:])).command()
        let repeated = try RepeatedWords(line)
        var words = try repeated.asked()
        words.conditions = ["scenario": repeated.flags["--scenario"] ?? [], "loader": repeated.flags["--loader"] ?? []]
        let again = try PlanRequest(words, Self.programs)
        #expect(try await again.synthetic().plan == request.synthetic().plan)
    }

    @Test(arguments: [
        (["closest", "data"], "list", "best"), (["closest"], "none", "best"), (["closest"], "list", "unknown"),
    ])
    func loadersWithoutAClosestModeAreRefused(modes: [String], scenario: String, loader: String) {
        #expect(throws: FetchBenchError.self) { try Self.request(modes: modes, scenario: scenario, loader: loader) }
    }
}
