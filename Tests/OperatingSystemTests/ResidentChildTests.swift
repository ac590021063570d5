// SPDX-License-Identifier: Apache-2.0

import Foundation
import MemProbe
import OperatingSystem
import Testing

/// Real children that stay for more work, and what is bounded of each piece of it.
@Suite(.serialized) struct ResidentChildTests {
    private func shell(
        _ script: String, limit: Duration = .seconds(100), answerLimit: Int = 4 << 20
    ) -> ResidentChild {
        ResidentChild(OperatingSystemTests.shell(script, limit: limit, outputLimit: nil), answerLimit: answerLimit)
    }

    private func answer(of child: ResidentChild, to line: String) async throws -> (end: ProcessEnd, text: String) {
        let end = try await child.work(line + "\n")
        return (end, String(decoding: end.output, as: UTF8.self))
    }

    @Test func eachPieceOfWorkHasItsOwnAnswerAndComplaints() async throws {
        let child = shell("while read line; do echo \"said $line\" >&2; echo \"$$ $line\"; done")
        var processes: Set<Substring> = []
        var last = 0
        for word in ["one", "two", "three"] {
            let (end, text) = try await answer(of: child, to: word)
            #expect(end.ending == .exited(0) && end.complaints.text == "said \(word)\n")
            let spawned = try #require(end.spawnedNanoseconds)
            #expect(spawned > last && end.nanoseconds > 0)
            last = spawned
            let words = text.split(separator: " ")
            #expect(words.last == word[...])
            processes.formUnion(words.prefix(1))
        }
        #expect(processes.count == 1 && !child.hasEnded)
    }

    /// Longer than what pipes hold, both ways.
    @Test func longLinesPassWhole() async throws {
        let child = shell("exec cat")
        for count in [1 << 20, 10, 3 << 20] {
            let line = String(repeating: "x", count: count)
            #expect(try await answer(of: child, to: line).text == line)
        }
    }

    @Test func theTimeLimitIsThatOfOnePiece() async throws {
        let child = shell("while read seconds; do sleep $seconds; echo done; done", limit: .seconds(2))
        for _ in 0..<3 { #expect(try await answer(of: child, to: "0.8").end.ending == .exited(0)) }
        let late = try await answer(of: child, to: "300").end
        #expect(late.ending == .killedAtLimit && late.nanoseconds < 60_000_000_000)
        #expect(child.hasEnded)
    }

    @Test func theLimitOfAnAnswerIsThatOfOnePiece() async throws {
        let child = shell("exec cat", answerLimit: 1000)
        let line = String(repeating: "x", count: 900)
        for _ in 0..<3 { #expect(try await answer(of: child, to: line).text == line) }
        let long = String(repeating: "x", count: 1100)
        #expect(try await answer(of: child, to: long).end.ending == .wroteTooMuch(limit: 1000))
    }

    /// A child that is gone says how it ended, also to whoever asks later.
    @Test func oneThatEndsOverItsWorkHasNoAnswer() async throws {
        let child = shell("read line; echo 'half an answer' | tr -d '\\n'; echo why >&2; exit 3")
        for _ in 0..<2 {
            let (end, text) = try await answer(of: child, to: "work")
            #expect(end.ending == .exited(3) && text.isEmpty && end.lastWords() == "why")
            #expect(child.hasEnded)
        }
    }

    @Test func oneThatIsNotThereNeverBegan() async throws {
        let child = ResidentChild(
            ChildLaunch(executable: "/nowhere/program", environment: [:], limit: .seconds(100)), answerLimit: 100)
        let ending = try await answer(of: child, to: "work").end.ending
        let hasNotBegun = if case .notStarted = ending { true } else { false }
        #expect(hasNotBegun, "\(ending)")
    }

    @Test func unexpectedReportsAreRefused() async throws {
        let child = shell("while read line; do echo $line; echo more; done")
        #expect(try await answer(of: child, to: "one").text == "one")
        #expect(child.hasEnded == false)
    }

    /// Releasing it waits for its end, but not for a keeper that is stopped.
    @Test func aKeeperThatStandsStillHoldsNobodyUp() async throws {
        var child: ResidentChild? = shell("while read line; do echo $PPID; done")
        let keeper = try #require(Int32(try await answer(of: child.unsafelyUnwrapped, to: "").text))
        kill(keeper, SIGSTOP)
        defer { kill(keeper, SIGCONT) }
        let start = ContinuousClock.now
        child = nil
        #expect(ContinuousClock.now - start < .seconds(6), "it is killed after 12 s")
    }

    @Test func itEndsWithItsLastReferenceAndWithItsTask() async throws {
        func process(of child: ResidentChild) async throws -> Int32 {
            try #require(Int32(try await answer(of: child, to: "").text))
        }
        let script = "while read line; do setsid sleep 4247 & echo $$; done"
        var child: ResidentChild? = shell(script)
        let first = try await process(of: child.unsafelyUnwrapped)
        child = nil
        #expect(kill(first, 0) != 0)
        let slow = shell("read line; sleep 300")
        let task = Task { try await answer(of: slow, to: "work") }
        try await Task.sleep(for: .milliseconds(50))
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(slow.hasEnded)
    }
}
