// SPDX-License-Identifier: Apache-2.0

import ImageLoading
import Synchronization
import Testing

/// Work that several callers ask for.
@Suite(.timeLimit(.minutes(5)))
struct FlightTests {
    /// Work that waits until it is let go on, or is cancelled.
    private final class Work: Sendable {
        let begun = Mutex(0)
        let cancelled = Mutex(0)
        private let isOpen = Mutex(false)

        func open() { isOpen.withLock { $0 = true } }

        func run() async -> Int {
            let number = begun.withLock { begun in
                begun += 1
                return begun
            }
            while !isOpen.withLock({ $0 }) {
                if Task.isCancelled {
                    cancelled.withLock { $0 += 1 }
                    return -1
                }
                await Task.yield()
            }
            return number
        }
    }

    private final class Crowd: Sendable {
        let state = Mutex((now: 0, most: 0))
    }

    @Test func isDoneOnceForFiftyCallersAtTheSameTime() async throws {
        let (table, work) = (InFlightTable<String, Int>(cancelsAbandoned: true), Work())
        let askers = (0..<50).map { _ in Task { await table.value(for: "a") { await work.run() } } }
        // A call after the work is done starts it again.
        #expect(try await eventually { table.waiterCount == 50 })
        #expect(try await eventually { work.begun.withLock { $0 } == 1 })
        #expect(table.count == 1)
        work.open()
        for asker in askers { #expect(await asker.value == 1) }
        #expect(table.count == 0)
        #expect(await table.value(for: "a") { await work.run() } == 2)
    }

    @Test func goesOnForTheOthersWhenOneLeavesAndEndsWhenTheLastHasLeft() async throws {
        let (table, work) = (InFlightTable<String, Int>(cancelsAbandoned: true), Work())
        let askers = (0..<5).map { _ in Task { await table.value(for: "a") { await work.run() } } }
        #expect(try await eventually { table.waiterCount == 5 })
        #expect(try await eventually { work.begun.withLock { $0 } == 1 })
        for asker in askers.dropLast() {
            asker.cancel()
            #expect(await asker.value == nil)
        }
        #expect(work.cancelled.withLock { $0 } == 0)
        #expect(table.count == 1)
        askers[4].cancel()
        #expect(await askers[4].value == nil)
        #expect(table.count == 0)
        #expect(try await eventually { work.cancelled.withLock { $0 } == 1 })
        // A later caller is not part of the cancelled work.
        work.open()
        #expect(await table.value(for: "a") { await work.run() } == 2)
    }

    @Test func goesOnWithoutAnybodyWhereNothingIsCancelled() async throws {
        let (table, work) = (InFlightTable<String, Int>(cancelsAbandoned: false), Work())
        let first = Task { await table.value(for: "a") { await work.run() } }
        #expect(try await eventually { work.begun.withLock { $0 } == 1 })
        first.cancel()
        #expect(await first.value == nil)
        #expect(table.count == 1)
        let second = Task { await table.value(for: "a") { await work.run() } }
        #expect(try await eventually { table.waiterCount == 1 })
        work.open()
        #expect(await second.value == 1)
        #expect(work.cancelled.withLock { $0 } == 0)
    }

    @Test func isAnsweredOnceEachWhoeverLeavesWhenever() async {
        let table = InFlightTable<Int, Int>(cancelsAbandoned: true)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<2000 {
                group.addTask {
                    let asker = Task {
                        await table.value(for: number % 7) {
                            await Task.yield()
                            return number % 7
                        }
                    }
                    if number % 3 == 0 { asker.cancel() }
                    let value = await asker.value
                    // Cancelled work may have nothing to give; whoever waits gets what belongs to its key.
                    #expect(value == number % 7 || value == nil && number % 3 == 0)
                }
            }
        }
        #expect(table.count == 0)
    }

    @Test(arguments: [1, 2, 5]) func isDoneBySoManyAtOnceAndNoMore(count: Int) async {
        let limit = SlotLimit(count)
        let running = Crowd()
        await withTaskGroup(of: Int?.self) { group in
            for number in 0..<200 {
                group.addTask {
                    await limit.withSlot {
                        running.state.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
                        for _ in 0..<5 { await Task.yield() }
                        running.state.withLock { $0.now -= 1 }
                        return number
                    }
                }
            }
            var done: Set<Int> = []
            for await number in group { done.insert(number ?? -1) }
            #expect(done == Set(0..<200))
        }
        #expect(running.state.withLock { $0.most } == count)
    }

    @Test func isDoneInAsManySlotsAsItTakesInAllOfThemWhereItTakesMore() async throws {
        let (limit, work) = (SlotLimit(10), Work())
        let first = Task { await limit.withSlots(6) { await work.run() } }
        #expect(try await eventually { work.begun.withLock { $0 } == 1 })
        let large = Task { await limit.withSlots(50) { await work.run() } }
        #expect(try await eventually { limit.waiterCount == 1 })
        // Four are free, and whoever waited first has its turn first.
        let small = Task { await limit.withSlots(4) { await work.run() } }
        #expect(try await eventually { limit.waiterCount == 2 })
        #expect(work.begun.withLock { $0 } == 1)
        large.cancel()
        #expect(await large.value == nil)
        // The next caller in the queue fits.
        #expect(try await eventually { work.begun.withLock { $0 } == 2 })
        work.open()
        _ = await first.value
        _ = await small.value
        #expect(await limit.withSlots(10) { 7 } == 7)
    }

    @Test func isNotDoneWhileAnybodyHoldsItsSlotWhoeverTookIt() async throws {
        let limit = SlotLimit(1)
        var slot = await limit.slot()
        let copy = slot
        let waiting = Task { await limit.withSlot { true } }
        #expect(try await eventually { limit.waiterCount == 1 })
        slot = nil
        for _ in 0..<100 { await Task.yield() }
        waiting.cancel()
        #expect(await waiting.value == nil)
        withExtendedLifetime(copy) {}
    }

    @Test func isNotDoneByWhoIsCancelledWhileWaitingAndItsSlotIsNotLost() async throws {
        let (limit, work) = (SlotLimit(1), Work())
        let first = Task { await limit.withSlot { await work.run() } }
        #expect(try await eventually { work.begun.withLock { $0 } == 1 })
        let second = Task { await limit.withSlot { await work.run() } }
        #expect(try await eventually { limit.waiterCount == 1 })
        second.cancel()
        #expect(await second.value == nil)
        work.open()
        #expect(await first.value == 1)
        #expect(await limit.withSlot { await work.run() } == 2)
    }
}
