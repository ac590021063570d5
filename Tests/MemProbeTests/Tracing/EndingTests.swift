// SPDX-License-Identifier: Apache-2.0

import Glibc
import MemProbe
import TestSupport
import Testing

/// How commands end, and what is left of them.
@Suite(.serialized, .ownThreads) struct EndingTests {
    private static let methods = ["exitStops", "polled"]

    private static func supervisor(_ words: [String], _ method: String) -> Supervisor {
        var supervisor = Supervisor([Supervisor.fixture] + words)
        supervisor.method = method
        return supervisor
    }

    @Test(arguments: methods, [0, 3, 255])
    func aStatusIsAResult(method: String, status: Int32) throws {
        let outcome = try Self.supervisor(["status", "\(status)"], method).run()
        #expect(outcome.answer.trace?.exitStatus == status)
        #expect(outcome.answer.trace?.signal == nil)
        #expect(outcome.answer.isClean)
    }

    @Test(arguments: methods, [SIGSEGV, SIGTERM, SIGKILL, SIGABRT])
    func aSignalIsAResult(method: String, signal: Int32) throws {
        let outcome = try Self.supervisor(["signal", "\(signal)"], method).run()
        #expect(outcome.answer.trace?.signal == signal)
        #expect(outcome.answer.trace?.exitStatus == nil)
        #expect(outcome.answer.trace?.timedOut == false)
        #expect(outcome.answer.isClean)
    }

    @Test func aKilledProcessIsStillReadAtItsEnd() throws {
        let trace = try Self.supervisor(["signal", "\(SIGKILL)"], "exitStops").trace()
        #expect(trace.processes[0].anonymousAtEnd != nil)
        #expect(trace.peak.source == .highWaterMarkWithoutReset)
    }

    @Test(arguments: methods)
    func aCommandThatHangsIsKilled(method: String) throws {
        var supervisor = Self.supervisor(["hang", "20"], method)
        supervisor.timeoutNanoseconds = 300_000_000
        var outcome = try supervisor.run()
        if let trace = outcome.answer.trace, trace.peak.resident < .mebibytes(20) {
            // On a busy machine it has not come to what it holds by then.
            supervisor.timeoutNanoseconds = 10_000_000_000
            outcome = try supervisor.run()
        }
        let trace = try #require(outcome.answer.trace)
        #expect(trace.timedOut)
        #expect(trace.signal == SIGKILL)
        #expect(trace.peak.resident > .mebibytes(20))
        #expect(trace.endNanoseconds - trace.startNanoseconds >= 300_000_000)
        // It would hang for ever; how soon a killed process is gone is the machine's to decide.
        #expect(trace.endNanoseconds - trace.startNanoseconds < 20_000_000_000)
        #expect(outcome.answer.isClean)
    }

    @Test(arguments: methods)
    func aCommandThatHoldsTooMuchIsKilledWithItsTree(method: String) throws {
        // None of its processes is over the limit; all of them together are.
        var supervisor = Self.supervisor(["children", "3", "40", "20000"], method)
        supervisor.residentLimitMebibytes = 90
        let outcome = try supervisor.run()
        let trace = try #require(outcome.answer.trace)
        let reached = try #require(trace.overLimit)
        #expect(reached > .mebibytes(90))
        #expect(trace.signal == SIGKILL && !trace.timedOut)
        #expect(trace.processes.allSatisfy { $0.peak.resident < .mebibytes(90) })
        // They would hold on for twenty seconds.
        #expect(try #require(outcome.answer.wallNanoseconds.first) < 15_000_000_000)
        #expect(outcome.answer.isClean)
    }

    @Test(arguments: methods)
    func aCommandWithinItsLimitIsLeftAlone(method: String) throws {
        var supervisor = Self.supervisor(["allocate", "20", "50"], method)
        supervisor.residentLimitMebibytes = 200
        let trace = try supervisor.trace()
        #expect(trace.overLimit == nil)
        #expect(trace.exitStatus == 0)
    }

