// SPDX-License-Identifier: Apache-2.0

import Measuring
import Reports
import Runs
import TestSupport
import Testing
import TrialKit

/// The one list of dimensions, and everything that follows from it.
struct DimensionTests {
    /// A value of each dimension that is not the usual one.
    private static let unusual = [
        "concurrency": "5", "consumer-delay": "200us", "session": "default", "transfer": "gzip", "scheme": "https",
        "start": "cold", "scenario": "repeat:5", "loader": "naive", "display": "at-once",
        "destination": "other", "http": "2",
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
        let won = try ConditionRequest(
            flags: [flag: [dimension.usual]], suite: suite.conditions)
        #expect(won.all == [.standard], "a flag wins over a suite")
    }

    @Test func everyDimensionIsAColumnOfEveryTable() throws {
        let run = try SyntheticRun.complete()
        for table in [TrialsTable.text(of: run), SummaryTable.text(of: run)] {
            let header = try #require(MiniCSV.rows(of: table).first)
            #expect(Set(header).isSuperset(of: Dimension.all.map(\.column)))
            #expect(Set(header).count == header.count)
        }
    }

    @Test func whatIsUsualIsSaidNowhere() throws {
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
    func whatMakesNoSenseIsRefused(flag: String, value: String, words: String) {
        #expect(throws: PlanMistake(words)) { try Self.request([flag: [value]]) }
    }

    @Test func aForeignServerIsNotToldHowToSend() throws {
        #expect(throws: Never.self) { try Self.request(["concurrency": ["5"], "start": ["cold"]]).checkForeignURL() }
        #expect(
            throws: PlanMistake(
                "--transfer and --scheme configure the embedded origin and cannot be combined with --url")
        ) { try Self.request(["scheme": ["https"], "transfer": ["gzip"]]).checkForeignURL() }
    }
}
