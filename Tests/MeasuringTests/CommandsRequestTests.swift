// SPDX-License-Identifier: Apache-2.0

import Measuring
import Runs
import Testing

/// Requests from the arguments of `fetchbench exec`, before anything runs.
@Suite struct CommandsRequestTests {
    private func request(
        _ commands: String..., parameters: [String] = [], change: (inout CommandsRequest) -> Void = { _ in }
    ) throws -> PlanRequest {
        var asked = CommandsRequest(commands: commands)
        change(&asked)
        return try .plain(asked) { $0[.parameters] = parameters }
    }

    private func mistake(
        _ commands: String..., parameters: [String] = [], change: (inout CommandsRequest) -> Void = { _ in }
    ) -> String {
        var asked = CommandsRequest(commands: commands)
        change(&asked)
        do {
            _ = try PlanRequest.plain(asked) { $0[.parameters] = parameters }
            return ""
        } catch {
            return (error as? FetchBenchError)?.kind == .usage ? "\(error)" : "another error: \(error)"
        }
    }

    @Test(arguments: [
        "sort big.txt", "python3 -c 'import os; print(1 | 2)'", #"grep "a b" file"#, #"echo \$HOME \* \;"#,
        "env A=1 sort x", "/usr/bin/sort -k2 x", "printf 'a|b'", "tool --flag=a,b:c@d%e^f+g", "echo a#b a~ b!",
        "echo a\u{A0}b", "echo '\u{301}a b'",
    ])
    func plainWordsNeedNoShell(command: String) throws {
        #expect(try ExternalCommand.Launch(command, .asNeeded).shell == nil)
    }

    @Test(arguments: [
        "a | b", "a > b", "a < b", "a; b", "a & b", "a && b", "(a)", "echo $HOME", #"echo "$HOME""#, "echo `date`",
        #"echo "`date`""#, "ls *.txt", "ls a?", "ls [ab]", "ls ~/x", "ls ~", "a # b", "! a", "LC_ALL=C sort x",
        "A=1", "echo {a,b}", "a\nb", "a \\\n b", "cd /tmp", "exit 3", "  ulimit -v 1", "if true",
    ])
    func shellSyntaxRunsInAShell(command: String) throws {
        let launch = try ExternalCommand.Launch(command, .asNeeded)
        #expect(launch.shell == "/bin/sh -c" && launch.words == ["/bin/sh", "-c", command])
    }

    @Test func theShellThatIsNamedGetsEverything() throws {
        let launch = try ExternalCommand.Launch("sort x", CommandShell(naming: "bash --norc"))
        #expect(launch.words == ["bash", "--norc", "-c", "sort x"] && launch.shell == "bash --norc -c")
        let words = try ExternalCommand.Launch(#"a | "b c" d\ e '$f'"#, .never)
        #expect(words.words == ["a", "|", "b c", "d e", "$f"] && words.shell == nil)
        #expect(throws: FetchBenchError.self) { try CommandShell(naming: "  ") }
        #expect(throws: FetchBenchError.self) { try ExternalCommand.Launch(" ", .asNeeded) }
        #expect(throws: FetchBenchError.self) {
            try ExternalCommand.Launch("a 'b", .asNeeded)
        }
    }

    /// `--prepare` and `--conclude` are started in the same way as the command.
    @Test func oneShellIsForACommandAndForWhatIsAroundIt() async throws {
        let plan = try await request("a 1", "b | c") { asked in
            asked.shell = .never
            asked.preparations = ["x > y"]
        }.synthetic().plan
        let first = try #require(plan.command(of: plan.cases[0]))
        #expect(try first.launch(with: []).words == ["a", "1"])
        #expect(try first.launch(of: first.preparation ?? "", with: []).words == ["x", ">", "y"])
        #expect(try plan.commands[1].launch(with: []).words == ["b", "|", "c"])
    }

