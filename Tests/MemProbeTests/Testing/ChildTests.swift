// SPDX-License-Identifier: Apache-2.0

import Foundation
import MemProbe
import MemProbeTesting
import Testing

struct ChildTests {
    private func child(_ script: String, limit: Int = 60) -> ChildTrial.Process {
        ChildTrial.Process(
            executable: "/bin/sh", arguments: ["sh", "-c", script], environment: ["PATH": "/usr/bin:/bin"], limit: limit
        )
    }

    @Test func howItEndedIsKnown() async {
        #expect(await child("exit 0").run().fault == nil)
        let red = await child("exit 1").run()
        #expect(red.isRed && red.fault == nil, "a run of tests with issues")
        let left = await child("exit 3").run()
        #expect(left.end?.ending == .exited(3) && left.fault?.contains("status 3") == true)
        let killed = await child("kill -SEGV $$").run()
        #expect(killed.end?.ending == .signalled(Int(SIGSEGV)))
        #expect(killed.fault?.contains("Segmentation fault") == true)
    }

    @Test func oneThatHangsIsKilledWithWhatItStarted() async throws {
        let ended = await child("setsid sleep 600 & echo $!; wait", limit: 1).run()
        #expect(ended.end?.ending == .killedAtLimit)
        #expect(ended.fault?.contains("after 1 s") == true)
        // The memory of a waiting shell.
        let memory = try #require(ended.held)
        #expect(memory.resident > .kibibytes(200) && memory.peak >= memory.resident)
        let sleeper = try #require(Int32(ended.output.trimmingCharacters(in: .whitespacesAndNewlines)))
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
        let task = Task { await child("sleep 600").run() }
        task.cancel()
        #expect(await task.value.end == nil)
        #expect(await task.value.fault?.contains("cancelled") == true)
    }

    @Test func oneThatCannotBeStartedSaysWhy() async throws {
        var process = child("")
        process.executable = "/nowhere/tests"
        let fault = try #require(await process.run().fault)
        #expect(fault.contains("/nowhere/tests") && fault.contains("No such file"))
    }

    /// A test that prints without end fills neither the disk nor this process.
    @Test func ofWhatItPrintsTheEndIsKept() async {
        let ended = await child("head -c 20000000 /dev/zero; echo; echo out; echo err >&2").run()
        #expect(ended.end?.ending == .exited(0) && ended.output.utf8.count <= ChildTrial.Process.kept)
        #expect(ended.output.hasSuffix("out\nerr\n"))
    }

    @Test func aRoleIsOfTheParentsOwnChildAlone() {
        guard case .parent = ChildRole(variable: nil, parent: 7) else { return #expect(Bool(false), "no variable") }
        guard case .parent = ChildRole(variable: "6:/tmp", parent: 7) else { return #expect(Bool(false), "inherited") }
        guard case .lost = ChildRole(variable: "7:/nowhere", parent: 7) else {
            return #expect(Bool(false), "a child without a request must not run tests, nor start children")
        }
    }
}

struct ChildTimeLimitTests {
    @Test(
        arguments: [
            (nil, nil, 60), (.seconds(120), nil, 120), (nil, .seconds(300), 330), (.seconds(5), .seconds(300), 5),
            (.milliseconds(1), nil, 1), (.milliseconds(1500), nil, 2),
        ] as [(Duration?, Duration?, Int)])
    func theTraitComesBeforeTheTest(trait: Duration?, test: Duration?, seconds: Int) throws {
        #expect(try ChildTimeLimit(trait: trait, test: test).seconds == seconds)
    }

    @Test(arguments: [.zero, .seconds(-1), .seconds(Int64.max)] as [Duration])
    func impossibleTimeLimitsAreRefused(trait: Duration) {
        #expect(throws: ChildTimeLimit.Fault.self) { try ChildTimeLimit(trait: trait, test: nil) }
    }

    @Test func theSourceOfASettingIsNamed() throws {
        let words = try [
            ChildTimeLimit(trait: nil, test: nil), .init(trait: .seconds(60), test: nil),
            .init(trait: nil, test: .seconds(30)),
        ].map(\.words)
        #expect(Set(words).count == 3)
    }
}

@Suite(.ownThreads) struct NoProcTests {
    private static let unshare = "/usr/bin/unshare"
    /// A file system of its own, in which `/proc` is empty.
    private static let arguments = [
        "--user", "--map-root-user", "--mount", "sh", "-c", "mount -t tmpfs none /proc && exec \"$@\"", "sh",
    ]

    /// Whether this machine lets a user have a file system of its own.
    private static let canHideProc: Bool = {
        let ended = try? TestProcess.run(unshare, arguments + ["true"], within: 60)
        return ended?.status == 0
    }()

    @Test(.enabled(if: canHideProc, "no user namespaces here")) func itsEndIsExplained() throws {
        let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path
        let ended = try TestProcess.run(
            Self.unshare,
            Self.arguments + [program, "--testing-library", "swift-testing", "--filter", "NoTestOfThisName"],
            environment: ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 },
            within: 120)
        #expect(ended.complaint.contains("/proc/self/cmdline"))
        #expect(ended.complaint.contains("mount -t proc"))
    }
}
