// SPDX-License-Identifier: Apache-2.0

import Measuring
import Runs
import Testing
import TrialKit

/// `--mode closest`, which measures each loader in the mode closest to it.
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
        words.modes = modes
        words.renders = ["none"]
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
    func whatHasNoClosestModeIsRefused(modes: [String], scenario: String, loader: String) {
        #expect(throws: PlanMistake.self) { try Self.request(modes: modes, scenario: scenario, loader: loader) }
    }
}