    @Test(arguments: methods)
    func aDaemonIsFollowedAndKilled(method: String) throws {
        let outcome = try Self.supervisor(["daemon", "20", "60000"], method).run()
        let trace = try #require(outcome.answer.trace)
        let daemon = try #require(trace.processes.last)
        #expect(daemon.outlived)
        #expect(daemon.peak.resident > .mebibytes(20))
        #expect(trace.processes.first?.outlived == false)
        #expect(trace.exitStatus == 0)
        #expect(!trace.timedOut)
        #expect(daemon.endNanoseconds - trace.endNanoseconds >= 200_000_000)
        #expect(outcome.answer.isClean)
    }

    @Test(arguments: methods)
    func whatEndsWithinTheGraceIsLeftToDoSo(method: String) throws {
        // Long enough to be seen by a poller that gets no processor for a while.
        let outcome = try Self.supervisor(["background", "60"], method).run()
        let trace = try #require(outcome.answer.trace)
        #expect(trace.processes.map(\.outlived) == [false, false])
        #expect(outcome.ownPeaks.count == 1)
        #expect(outcome.answer.isClean)
    }

    @Test(arguments: methods)
    func aChainOfOrphansIsCaught(method: String) throws {
        // Each one begins the next and ends: killing them one by one always comes too late for one.
        let outcome = try Self.supervisor(["chain", "3000"], method).run()
        let trace = try #require(outcome.answer.trace)
        #expect(trace.processes.count < 1000)
        #expect(outcome.values("links").isEmpty, "it came to its own end")
        #expect(outcome.answer.isClean)
    }

    @Test func theWholeChainIsSeen() throws {
        var trace = try Self.supervisor(["chain", "10"], "exitStops").trace()
        // On a busy machine it takes longer than what is left running may.
        for _ in 0..<20 where trace.processes.contains(where: \.outlived) {
            trace = try Self.supervisor(["chain", "10"], "exitStops").trace()
        }
        #expect(trace.processes.count == 11)
        #expect(trace.processes.map(\.parentOrder) == [nil] + (1...10).map { $0 })
    }

    @Test(arguments: methods)
    func aJobMayStopAndGoOn(method: String) throws {
        let outcome = try Self.supervisor(["stop-and-go", "5"], method).run()
        let trace = try #require(outcome.answer.trace)
        #expect(trace.exitStatus == 0)
        #expect(outcome.ownPeaks.count == 1)
        // It stood still until its child sent it on.
        #expect(trace.endNanoseconds - trace.startNanoseconds > 50_000_000)
    }

    @Test func everySignalArrivesOnce() throws {
        #expect(try Self.supervisor(["signals", "100"], "exitStops").trace().exitStatus == 100)
    }

    @Test(arguments: methods, [("/no/such/program", ENOENT), ("/etc/passwd", EACCES), ("/proc", EACCES)])
    func aProgramThatCannotBeStartedIsAnError(method: String, program: (path: String, error: Int32)) throws {
        var supervisor = Supervisor([program.path])
        supervisor.method = method
        let answer = try supervisor.run().answer
        #expect(answer.trace == nil)
        #expect(answer.errorCode == MemProbeError.Code.notStarted.rawValue)
        #expect(answer.errorSource == program.path)
        #expect(answer.errorNumber == program.error)
        #expect(answer.isClean)
    }

    @Test func aMissingFolderIsAnError() throws {
        var supervisor = Supervisor(["/bin/true"])
        supervisor.folder = "/no/such/folder"
        let answer = try supervisor.run().answer
        #expect(answer.errorSource == "/no/such/folder")
        #expect(answer.errorNumber == ENOENT)
        #expect(answer.isClean)
    }

    @Test(arguments: methods)
    func twoHundredRunsLeaveNothing(method: String) throws {
        var supervisor = Supervisor(["/bin/sh", "-c", "/bin/true; /bin/true"])
        supervisor.method = method
        supervisor.times = 200
        let answer = try supervisor.run().answer
        #expect(answer.trace?.exitStatus == 0)
        #expect(answer.wallNanoseconds.count == 200)
        #expect(answer.isClean, "\(answer)")
    }
}
