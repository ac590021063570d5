// SPDX-License-Identifier: Apache-2.0

import Foundation
import MemProbe
import TestSupport
import Testing

/// Program pages of the processes of a command, against a script that adds up `smaps` by itself.
@Suite(.serialized, .ownThreads) struct TracedProgramPagesTests {
    @Test func aTreeOfThreeAgreesToThePage() throws {
        var supervisor = Supervisor(fixture: "stand", "2")
        supervisor.timeoutNanoseconds = 60_000_000_000
        let command = try supervisor.start()
        // The processes keep still until the script ends them, and a signal's end runs no code that would bring more in.
        let script = try TestProcess.run(
            "/usr/bin/env",
            ["python3", Self.script, "--environment", supervisor.environment[1], "--count", "3", "--terminate"],
            environment: ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"])
        let answer = try JSONDecoder().decode(Answer.self, from: Data(command.end(within: 60).complaint.utf8))
        let trace = try #require(answer.trace, "\(answer)")
        let expected = script.text.split(separator: "\n").compactMap {
            $0.split(separator: " ").last.flatMap { Int($0) }
        }
        #expect(expected.count == 3, "\(script.complaint)")
        let found = trace.processes.map { $0.programPages?.rawValue ?? -1 }
        #expect(found.sorted() == expected.sorted())
        #expect(trace.signal == SIGTERM)
        for process in trace.processes {
            let net = try #require(process.netPeak)
            let pages = try #require(process.programPages)
            #expect(net >= process.peak.resident - pages && pages > .kibibytes(512))
        }
        let net = try #require(trace.netPeak)
        #expect(net >= .mebibytes(5) && net <= trace.processes.compactMap(\.netPeak).reduce(.zero, +))
        #expect(trace.programPages == trace.treeMaximum.resident - net)
    }

    @Test func aPolledProcessHasNone() throws {
        var supervisor = Supervisor(fixture: "allocate", "16", "50")
        supervisor.method = "polled"
        let trace = try supervisor.trace()
        #expect(trace.netPeak == nil && trace.programPages == nil)
        #expect(trace.treeMaximum.net == nil)
    }

    /// The net peak is what was allocated, and of an `exec` chain what was sampled of the program that is gone.
    @Test func theNetPeakIsWhatAProgramHolds() throws {
        let small = try #require(try Supervisor(fixture: "allocate", "0", "20").trace().netPeak)
        let large = try #require(try Supervisor(fixture: "allocate", "24", "20").trace().netPeak)
        #expect(isClose(large - small, .mebibytes(24), within: .kibibytes(256)))
        let fixture = Supervisor.fixture
        let replaced = try Supervisor(fixture: "become", "24", fixture, "allocate", "1", "20").trace()
        let net = try #require(replaced.netPeak)
        #expect(isClose(net - small, .mebibytes(24), within: .mebibytes(1)))
    }

    private static let script = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
        .appendingPathComponent("scripts/program-pages.py").path
}
