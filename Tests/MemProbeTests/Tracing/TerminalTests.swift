// SPDX-License-Identifier: Apache-2.0

import Glibc
import MemProbe
import TestSupport
import Testing

/// Commands that want a terminal, traced by a process that has one.
@Suite(.serialized, .ownThreads) struct TerminalTests {
    private static func supervisor(_ script: String, _ method: String) -> Supervisor {
        var supervisor = Supervisor(["/bin/sh", "-c", script])
        supervisor.method = method
        supervisor.surroundings = ["in-terminal"]
        supervisor.timeoutNanoseconds = 30_000_000_000
        return supervisor
    }

    @Test(arguments: ["exitStops", "polled"], ["read line < /dev/tty", "stty -echo < /dev/tty", "echo x > /dev/tty"])
    func thereIsNone(method: String, script: String) throws {
        let answer = try Self.supervisor(script, method).run().answer
        let trace = try #require(answer.trace)
        #expect(!trace.timedOut && trace.signal == nil)
        #expect(trace.exitStatus != 0)
        #expect(answer.isClean)
    }

    @Test(arguments: ["exitStops", "polled"], [SIGTTIN, SIGTTOU, SIGTSTP])
    func noneOfItsStopsLasts(method: String, signal: Int32) throws {
        let trace = try #require(try Self.supervisor("kill -\(signal) $$; exit 7", method).run().answer.trace)
        #expect(trace.exitStatus == 7)
    }
}
