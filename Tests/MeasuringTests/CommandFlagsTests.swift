// SPDX-License-Identifier: Apache-2.0

import Judging
import Measuring
import MemProbe
import Runs
import Testing
import TrialKit

/// The command lines that measure plain commands again.
@Suite struct CommandFlagsTests {
    private static let open = RedactedCommand(folders: [:])
    /// What only a fetch can be told, and a plain command is refused with.
    private static let ofFetches = [
        "--asset", "--render", "--rate", "--verify", "--latency", "--view", "--max-connections", "--url", "--mode",
    ]

    private func request(_ change: (inout PlanWords) -> Void = { _ in }) throws -> PlanRequest {
        var words = PlanWords()
        words.commands = ["sort=sort --parallel={threads} 'a b'"]
        words.parameters = ["threads=1,2"]
        change(&words)
        return try PlanRequest(words, .fake)
    }

    private func reproduced(_ cell: String, of request: PlanRequest, _ plan: Plan) throws -> String {
        let finding = Finding(
            cell: cell, metric: "net_peak_growth_bytes", unit: .bytes, part: .command, verdict: .regressed)
        let findings = Reproduction.run(
            plan, commands: request.inputs(in: .fake("/tmp")).commands, redaction: Self.open
        )
        .added(to: [finding])
        return try #require(findings[0].reproduce)
    }

    @Test func theFlagsOfPlainCommandsAskForNothingElse() async throws {
        let request = try request()
        let line = PlanFlags(request, redaction: Self.open).command()
        #expect(
            line
                == #"fetchbench run --exec 'sort=sort --parallel={threads} '\''a b'\''' --parameter-list 'threads=1,2' "#
                + "--allocator glibc --trials 10 --seed 1 --timeout 60")
        let again = try PlanRequest(RepeatedWords(line).asked(), .fake)
        #expect(try await again.synthetic().plan == request.synthetic().plan)
    }

    @Test func theFlagsOfBothAskForBoth() async throws {
        let request = try request {
            $0.modes = ["data"]
            $0.assets = ["64KiB"]
            $0.settings["trials"] = "4"
            $0.settings["latency"] = "80ms"
            $0.settings["max-connections"] = "3"
        }
        let words = try RepeatedWords(PlanFlags(request, redaction: Self.open).command())
        let again = try PlanRequest(words.asked(), .fake)
        #expect(try await again.synthetic().plan == request.synthetic().plan)
    }

    @Test func oneCaseIsMeasuredByItself() async throws {
        let request = try request()
        let plan = try await request.synthetic().plan
        let line = try reproduced("sort/glibc/threads=2", of: request, plan)
        let words = try RepeatedWords(line)
        #expect(words.flags["--parameter-list"] == ["threads=2"] && words.flags["--trials"] == ["30"])
        #expect(Self.ofFetches.allSatisfy { words.flags[$0] == nil }, "\(line)")
        let again = try await PlanRequest(words.asked(), .fake).synthetic().plan
        #expect(again.cases.map(\.identifier) == ["sort/glibc/threads=2"] && again.commands == plan.commands)
    }

    /// Of a plan of both nothing comes along that only its fetches were told.
    @Test func oneCaseOfAPlanOfBothIsMeasuredByItself() async throws {
        let request = try request {
            $0.modes = ["data"]
            $0.assets = ["64KiB"]
            $0.settings["latency"] = "80ms"
            $0.settings["view"] = "100x100"
            $0.settings["max-connections"] = "3"
        }
        let plan = try await request.synthetic().plan
        let line = try reproduced("sort/glibc/threads=1", of: request, plan)
        let words = try RepeatedWords(line)
        #expect(Self.ofFetches.allSatisfy { words.flags[$0] == nil }, "\(line)")
        #expect(throws: Never.self) { try PlanRequest(words.asked(), .fake) }
        let fetched = try RepeatedWords(reproduced("64KiB/data/none/glibc", of: request, plan))
        #expect(fetched.flags["--exec"] == nil && fetched.flags["--parameter-list"] == nil)
        #expect(fetched.flags["--latency"] == ["80ms"] && fetched.flags["--asset"] == ["64KiB"])
    }

    @Test func execIsAskedForTheSameAgain() async throws {
        var asked = CommandsRequest(commands: ["sort {n} 'a b'", "LC_ALL=C sort x | wc", "it's \"quoted\" $HOME"])
        asked.shell = .always(["bash", "--norc"])
        asked.preparations = ["rm -f {n}", "true", "echo 'x y'"]
        asked.cleanups = ["sync"]
        let request = try PlanRequest.plain(asked) { words in
            words.parameters = [#"n=1,a\,b"#]
            words.allocators = ["glibc", "jemalloc"]
            words.settings["trials"] = "7"
            words.settings["seed"] = "9"
            words.settings["timeout"] = "30.5"
            words.settings["memory-limit"] = "4GiB"
            words.commandSettings.warmup = 2
            words.commandSettings.input = "/tmp/an input"
            words.commandSettings.limit = .mebibytes(200)
            words.commandSettings.reference = "LC_ALL=C sort x | wc"
            words.commandSettings.ignoresFailure = true
        }
        let line = PlanFlags(request, redaction: Self.open).execCommand()
        #expect(line.hasPrefix("fetchbench exec "))
        let words = try RepeatedWords(line)
        #expect(Self.ofFetches.allSatisfy { words.flags[$0] == nil } && words.flags["--name"] == nil, "\(line)")
        #expect(words.flags["--cleanup"] == ["sync"], "one for all is said once")
        #expect(try await words.plain().synthetic().plan == request.synthetic().plan)
    }

    @Test func execIsAskedForTheSameNamesAgain() async throws {
        for names in [[], ["first", "it's the second", "3"]] {
            var asked = CommandsRequest(commands: ["sort x", "sort x", "cut x"])
            asked.names = names
            asked.shell = .never
            let request = try PlanRequest.plain(asked)
            let line = PlanFlags(request, redaction: Self.open).execCommand()
            let words = try RepeatedWords(line)
            #expect(words.flags["--no-shell"] != nil && words.flags["--name"]?.count == 3, "\(line)")
            #expect(try await words.plain().synthetic().plan == request.synthetic().plan)
        }
    }

    @Test func execSaysNothingOfWhatIsUsual() throws {
        let request = try PlanRequest.plain(CommandsRequest(commands: ["sort x"]))
        let line = PlanFlags(request, redaction: Self.open).execCommand()
        #expect(line == "fetchbench exec 'sort x' --trials 10 --seed 1 --timeout 60")
    }

    @Test func noSecretIsPrinted() throws {
        var asked = CommandsRequest(commands: ["tool --password hunter2 {t}", "curl -u me:{t} x"])
        asked.preparations = ["login --token t0ken"]
        let request = try PlanRequest.plain(asked) { $0.parameters = ["t=s3cret,an0ther"] }
        for line in [
            PlanFlags(request, redaction: Self.open).execCommand(), PlanFlags(request, redaction: Self.open).command(),
        ] {
            for secret in ["hunter2", "t0ken", "s3cret", "an0ther"] { #expect(!line.contains(secret), "\(line)") }
            #expect(line.contains("REDACTED"))
        }
    }
}
