// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import MemProbe
import Testing

/// Figures where the kernel is not allowed to say everything: under the default seccomp profiles of containers, where
/// tracing is refused, and as a user without rights.
@Suite(.serialized, .ownThreads) struct ConfinedTests {
    /// A way to begin a child, by its number in the fixture, and whether the child has memory of its own at once.
    struct Way: Sendable, CustomTestStringConvertible {
        let number: Int
        let testDescription: String
        let isCopy: Bool
    }

    private static let ways = [
        Way(number: 0, testDescription: "fork", isCopy: true),
        Way(number: 1, testDescription: "vfork", isCopy: false),
        Way(number: 2, testDescription: "clone as posix_spawn does", isCopy: false),
        Way(number: 3, testDescription: "clone that waits for a copy", isCopy: true),
        Way(number: 4, testDescription: "clone with CLONE_VM", isCopy: false),
        Way(number: 5, testDescription: "clone with CLONE_VM and SIGCHLD", isCopy: false),
    ]
    private static let held = 40
    private static let tolerance = ByteCount.mebibytes(1)

    private static let confinements: [[String]] = {
        let kinds = [[], ["confined", "docker"], ["confined", "strict"], ["confined", "untraceable"]]
        // Only root can become somebody else; whoever is not has no rights already.
        return getuid() == 0 ? kinds + kinds.prefix(2).map { ["as-nobody"] + $0 } : kinds
    }()

    /// How long something is held, in milliseconds: where it is polled a busy machine has to find the time to look.
    private static func time(_ milliseconds: Int, in surroundings: [String]) -> String {
        "\(surroundings.contains("untraceable") ? 10 * milliseconds : milliseconds)"
    }

    private static func outcome(of words: [String], in surroundings: [String]) throws -> Outcome {
        var supervisor = Supervisor([Supervisor.fixture] + words)
        supervisor.surroundings = surroundings
        return try supervisor.run()
    }

    @Test(arguments: confinements, ways)
    func aChildCountsItsOwnMemoryAlone(surroundings: [String], way: Way) throws {
        let words = ["begin", "\(way.number)", "\(Self.held)", Self.time(60, in: surroundings)]
        let outcome = try Self.outcome(of: words, in: surroundings)
        let trace = try #require(outcome.answer.trace, "\(outcome.answer)")
        let truth = try #require(outcome.ownPeaks.last)
        #expect(trace.exitStatus == 0)
        #expect(trace.undecided == nil)
        #expect(isClose(trace.processes[0].peak.resident, truth, within: Self.tolerance))
        if way.isCopy {
            #expect(trace.processes.count == 2)
            // The copy shares everything, and would hold it alone if it wrote to it.
            #expect(trace.treeMaximum.resident < truth + .mebibytes(4))
            #expect(trace.peakAtMost > truth + .mebibytes(Self.held - 1))
        } else {
            #expect(trace.processes.count == 1)
            #expect(isClose(trace.peak.resident, truth, within: Self.tolerance))
        }
        #expect(outcome.answer.isClean)
    }

    @Test(arguments: confinements, ways)
    func aChildsProgramIsItsOwn(surroundings: [String], way: Way) throws {
        let program = [Supervisor.fixture, "allocate", "10", Self.time(60, in: surroundings)]
        let words = ["begin", "\(way.number)", "\(Self.held)", Self.time(30, in: surroundings)] + program
        let outcome = try Self.outcome(of: words, in: surroundings)
        let trace = try #require(outcome.answer.trace, "\(outcome.answer)")
        let truths = outcome.ownPeaks
        #expect(truths.count == 2 && trace.processes.count == 2)
        for (process, truth) in zip(trace.processes.map(\.peak.resident).sorted(), truths.sorted()) {
            #expect(isClose(process, truth, within: Self.tolerance))
        }
        // Between fork and exec a copy counts beside its parent, as it does where nothing is refused.
        let sum = truths.reduce(ByteCount.zero, +)
        if !way.isCopy {
            #expect(isClose(trace.peakAtMost, sum, within: .mebibytes(2)))
            #expect(trace.treeMaximum.anonymous > .mebibytes(Self.held + 10))
        }
    }

