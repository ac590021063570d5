// SPDX-License-Identifier: Apache-2.0

import Measuring
import Runs
import Testing

/// Credentials in plain commands: they are run as they are, and stored nowhere.
@Suite struct CommandSecretTests {
    private static let commands = [
        "curl -H 'Authorization: Bearer {t}' https://u:p@h/a", "/home/me/tool --password hunter2", "sort {n}",
    ]

    private func request(_ change: (inout CommandsRequest) -> Void = { _ in }) throws -> PlanRequest {
        var asked = CommandsRequest(commands: Self.commands)
        change(&asked)
        return try .plain(asked) { $0.parameters = ["t=s3cret,an0ther", "n=7,8"] }
    }

    /// Everything that is kept and printed of a run: its record, its tables, and the command that measures it again.
    private func kept(_ request: PlanRequest) async throws -> String {
        let plan = try await request.synthetic().plan
        var run = SyntheticRun.record(plan)
        run.reproduce = PlanFlags(request, redaction: RedactedCommand(folders: ["/home/me": "~"])).execCommand()
        return ([try RunStore.text(of: run)] + plan.cases.flatMap { [$0.title, $0.identifier] })
            .joined(separator: "\n")
    }

    @Test func credentialsAreInNothingThatIsStored() async throws {
        let kept = try await kept(
            request {
                $0.preparations = ["login --token t0ken"]
                $0.cleanups = ["PASSWORD=pa55 logout"]
            })
        for secret in ["s3cret", "an0ther", "u:p@", "hunter2", "/home/me", "t0ken", "pa55"] {
            #expect(!kept.contains(secret), "\(secret) in \(kept)")
        }
        let request = try request()
        let plan = try await request.synthetic().plan
        #expect(plan.cases[0].title != plan.cases[1].title && plan.cases[2].title.hasPrefix("~/tool"))
        #expect(plan.commands.map(\.isRedacted) == [true, true, nil])
    }

    /// The number of a value stands for it, so that cases differ and another run finds them again.
    @Test func aSecretValueHasANumberInItsPlace() async throws {
        let plan = try await request().synthetic().plan
        #expect(
            plan.cases.map(\.conditionsText) == ["t=REDACTED-1", "t=REDACTED-2", "", "n=7", "n=8"],
            "what is no secret stays as it is")
        let inURL = try await PlanRequest.plain(CommandsRequest(commands: ["fetch {u}"])) {
            $0.parameters = ["u=https://u:p4ss@h/a,https://h/b"]
        }.synthetic().plan
        #expect(inURL.cases.map(\.title) == ["fetch REDACTED-1", "fetch REDACTED-2"])
        #expect(inURL.commands.map(\.isRedacted) == [nil])
        let inAFolder = try await PlanRequest.plain(CommandsRequest(commands: ["sort {f}"])) {
            $0.parameters = ["f=/home/me/x,/tmp/y"]
        }.synthetic().plan
        #expect(!inAFolder.cases.contains { $0.identifier.contains("/home/me") })
    }

    /// What stands in a name alone is no part of a command, and shown all the more.
    @Test func aSecretValueInANameAloneIsStoredNowhere() async throws {
        var asked = CommandsRequest(commands: ["true"])
        asked.names = ["of {u}"]
        let request = try PlanRequest.plain(asked) { $0.parameters = ["u=https://me:p4ss@h/a,https://h/b"] }
        #expect(try await !kept(request).contains("p4ss"))
    }

    @Test func whatIsRunIsWhatWasGiven() throws {
        let inputs = try request().inputs(in: .fake("/tmp"))
        let commands = inputs.commands.values.map(\.command)
        #expect(Set(commands) == Set(Self.commands))
        #expect(inputs.parameters.map(\.values) == [["s3cret", "an0ther"], ["7", "8"]])
        let curl = try #require(inputs.commands.values.first { $0.command.hasPrefix("curl") })
        #expect(try curl.launch(with: [.init("t", "s3cret")]).words.contains("Authorization: Bearer s3cret"))
        let tool = try #require(inputs.commands.values.first { $0.command.contains("tool") })
        #expect(try tool.launch(with: []).words == ["/home/me/tool", "--password", "hunter2"])
    }

    /// The names of two commands that differ in their secrets alone would be one.
    @Test func namesThatASecretToldApartAreNumbered() async throws {
        let asked = CommandsRequest(commands: ["tool --password hunter2", "tool --password hunter3"])
        let plan = try await PlanRequest.plain(asked).synthetic().plan
        #expect(plan.cases.map(\.title) == ["tool --password REDACTED", "tool --password REDACTED (2)"])
        #expect(try PlanRequest.plain(asked).inputs(in: .fake("/tmp")).commands.count == 2)
    }
}
