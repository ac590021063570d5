// SPDX-License-Identifier: Apache-2.0

import Judging
import Measuring
import Runs
import Testing

/// What the flags of `fetchbench exec` come to, before anything runs.
@Suite struct ExecPlanTests {
    private static let redaction = RedactedCommand(folders: ["/home/me": "~"])

    private func plan(_ commands: String..., change: (inout ExecRequest) -> Void = { _ in }) throws -> ExecPlan {
        var request = ExecRequest(commands: commands)
        change(&request)
        return try request.plan(redaction: Self.redaction)
    }

    private func mistake(_ commands: String..., change: (inout ExecRequest) -> Void = { _ in }) -> String {
        var request = ExecRequest(commands: commands)
        change(&request)
        do throws(PlanMistake) {
            _ = try request.plan(redaction: Self.redaction)
            return ""
        } catch {
            return error.description
        }
    }

    @Test(arguments: [
        "sort big.txt", "python3 -c 'import os; print(1 | 2)'", #"grep "a b" file"#, #"echo \$HOME \* \;"#,
        "env A=1 sort x", "/usr/bin/sort -k2 x", "printf 'a|b'", "tool --flag=a,b:c@d%e^f+g", "echo a#b a~ b!",
    ])
    func plainWordsNeedNoShell(command: String) throws {
        #expect(try ExecLaunch(command, .asNeeded).shell == nil)
    }

    @Test(arguments: [
        "a | b", "a > b", "a < b", "a; b", "a & b", "a && b", "(a)", "echo $HOME", #"echo "$HOME""#, "echo `date`",
        #"echo "`date`""#, "ls *.txt", "ls a?", "ls [ab]", "ls ~/x", "ls ~", "a # b", "! a", "LC_ALL=C sort x",
        "A=1", "echo {a,b}", "a\nb", "a \\\n b", "cd /tmp", "exit 3", "  ulimit -v 1", "if true", "echo a\u{A0}b",
    ])
    func whatOnlyAShellUnderstandsGetsOne(command: String) throws {
        let launch = try ExecLaunch(command, .asNeeded)
        #expect(launch.shell == "/bin/sh -c" && launch.words == ["/bin/sh", "-c", command])
    }

    @Test func theShellThatIsNamedGetsEverything() throws {
        let launch = try ExecLaunch("sort x", ExecShell(naming: "bash --norc"))
        #expect(launch.words == ["bash", "--norc", "-c", "sort x"] && launch.shell == "bash --norc -c")
        let words = try ExecLaunch(#"a | "b c" d\ e '$f'"#, .never)
        #expect(words.words == ["a", "|", "b c", "d e", "$f"] && words.shell == nil)
        #expect(throws: PlanMistake.self) { try ExecShell(naming: "  ") }
        #expect(throws: CommandMistake.noCommand) { try ExecLaunch(" ", .asNeeded) }
        #expect(throws: CommandMistake.openQuote(position: 3)) { try ExecLaunch("a 'b", .asNeeded) }
    }

    @Test func everyCommandIsMadeWithTheListsThatItHas() throws {
        let plan = try plan("a {x} {y}", "b", "c {y}{y} {z}") { request in
            request.parameters = ["x=1,2", "y=p,q,{x}"]
        }
        #expect(
            plan.cases.map(\.name) == [
                "a 1 p", "a 1 q", "a 1 {x}", "a 2 p", "a 2 q", "a 2 {x}", "b", "c pp {z}", "c qq {z}", "c {x}{x} {z}",
            ], "the last list changes first, a command without any is made once, and no value is filled in again")
        #expect(plan.cases[4].parameters == [.init("x", "2"), .init("y", "q")] && plan.cases[6].parameters.isEmpty)
        #expect(plan.reference == "a 1 p")
    }

    @Test func aValueIsMadeOfWhatStandsBetweenCommas() throws {
        #expect(try ExecParameter(parsing: #"n=a\,b,c=d,\e\\"#).values == ["a,b", "c=d", #"\e\"#])
        #expect(try ExecParameter(parsing: "n-1_b= 1 ").values == [" 1 "])
    }