    /// The interpreter itself, not a script that looks for one; another user may not reach it.
    private static func python() throws -> String {
        let said = try TestProcess.run("/usr/bin/env", ["python3", "-c", "import sys; print(sys.executable)"]).text
        return said.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    @Test(arguments: confinements.filter { $0.first != "as-nobody" })
    func aScriptsChildrenAreTheirOwn(surroundings: [String]) throws {
        let script = """
            import os, subprocess, sys
            held = bytearray(os.urandom(1)) * (100 << 20)
            for _ in range(10): subprocess.run(["/bin/sleep", "0.01"], check=True)
            os.waitpid(os.posix_spawn("/bin/sleep", ["sleep", "0.01"], {}), 0)
            """
        var supervisor = Supervisor([try Self.python(), "-c", script])
        supervisor.surroundings = surroundings
        let outcome = try supervisor.run()
        let trace = try #require(outcome.answer.trace, "\(outcome.answer)")
        #expect(trace.exitStatus == 0)
        #expect(trace.processes.dropFirst().allSatisfy { $0.peak.resident < .mebibytes(8) })
        #expect(trace.peak.resident < trace.processes[0].peak.resident + .mebibytes(8))
        #expect(trace.processes[0].peak.resident > .mebibytes(100))
    }

    @Test func aRefusalToTraceIsSaidWithABound() throws {
        let outcome = try Self.outcome(of: ["allocate", "40", "20"], in: ["confined", "untraceable"])
        let trace = try #require(outcome.answer.trace)
        #expect(trace.method == .polled)
        #expect(trace.methodReason?.contains("ptrace") == true)
        let truth = try #require(outcome.ownPeaks.last)
        #expect(trace.peak.resident <= truth + Self.tolerance)
        #expect(trace.peak.resident + trace.peak.errorBound >= truth)
    }

    @Test(arguments: [["confined", "docker"], ["confined", "strict"]])
    func aContainersProfileDoesNotHinderTracing(surroundings: [String]) throws {
        let trace = try #require(try Self.outcome(of: ["allocate", "10", "1"], in: surroundings).answer.trace)
        #expect(trace.method == .exitStops)
    }
}

/// Behaviour if tracing is not permitted.
@Suite(.serialized, .ownThreads) struct FallbackTests {
    /// Traces a supervisor: the kernel gives a process one tracer, so that the inner one is refused.
    private static func refused(_ inner: Supervisor) throws -> Outcome {
        let outer = try Supervisor([Supervisor.fixture] + inner.words()).run()
        let line = try #require(outer.output.split(separator: "\n").last { $0.contains("descriptorsLeft") })
        let start = try #require(line.firstIndex(of: "{"))
        return Outcome(
            output: outer.output, answer: try JSONDecoder().decode(Answer.self, from: Data(line[start...].utf8)))
    }

    @Test func itIsLabelledWithTheReason() throws {
        let outcome = try Self.refused(Supervisor(fixture: "allocate", "40", "300"))
        let trace = try #require(outcome.answer.trace)
        #expect(trace.method == .polled)
        #expect(trace.methodReason?.contains("ptrace") == true)
        let truth = try #require(outcome.ownPeaks.last)
        #expect(isClose(trace.peak.resident, truth, within: .mebibytes(1)))
        #expect(outcome.answer.isClean)
    }

    @Test func requiredTracingFailsWithAnError() throws {
        var inner = Supervisor(fixture: "allocate", "4", "10")
        inner.method = "exitStops"
        let outcome = try Self.refused(inner)
        #expect(outcome.answer.errorCode == MemProbeError.Code.unavailable.rawValue)
        #expect(outcome.answer.errorSource == "ptrace")
        #expect(outcome.answer.errorNumber == EPERM)
        #expect(outcome.ownPeaks.isEmpty)
        #expect(outcome.answer.isClean)
    }

    @Test func pollingFindsChildrenAndWhatTheyHeldTogether() throws {
        var supervisor = Supervisor(fixture: "children", "3", "32", "300")
        supervisor.method = "polled"
        let outcome = try supervisor.run()
        let trace = try #require(outcome.answer.trace)
        #expect(trace.method == .polled)
        #expect(trace.methodReason != nil)
        #expect(trace.processes.map(\.parentOrder) == [nil, 1, 1, 1])
        #expect(outcome.ownPeaks.count == 3)
        for (own, child) in zip(outcome.ownPeaks.sorted(), trace.processes.dropFirst().map(\.peak.resident).sorted()) {
            #expect(isClose(own, child, within: .mebibytes(1)))
        }
        let sum = trace.processes.reduce(ByteCount.zero) { $0 + $1.peak.resident }
        #expect(isClose(trace.peakAtMost, sum, within: .mebibytes(2)))
        #expect(trace.treeMaximum.anonymous >= .mebibytes(96) && trace.treeMaximum.resident < sum)
    }

    @Test func pollingRemembersAProgramThatWasReplaced() throws {
        var supervisor = Supervisor(fixture: "become", "80", "300", Supervisor.fixture, "allocate", "1", "300")
        supervisor.method = "polled"
        let trace = try supervisor.trace()
        #expect(trace.processes.count == 1)
        // The last moments before the change are what polling can miss.
        #expect(trace.peak.resident > .mebibytes(60))
        let after = try #require(trace.processes[0].anonymousAtEnd)
        #expect(after < .mebibytes(20))
    }
}