    @Test func everyCommandIsMadeWithTheListsThatItHas() async throws {
        let plan = try await request("a {x} {y}", "b", "c {y}{y} {z}", parameters: ["x=1,2", "y=p,q,{x}"])
            .synthetic().plan
        #expect(
            plan.cases.map(\.title) == [
                "a 1 p", "a 1 q", "a 1 {x}", "a 2 p", "a 2 q", "a 2 {x}", "b", "c pp {z}", "c qq {z}", "c {x}{x} {z}",
            ], "the last list changes first, a command without any is made once, and no value is filled in again")
        #expect(plan.cases[4].parameters == [.init("x", "2"), .init("y", "q")] && plan.cases[6].parameters.isEmpty)
        let filled = plan.cases.compactMap { try? plan.command(of: $0)?.launch(with: $0.parameters).words }
        #expect(filled[4] == ["a", "2", "q"] && filled[6] == ["b"] && filled[8] == ["/bin/sh", "-c", "c qq {z}"])
    }

    @Test func aValueIsMadeOfWhatStandsBetweenCommas() throws {
        #expect(try CommandParameter(parsing: #"n=a\,b,c=d,\e\\"#).values == ["a,b", "c=d", #"\e\"#])
        #expect(try CommandParameter(parsing: "n-1_b= 1 ").values == [" 1 "])
    }

    @Test(arguments: [#"n=a\,b,c=d,\e\\"#, "n=1", "n=a b,'c',\"d\"", #"n=\\,\,"#])
    func aListThatIsWrittenIsReadAsTheSame(text: String) throws {
        let list = try CommandParameter(parsing: text)
        #expect(try CommandParameter(parsing: list.text) == list)
    }

    @Test func namesAreThoseGivenAndNoneIsTwice() async throws {
        let named = try await request("a {n}", "b", parameters: ["n=1,2"]) { $0.names = ["first", "second"] }
            .synthetic().plan
        #expect(named.cases.map(\.title) == ["first (n=1)", "first (n=2)", "second"])
        let own = try await request("a {n}", parameters: ["n=1,2"]) { $0.names = ["n is {n}"] }.synthetic().plan
        #expect(own.cases.map(\.title) == ["n is 1", "n is 2"])
        let numbered = try await request("a", "a", "a").synthetic().plan
        #expect(numbered.cases.map(\.title) == ["a", "a (2)", "a (3)"], "a command against itself")
    }

    /// Cases are compared and shown by their titles.
    @Test func namesWithParameterValuesAreUnique() throws {
        let request = try request("a {n}", "a 1", parameters: ["n=1"])
        #expect(throws: FetchBenchError.self) { try request.plainTitles(RedactedCommand(folders: [:])) }
    }

    /// A command of that name is a plain command all the same, or the name is refused.
    @Test func noNameMakesACommandTheNullCase() async throws {
        guard let named = try? request("true", change: { $0.names = [Case.nullMode] }) else { return }
        let plan = try await named.synthetic().plan
        #expect(!plan.fetches && plan.cases.allSatisfy { $0.isPlain && !$0.isNull })
    }

    @Test func preparationsAreGivenOnceOrForEachCommand() async throws {
        let plan = try await request("a {n}", "b", parameters: ["n=1,2"]) { asked in
            asked.preparations = ["rm {n}"]
            asked.cleanups = ["x", "y | z"]
        }.synthetic().plan
        let launches = try plan.cases.map { cell in
            let command = try #require(plan.command(of: cell))
            return try [command.preparation, command.cleanup].map {
                try command.launch(of: $0 ?? "", with: cell.parameters).words
            }
        }
        #expect(launches.map { $0[0] } == [["rm", "1"], ["rm", "2"], ["rm", "1"], ["rm", "2"]])
        #expect(plan.cases.map(\.title) == ["a 1", "a 2", "b (n=1)", "b (n=2)"], "what is prepared differs, too")
        #expect(launches.map { $0[1] } == [["x"], ["x"], ["/bin/sh", "-c", "y | z"], ["/bin/sh", "-c", "y | z"]])
        let none = try await request("a", "b").synthetic().plan
        #expect(none.commands.allSatisfy { $0.preparation == nil && $0.cleanup == nil })
    }

    @Test func theTitlesAreKnownBeforeAnythingIsPrepared() async throws {
        let request = try request("a {n}", "big", parameters: ["n=1,2"])
        let titles = try request.plainTitles(HarnessContext.fake("/tmp").redaction)
        #expect(try await titles == request.synthetic().plan.cases.map(\.title))
        #expect(
            performing: { try WordList.resolve("bgi", kind: "command", among: titles, name: { $0 }) },
            throws: { "\($0)".contains("'big'?") })
    }

    @Test func invalidValuesAreReportedWithTheirFlag() {
        #expect(mistake().contains("no command is given"))
        #expect(mistake(" ").contains("empty"))
        #expect(mistake("a 'b").contains("quote at position 3"))
        #expect(mistake("a", "b", change: { $0.names = ["x"] }).contains("--name is given 1 times"))
        #expect(mistake("a", "b", change: { $0.names = ["x", "x"] }).contains("'x' is given to two commands"))
        #expect(mistake("a", change: { $0.names = [" "] }).contains("invalid --name"))
        #expect(mistake("a", "b", "c", change: { $0.preparations = ["x", "y"] }).contains("expected 1 or 3"))
        #expect(mistake("a", change: { $0.preparations = ["x 'y"] }).hasPrefix("--prepare: the quote at position 3"))
        #expect(mistake("a", change: { $0.cleanups = [""] }).contains("--cleanup is empty"))
        #expect(mistake("a '\u{1B}[2J").contains("\\u{1b}"))
    }

    /// Whether a command can be started is known of what it becomes, not of what has braces in it.
    @Test func commandsWithParameterValuesAreChecked() {
        #expect(mistake("a {n} 'b", parameters: ["n=1"]).contains("the quote at position 5"))
        #expect(mistake("a {n}", parameters: ["n=1,it's"]).contains("the quote at position 5"))
    }

    @Test func aListThatMakesNoSenseIsToldWithItsFlag() {
        for (text, words) in [
            ("n=1,1", "'1' twice"), ("n=1,", "empty value"), ("n", "NAME=VALUE"), ("a b=1", "NAME=VALUE"),
            ("m=1", "no command without {url} uses {m}"), ("url=1", "{url} stands for the URL of an asset"),
        ] {
            let said = mistake("a {n}", parameters: [text])
            #expect(said.contains("--parameter-list") && said.contains(words), "\(said)")
        }
        #expect(mistake("a {n}", parameters: ["n=1", "n=2"]).contains("n is given twice"))
        let many = (0..<50).map(String.init).joined(separator: ",")
        #expect(mistake("a {n} {m}", parameters: ["n=\(many)", "m=\(many)"]).contains("more than 1000"))
        #expect(mistake("a {n} {m}", parameters: ["n=\(many)", "m=1,2,3,4"]).isEmpty)
    }

    @Test func aCommandWithTheURLIsSentToWhoFetches() {
        let said = mistake("curl -u me:hunter2 {url}")
        #expect(said.contains("fetchbench run --exec") && !said.contains("hunter2"), "\(said)")
    }

    /// A command without `{url}` has nothing to fill them in with, unless a list has the name.
    @Test(arguments: ["{file}", "{ca}"]) func placeholdersOfFetchesAreRefused(placeholder: String) {
        #expect(mistake("cat \(placeholder)").contains("\(placeholder) needs {url}"))
        #expect(
            mistake("a", change: { $0.preparations = ["rm \(placeholder)"] }).hasPrefix(
                "--prepare: \(placeholder) needs"))
        #expect(
            mistake("a", change: { $0.cleanups = ["rm \(placeholder)"] }).hasPrefix("--cleanup: \(placeholder) needs"))
        let name = placeholder.dropFirst().dropLast()
        #expect(mistake("cat \(placeholder)", parameters: ["\(name)=x,y"]).isEmpty)
    }
}

