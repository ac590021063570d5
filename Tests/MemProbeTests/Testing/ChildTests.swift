// SPDX-License-Identifier: Apache-2.0

import Foundation
import MemProbe
import MemProbeTesting
import Testing

/// Processes that are started for a test.
struct ChildTests {
    private func child(_ script: String, limit: Int = 60) -> ChildProcess {
        ChildProcess(
            executable: "/bin/sh", arguments: ["sh", "-c", script], environment: ["PATH": "/usr/bin:/bin"], limit: limit
        )
    }

    @Test func howItEndedIsKnown() async {
        #expect(await child("exit 0").run().ending == .exited(0))
        #expect(await child("exit 3").run().ending == .exited(3))
        #expect(await child("kill -SEGV $$").run().ending == .killed(signal: SIGSEGV))
        #expect(ChildEnding.exited(1).fault == nil, "a run of tests with issues")
        #expect(ChildEnding.killed(signal: SIGSEGV).fault?.contains("Segmentation fault") == true)
    }

    @Test func oneThatHangsIsKilledWithWhatItStarted() async throws {
        let (ending, text) = await child("setsid sleep 600 & echo $!; wait", limit: 1).run()
        guard case .timedOut(seconds: 1, let held) = ending else {
            Issue.record("it was not ended by its time: \(ending)")
            return
        }
        // What a shell holds that waits.
        let memory = try #require(held)
        #expect(memory.resident > .kibibytes(200) && memory.peak >= memory.resident)
        let sleeper = try #require(Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)))
        var isThere = true
        for _ in 0..<1000 where isThere {
            // A killed process may be a zombie for a while: it has no memory.
            isThere = (try? ProcessProbe(.pid(sleeper)).target) != nil && !Self.isZombie(sleeper)
            usleep(10_000)
        }
        #expect(!isThere)
    }

    private static func isZombie(_ process: Int32) -> Bool {
        let stat = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
        return stat.contains(") Z ")
    }

    @Test func aCancelledTestTakesItsChildAlong() async {
        let task = Task { await child("sleep 600").run().ending }
        task.cancel()
        #expect(await task.value == .cancelled)
    }

    @Test func oneThatCannotBeStartedSaysWhy() async {
        var process = child("")
        process.executable = "/nowhere/tests"
        guard case .notStarted(let reason) = await process.run().ending else {
            Issue.record("it was started")
            return
        }
        #expect(reason.contains("/nowhere/tests") && reason.contains("No such file"))
    }

    /// A test that prints without end fills neither the disk nor this process.
    @Test func ofWhatItPrintsTheEndIsKept() async {
        let (ending, text) = await child("head -c 20000000 /dev/zero; echo; echo out; echo err >&2").run()
        #expect(ending == .exited(0) && text.utf8.count <= ChildProcess.kept && text.hasSuffix("out\nerr\n"))
    }

    @Test func aRoleIsOfTheParentsOwnChildAlone() {
        guard case .parent = ChildRole(variable: nil, parent: 7) else { return #expect(Bool(false), "no variable") }
        guard case .parent = ChildRole(variable: "6:/tmp", parent: 7) else { return #expect(Bool(false), "inherited") }
        guard case .lost = ChildRole(variable: "7:/nowhere", parent: 7) else {
            return #expect(Bool(false), "a child without a request must not run tests, nor start children")
        }
    }
}