    @Test func namesAreThoseGivenAndNoneIsTwice() throws {
        let named = try plan("a {n}", "b") { request in
            request.parameters = ["n=1,2"]
            request.names = ["first", "second"]
        }
        #expect(named.cases.map(\.name) == ["first (n=1)", "first (n=2)", "second"])
        let own = try plan("a {n}") { request in
            request.parameters = ["n=1,2"]
            request.names = ["n is {n}"]
        }
        #expect(own.cases.map(\.name) == ["n is 1", "n is 2"])
        #expect(try plan("a", "a", "a").cases.map(\.name) == ["a", "a (2)", "a (3)"], "a command against itself")
        let other = try plan("a", "b") { $0.reference = "b" }
        #expect(other.reference == "b")
    }

    @Test func whatGoesBeforeAndAfterIsOneForAllOrOneForEach() throws {
        let all = try plan("a {n}", "b") { request in
            request.parameters = ["n=1,2"]
            request.preparations = ["rm {n}"]
            request.cleanups = ["x", "y | z"]
        }
        #expect(all.cases.map { $0.preparation?.stored } == ["rm 1", "rm 2", "rm 1", "rm 2"])
        #expect(all.cases.map(\.name) == ["a 1", "a 2", "b (n=1)", "b (n=2)"], "what is prepared differs, too")
        #expect(
            all.cases.map { $0.cleanup?.launch.words } == [
                ["x"], ["x"], ["/bin/sh", "-c", "y | z"], ["/bin/sh", "-c", "y | z"],
            ])
    }

    @Test func credentialsAreInNothingThatIsStored() throws {
        let plan = try plan("curl -H 'Authorization: Bearer {t}' https://u:p@h/a", "/home/me/tool --password hunter2") {
            $0.parameters = ["t=s3cret,other"]
        }
        let stored = plan.cases.flatMap { [$0.name, $0.step.stored] + $0.parameters.map(\.value) }.joined(
            separator: "\n")
        for secret in ["s3cret", "other", "u:p", "hunter2", "/home/me"] {
            #expect(!stored.contains(secret), "\(stored)")
        }
        #expect(plan.cases[0].name != plan.cases[1].name && plan.cases[2].name.hasPrefix("~/tool"))
        #expect(plan.cases[0].step.launch.words.contains("Authorization: Bearer s3cret"))
        #expect(plan.cases[2].step.launch.words == ["/home/me/tool", "--password", "hunter2"], "it is run as it is")
    }

    @Test func whatMakesNoSenseIsToldWithItsFlag() {
        #expect(mistake().contains("no command is named"))
        #expect(mistake(" ").contains("empty"))
        #expect(mistake("a 'b").contains("quote at position 3"))
        #expect(mistake("a", "b", change: { $0.names = ["x"] }).contains("--name is given 1 times"))
        #expect(mistake("a", "b", change: { $0.names = ["x", "x"] }).contains("'x' is taken"))
        #expect(mistake("a", change: { $0.names = [" "] }).contains("is no name"))
        #expect(mistake("a", "b", "c", change: { $0.preparations = ["x", "y"] }).contains("1 or 3 times"))
        #expect(mistake("a", change: { $0.cleanups = [""] }).contains("--cleanup is empty"))
        #expect(mistake("a", "big", change: { $0.reference = "bgi" }).contains("'big'?"))
        #expect(mistake("a", change: { $0.parameters = ["n=1"] }).contains("no command has {n}"))
        #expect(mistake("a {n}", change: { $0.parameters = ["n=1", "n=2"] }).contains("given twice"))
        #expect(mistake("a {n}", change: { $0.parameters = ["n=1,1"] }).contains("'1' twice"))
        #expect(mistake("a {n}", change: { $0.parameters = ["n=1,"] }).contains("empty value"))
        #expect(mistake("a {n}", change: { $0.parameters = ["n"] }).contains("NAME=VALUE"))
        #expect(mistake("a {n}", change: { $0.parameters = ["a b=1"] }).contains("NAME=VALUE"))
        let many = (0..<50).map(String.init).joined(separator: ",")
        #expect(
            mistake("a {n} {m}", change: { $0.parameters = ["n=\(many)", "m=\(many)"] }).contains("more than 1000"))
        #expect(mistake("a '\u{1B}[2J").contains("\\u{1b}"))
    }
}
