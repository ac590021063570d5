// SPDX-License-Identifier: Apache-2.0

import Foundation
import Judging
import Measuring
import Runs
import Testing

struct RequestPlanTests {
    private func words(_ change: (inout PlanWords) -> Void = { _ in }) -> PlanWords {
        var words = PlanWords()
        words.url = "https://host/asset"
        words[.modes] = ["data,stream"]
        words[.renders] = ["none"]
        words.request.headers = ["Authorization: Bearer SECRETVALUE"]
        change(&words)
        return words
    }

    /// Programs of which the mode `stream` alone can send details.
    private func programs(speaking version: Int) -> TrialPrograms {
        var description = ProgramDescription(
            modes: [
                FakeMode(name: "none", yieldsBody: false), FakeMode(name: "data"),
                FakeMode(name: "stream", abilities: [.requestDetails]),
            ], renderModels: FakeModel.all, allocator: AllocatorIdentity(name: "glibc"))
        description.protocols = 1...version
        return TrialPrograms(
            executables: [TrialExecutable(path: "/nowhere/trial-one", description: description)], missing: [])
    }

    @Test func aModeThatCannotSendThemIsNotApplicable() async throws {
        let plain = try await PlanRequest(
            words { $0.request.headers = [] }, programs(speaking: 6)
        ).synthetic().plan
        #expect(plain.inapplicable.isEmpty && plain.settings.request == nil)
        let commands = words {
            $0[.modes] = ["none,data,stream"]
            $0[.exec] = ["get=curl {url}"]
        }
        let plan = try await PlanRequest(commands, programs(speaking: 6)).synthetic().plan
        #expect(plan.cases.map(\.mode) == ["none", "stream"])
        #expect(plan.inapplicable.map(\.cell.mode) == ["data", "get"])
        #expect(plan.inapplicable[0].reason.contains("accepts only a URL"))
        #expect(plan.inapplicable[1].reason.contains("put headers into the command"))
    }

    @Test func anOlderProgramIsNotAskedForThem() async throws {
        try await withTemporaryFolder { folder in
            let request = try PlanRequest(words { $0[.modes] = ["stream"] }, programs(speaking: 5))
            do {
                _ = try await request.begun(in: folder)
                Issue.record("a program that does not know them was asked")
            } catch {
                let said = "\(error)"
                #expect(said.contains("version 5") && said.contains("needs 6"), "\(said)")
            }
            let plain = try PlanRequest(
                words {
                    $0[.modes] = ["stream"]
                    $0.request.headers = []
                }, programs(speaking: 5))
            _ = try await plain.begun(in: folder)
        }
    }

