// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import MemProbe
import TestSupport
import Testing

/// What happens where tracing is refused.
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

    @Test func whoeverInsistsGetsAnError() throws {
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
