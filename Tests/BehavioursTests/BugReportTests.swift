// SPDX-License-Identifier: Apache-2.0

import Behaviours
import Foundation
import MemProbe
import OperatingSystem
import Origin
import ProbeProtocol
import Runs
import Testing

/// A bug report is made of what was observed, and of nothing else.
@Suite struct BugReports {
    private static func report(
        _ name: String, _ evidence: Evidence, _ run: ProgramRun, workaround: BehaviourReport.Row? = nil
    ) throws -> BugReport {
        let behaviour = try #require(BehaviourCatalog.all.first { $0.name == name })
        let environment = EnvironmentProbe.environment(
            temporaryDirectory: "/tmp", commit: nil, hasUncommittedChanges: nil, label: nil)
        return BugReport(
            row: BehaviourReport.Row(behaviour, [evidence]), evidence: evidence,
            program: try #require(MinimalProgram(for: behaviour)), run: run, tool: "fetchbench",
            toolchain: BehaviourReport.Toolchain(
                environment, libcurl: "libcurl/7.88.1", platform: "Ubuntu 22.04", compiler: "Swift version 6.3.1"),
            system: "Debian 12", workaround: workaround)
    }

    private static func request(_ path: String) -> RequestRecord {
        RequestRecord(
            number: 1, connection: 1, method: "GET", path: path, headers: [:], status: 200, beganNanoseconds: 0,
            endedNanoseconds: 1_500_000_000, bytesSent: ByteCount(3), ending: .complete)
    }

    @Test func everythingThatWasObservedIsInTheReport() throws {
        let evidence = Evidence(
            requests: [Self.request("/faults/tight-header")], marks: [Reading("after", residentBytes: 5 << 20)],
            facts: [Fact("error", "-1")])
        let run = ProgramRun(
            output: ["expected: 3 bytes; got: error -1"], ending: .exited(1),
            requests: [Self.request("/faults/tight-header")], duration: 1_200_000_000)
        let other = try #require(BehaviourCatalog.all.first { $0.name == "tight-header-ahc" })
        let workaround = BehaviourReport.Row(other, Observation(.holds, "1 request"))
        let text = try Self.report("tight-header", evidence, run, workaround: workaround).markdown
        for part in [
            "# URLSession data task: broken: A response header", "- Toolchain: Swift version 6.3.1\n",
            "- URLSession built on: Ubuntu 22.04\n", "- libcurl, as loaded: libcurl/7.88.1\n", "- System: Debian 12\n",
            "Documented by: [RFC 9112, 5](https://",
            "| `GET /faults/tight-header` |  | 200 | 3 | complete | 1.5 s | 1 |",
            "| `after` | 5.0 MiB |", "```swift\nimport Foundation\nimport FoundationNetworking\n",
            "It exited with status 1 after 1.2 s and printed:\n\n```\nexpected: 3 bytes; got: error -1\n```",
            "HTTPMessage.swift:406", "Fixed in: 6.4.", "fetchbench serve --port 8080",
            "Tried just now by `fetchbench behaviours --only tight-header-ahc`: **holds**",
        ] {
            #expect(text.contains(part), "\(part) is not in\n\(text)")
        }
    }

    @Test func aMissingAPIIsReportedWithTheCompilersWords() throws {
        let complaint = "value of type 'URLSession' has no member 'bytes'"
        let evidence = Evidence(ending: .exited(1), complaint: complaint)
        let text = try Self.report(
            "exists-bytes-async", evidence, ProgramRun(ending: .exited(1), complaint: complaint)
        ).markdown
        #expect(text.contains("`swiftc -typecheck exists-bytes-async.swift`, just now:\n\n```\n\(complaint)\n```"))
        #expect(text.contains("session.bytes(from: url)") && !text.contains("fetchbench serve"))
    }

    @Test(arguments: [
        (ProgramRun(output: ["expected: 1; got: 2"], ending: .exited(1)), true),
        (ProgramRun(ending: .signalled(4)), true), (ProgramRun(ending: .killedAtLimit), true),
        (ProgramRun(output: ["expected: 1; got: 1"], ending: .exited(0)), false),
        (ProgramRun(ending: .exited(1)), false), (ProgramRun(ending: .exited(2)), false),
        (ProgramRun(ending: .notStarted("it does not compile")), false),
    ])
    func onlyAProgramThatFoundTheFaultShowsIt(run: ProgramRun, shows: Bool) {
        #expect(run.showsFault == shows)
    }

    @Test func theSystemsNameIsThatOfItsReleaseFile() {
        #expect(SystemName.parsed("ID=debian\nPRETTY_NAME=\"Debian GNU/Linux 12\"\n") == "Debian GNU/Linux 12")
        #expect(SystemName.parsed("ID=debian\n") == nil)
    }
}