    @Test func theSameNamesAndTheSameBodyGoOn() async throws {
        try await withTemporaryFolder { folder in
            let body = folder + "/body"
            try Data("abc".utf8).write(to: URL(fileURLWithPath: body))
            let words = self.words {
                $0[.modes] = ["stream"]
                $0.request.method = "PUT"
                $0.request.body = body
            }
            let request = try PlanRequest(words, programs(speaking: 6))
            let measurement = try await request.begun(in: folder)
            let text = try RunStore.text(of: measurement.record)
            #expect(!text.contains("SECRETVALUE") && !text.contains(body) && text.contains("Authorization"))
            #expect(
                measurement.record.reproduce.contains("--header 'Authorization: …' --body '…' --request-method PUT"))
            let inputs = request.inputs(in: .fake(folder))
            #expect(inputs.flagsToRepeat(of: measurement.record) == ["--header 'Authorization: …'", "--body '…'"])
            func resumed(_ headers: [String], _ body: String?) throws -> TrialInputs {
                var again = RequestWords()
                again.headers = headers
                again.body = body
                return try TrialInputs(
                    resuming: measurement.record, url: nil, request: again, commands: [],
                    programs: programs(speaking: 6),
                    named: [], in: .fake(folder))
            }
            let other = folder + "/other"
            try Data("abd".utf8).write(to: URL(fileURLWithPath: other))
            for (headers, body) in [
                ([], nil), ([], body), (["Authorization: again"], nil), (["X-Other: x"], body),
                (["Authorization: again", "X-More: x"], body), (["Authorization: again"], other),
            ] as [([String], String?)] {
                #expect(throws: FetchBenchError.self) { _ = try resumed(headers, body) }
            }
            // Another value is no other request: tokens are renewed.
            let details = try resumed(["Authorization: again"], body).details
            #expect(details?.method == "PUT" && details?.fields.first?.value == "again")
        }
    }

    private func settings(suite: String? = nil, _ change: (inout PlanWords) -> Void) throws -> TrialSettings {
        var words = PlanWords()
        words.suite = try suite.map { try SuiteFile(parsing: $0, fileName: "suite") }
        change(&words)
        return try PlanRequest(words, .fake).values.settings
    }

    @Test func aProfileSaysWhatFiguresDoNot() throws {
        #expect(try settings { _ in }.latencyNanoseconds == nil)
        let lte = try settings { $0.settings["profile"] = "lte" }
        #expect(lte.rate == TransferRate(parsing: "shared:1500000")?.text && lte.latencyNanoseconds == 70_000_000)
        let slower = try settings {
            $0.settings["profile"] = "3g"
            $0.settings["latency"] = "1s"
        }
        #expect(
            slower.rate == TransferRate(parsing: "shared:200000")?.text && slower.latencyNanoseconds == 1_000_000_000)
        let suite = "profile: 3g\nrate: 1MiB\n"
        let ofSuite = try settings(suite: suite) { _ in }
        #expect(ofSuite.rate == "1MiB" && ofSuite.latencyNanoseconds == 300_000_000)
        let flag = try settings(suite: suite) { $0.settings["profile"] = "wifi" }
        #expect(flag.rate == TransferRate(parsing: "shared:3750000")?.text && flag.latencyNanoseconds == 40_000_000)
        #expect(try settings(suite: "latency: 80ms") { $0.settings["latency"] = "0" }.latencyNanoseconds == nil)
    }

    @Test(arguments: ["80", "-1ms", "11s", "fast", ""]) func invalidLatenciesAreRefused(text: String) {
        #expect(throws: FetchBenchError.self) { try settings { $0.settings["latency"] = text } }
        #expect(throws: FetchBenchError.self) { try settings { $0.settings["profile"] = text } }
        #expect(throws: FetchBenchError.self) {
            try settings {
                $0.url = "http://host/"
                $0.settings["profile"] = "lte"
            }
        }
    }

    @Test func unreachableRequestsAreWarnedAbout() async throws {
        var words = PlanWords()
        words.settings["profile"] = "3g"
        words[.assets] = ["64MiB,1MiB"]
        let warnings = try await PlanRequest(words, .fake).synthetic().warnings
        // 67,108,864 ÷ 200,000 + 0.3.
        #expect(warnings.contains { $0.hasPrefix("asset 64MiB takes 336 s at ") && $0.contains("after 60 s") })
        #expect(!warnings.contains { $0.hasPrefix("asset 1MiB takes") })
    }

    @Test func runsOfAnotherCommandOrUnderAnotherLatencyAreNotCompared() async throws {
        var words = PlanWords()
        words[.exec] = ["get=curl {url}"]
        let plan = try await PlanRequest(words, .fake).synthetic().plan
        words[.exec] = ["get=curl -s {url}"]
        let others = try await PlanRequest(words, .fake).synthetic().plan
        let differences = plan.cases.flatMap { EnvironmentMatch.differences(of: $0, plan, others) }
        #expect(differences == ["command get: another text"] && EnvironmentMatch.differences(plan, others).isEmpty)
        words.settings["latency"] = "80ms"
        let later = try await PlanRequest(words, .fake).synthetic().plan
        #expect(EnvironmentMatch.differences(others, later) == ["latency of the origin: 0 and 80ms"])
    }
}