/// Credentials in plain commands: they are run as they are, and stored nowhere.
@Suite struct CommandSecretTests {
    private static let commands = [
        "curl -H 'Authorization: Bearer {t}' https://u:p@h/a", "/home/me/tool --password hunter2", "sort {n}",
    ]

    private func request(_ change: (inout CommandsRequest) -> Void = { _ in }) throws -> PlanRequest {
        var asked = CommandsRequest(commands: Self.commands)
        change(&asked)
        return try .plain(asked) { $0[.parameters] = ["t=s3cret,an0ther", "n=7,8"] }
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
            $0[.parameters] = ["u=https://u:p4ss@h/a,https://h/b"]
        }.synthetic().plan
        #expect(inURL.cases.map(\.title) == ["fetch REDACTED-1", "fetch REDACTED-2"])
        #expect(inURL.commands.map(\.isRedacted) == [nil])
        let inAFolder = try await PlanRequest.plain(CommandsRequest(commands: ["sort {f}"])) {
            $0[.parameters] = ["f=/home/me/x,/tmp/y"]
        }.synthetic().plan
        #expect(!inAFolder.cases.contains { $0.identifier.contains("/home/me") })
    }

    /// A name is not part of a command, and is shown in full.
    @Test func aSecretValueInANameAloneIsStoredNowhere() async throws {
        var asked = CommandsRequest(commands: ["true"])
        asked.names = ["of {u}"]
        let request = try PlanRequest.plain(asked) { $0[.parameters] = ["u=https://me:p4ss@h/a,https://h/b"] }
        #expect(try await !kept(request).contains("p4ss"))
    }

    @Test func commandsRunAsGiven() throws {
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
