// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import MemProbe
import Testing

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
    func processesMayEndWithinTheGracePeriod(method: String) throws {
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

/// A tracer that is killed, at any instant, leaves nothing of its command running.
@Suite(.serialized, .ownThreads) struct KilledTracerTests {
    /// Commands that would run on for a minute, with descendants that have cut every tie.
    private static let commands = [
        ["daemon", "2", "60000"], ["children", "3", "2", "60000"], ["chain", "60000"], ["stand", "2"],
    ]

    @Test(arguments: ["exitStops", "polled"], commands)
    func noProcessIsLeft(method: String, command: [String]) throws {
        for signal in [SIGKILL, SIGKILL, SIGKILL, SIGTERM, SIGHUP] {
            var supervisor = Supervisor([Supervisor.fixture] + command)
            supervisor.method = method
            let process = try supervisor.start()
            let token = supervisor.environment[1]
            usleep(UInt32.random(in: 0..<200_000))
            process.send(signal)
            _ = try process.end(within: 60)
            #expect(try Self.isGone(token), "\(Self.living(token)) after \(signal)")
        }
    }

    @Test func aKilledGuardianEndsTheCommand() throws {
        var supervisor = Supervisor(fixture: "daemon", "2", "60000")
        supervisor.method = "polled"
        let process = try supervisor.start()
        let guardian = try #require(Self.waitForChild(of: process.identifier))
        kill(guardian, SIGKILL)
        let end = try process.end(within: 60)
        let answer = try JSONDecoder().decode(Answer.self, from: Data(end.complaint.utf8))
        #expect(answer.childrenLeft == 0)
        #expect(try Self.isGone(supervisor.environment[1]))
    }

    private static func waitForChild(of parent: Int32) -> Int32? {
        for _ in 0..<10_000 {
            let text = try? String(contentsOfFile: "/proc/\(parent)/task/\(parent)/children", encoding: .utf8)
            if let child = text?.split(separator: " ").first.flatMap({ Int32($0) }) { return child }
            usleep(1000)
        }
        return nil
    }

    /// Whether no process is left whose environment or arguments hold a word, after a moment at most.
    private static func isGone(_ word: String) throws -> Bool {
        let last = ContinuousClock.now + .seconds(20)
        while ContinuousClock.now < last {
            if living(word).isEmpty { return true }
            usleep(5000)
        }
        return false
    }

    private static func living(_ word: String) -> [Int32] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { Int32($0) }.filter { identifier in
            ["environ", "cmdline"].contains { file in
                let data = FileManager.default.contents(atPath: "/proc/\(identifier)/\(file)")
                return data.map { String(decoding: $0, as: UTF8.self).contains(word) } ?? false
            }
        }
    }
}

struct TraceLimitsTests {
    @Test func theTimeIsOverOnce() {
        var limits = TraceLimits(start: 100, timeout: 50)
        #expect(limits.step(at: 149, leaderEnded: nil) == .wait)
        #expect(limits.step(at: 150, leaderEnded: nil) == .killOverdue)
        #expect(limits.isKilling)
        #expect(limits.step(at: 151, leaderEnded: nil) == .wait)
    }

    @Test func leftProcessesHaveAGracePeriod() {
        var limits = TraceLimits(start: 0, timeout: 1000, grace: 10)
        #expect(limits.step(at: 509, leaderEnded: 500) == .wait)
        #expect(limits.step(at: 510, leaderEnded: 500) == .killOutlived)
    }

    @Test func aCommandThatEndedInTimeIsNotLateBecauseOfItsChildren() {
        var limits = TraceLimits(start: 0, timeout: 100, grace: 50)
        #expect(limits.step(at: 120, leaderEnded: 90) == .wait)
        #expect(limits.step(at: 140, leaderEnded: 90) == .killOutlived)
    }

    @Test func tooMuchMemoryEndsItOnce() {
        var limits = TraceLimits(start: 0, timeout: nil)
        #expect(limits.step(at: 1, leaderEnded: nil, isOverLimit: false) == .wait)
        #expect(limits.step(at: 2, leaderEnded: nil, isOverLimit: true) == .killOverLimit)
        #expect(limits.isKilling)
        #expect(limits.step(at: 3, leaderEnded: nil, isOverLimit: true) == .wait)
        #expect(limits.step(at: 2 + TraceLimits.patience + 1, leaderEnded: 4, isOverLimit: true) == .giveUp)
    }

    @Test func processesLeftRunningAreLimitedDuringTheGracePeriod() {
        var limits = TraceLimits(start: 0, timeout: nil, grace: 100)
        #expect(limits.step(at: 50, leaderEnded: 40, isOverLimit: true) == .killOverLimit)
    }

    @Test func awaitedProcessesHaveTheTimeLimitOfTheCommand() {
        var limits = TraceLimits(start: 0, timeout: 1_000_000_000, grace: 60_000_000_000)
        #expect(limits.step(at: 999_999_999, leaderEnded: 100) == .wait)
        #expect(limits.step(at: 1_000_000_000, leaderEnded: 100) == .killOverdue)
    }

    @Test func patienceEnds() {
        var limits = TraceLimits(start: 0, timeout: 0)
        #expect(limits.step(at: 0, leaderEnded: nil) == .killOverdue)
        #expect(limits.step(at: TraceLimits.patience, leaderEnded: nil) == .wait)
        #expect(limits.step(at: TraceLimits.patience + 1, leaderEnded: nil) == .giveUp)
    }

    @Test(arguments: [nil, Int.max])
    func aTimeBeyondAllTimesNeverComes(timeout: Int?) {
        var limits = TraceLimits(start: 100, timeout: timeout)
        #expect(limits.step(at: Int.max - 1, leaderEnded: nil) == .wait)
    }
}
