// SPDX-License-Identifier: Apache-2.0

import MemProbe
import Testing

struct TraceLimitsTests {
    @Test func theTimeIsOverOnce() {
        var limits = TraceLimits(start: 100, timeout: 50)
        #expect(limits.step(at: 149, leaderEnded: nil) == .wait)
        #expect(limits.step(at: 150, leaderEnded: nil) == .killOverdue)
        #expect(limits.isKilling)
        #expect(limits.step(at: 151, leaderEnded: nil) == .wait)
    }

    @Test func whatIsLeftHasAGrace() {
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

    @Test func whatACommandLeftRunningIsLimitedInItsGrace() {
        var limits = TraceLimits(start: 0, timeout: nil, grace: 100)
        #expect(limits.step(at: 50, leaderEnded: 40, isOverLimit: true) == .killOverLimit)
    }

    @Test func whatIsWaitedForHasTheTimeOfTheCommand() {
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
