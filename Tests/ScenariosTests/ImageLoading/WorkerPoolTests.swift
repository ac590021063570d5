// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import ImageLoading
import Synchronization
import Testing
import TrialKit

@Suite(.ownThreads, .timeLimit(.minutes(5)))
struct WorkerPoolTests {
    /// The kernel's name of the thread that asks, a folder under `/proc` while it lives; a `pthread_t` is used again.
    private static func thread() -> String {
        var buffer = [CChar](repeating: 0, count: 100)
        let count = readlink("/proc/thread-self", &buffer, buffer.count)
        return "/proc/" + String(decoding: buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private final class Seen: Sendable {
        private let state = Mutex((threads: Set<String>(), running: 0, most: 0))

        var threads: Set<String> { state.withLock { $0.threads } }
        var most: Int { state.withLock { $0.most } }

        /// Works until so many have worked at the same time, ten seconds at most.
        func work(together count: Int = 1) {
            state.withLock { state in
                state.threads.insert(WorkerPoolTests.thread())
                state.running += 1
                state.most = max(state.most, state.running)
            }
            for _ in 0..<20_000 where most < count { usleep(500) }
            state.withLock { $0.running -= 1 }
        }
    }

    /// Holds work up until it is opened, ten seconds at most.
    private final class Gate: Sendable {
        private let isOpen = Atomic(false)

        func open() { isOpen.store(true, ordering: .releasing) }

        func pass() {
            for _ in 0..<20_000 where !isOpen.load(ordering: .acquiring) { usleep(500) }
        }
    }

    /// Refuses threads as it is told.
    private final class Maker: Sendable {
        private let refusals: Mutex<[Bool]>
        private let asked = Atomic(0)

        var count: Int { asked.load(ordering: .relaxed) }

        /// Refuses in this order; what comes behind it is granted.
        init(refusing refusals: [Bool]) { self.refusals = Mutex(refusals) }

        func make(_ work: @escaping @Sendable () -> Void) throws {
            asked.add(1, ordering: .relaxed)
            let isRefused = refusals.withLock { $0.isEmpty ? false : $0.removeFirst() }
            if isRefused { throw FetchFailure(errno: EAGAIN, "no thread could be had") }
            try DetachedThread.run(work)
        }
    }

    @Test(arguments: [1, 2, 5]) func areAsManyAsTheyMayBeAndNoMoreAndUsedAgain(most: Int) async {
        let (pool, seen) = (WorkerPool(most: most), Seen())
        await withTaskGroup(of: Int.self) { group in
            for number in 0..<100 {
                group.addTask {
                    await pool.run {
                        seen.work(together: most)
                        return number
                    }
                }
            }
            var numbers: Set<Int> = []
            for await number in group { numbers.insert(number) }
            #expect(numbers == Set(0..<100))
        }
        #expect(seen.most == most)
        #expect(seen.threads.count == most)
    }

    @Test func areNotMadeForWorkThatOneOfThemCanDo() async throws {
        let (pool, seen) = (WorkerPool(most: 50), Seen())
        for _ in 0..<20 {
            await pool.run { seen.work() }
            // The answer may come before the thread waits again.
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(seen.threads.count <= 2)
    }

    @Test func endWithThePoolAfterWhatWasBegun() async throws {
        let seen = Seen()
        await withTaskGroup(of: Void.self) { group in
            let pool = WorkerPool(most: 3)
            for _ in 0..<3 { group.addTask { await pool.run { seen.work(together: 3) } } }
        }
        #expect(seen.threads.count == 3)
        #expect(try await eventually { !seen.threads.contains { FileManager.default.fileExists(atPath: $0) } })
    }

    @Test(arguments: [1, 4]) func thatCannotBeHadAreDoneWithout(most: Int) async {
        let maker = Maker(refusing: [Bool](repeating: true, count: 100))
        let (pool, seen) = (WorkerPool(most: most, makeThread: maker.make), Seen())
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<20 { group.addTask { await pool.run { seen.work() } } }
        }
        #expect(maker.count >= 1)
        // And those that can be had later are taken.
        let granted = Maker(refusing: [true])
        let later = WorkerPool(most: most, makeThread: granted.make)
        #expect(await later.run { 1 } == 1)
        #expect(await later.run { 2 } == 2)
        #expect(granted.count == 2)
    }

    @Test func thatCannotBeHadLeaveTheirWorkToThoseThatAreThere() async throws {
        let maker = Maker(refusing: [false, true])
        let (pool, seen) = (WorkerPool(most: 2, makeThread: maker.make), Seen())
        let gate = Gate()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                await pool.run {
                    seen.work()
                    gate.pass()
                }
            }
            #expect(try await eventually { seen.threads.count == 1 })
            group.addTask { await pool.run { seen.work() } }
            #expect(try await eventually { maker.count == 2 })
            gate.open()
            try await group.waitForAll()
        }
        #expect(seen.threads.count == 1)
    }

    @Test func areDetachedFromTheirFirstInstructionOn() async throws {
        // Swift's overlay of glibc does not have it.
        typealias Read = @convention(c) (pthread_t, UnsafeMutablePointer<pthread_attr_t>) -> CInt
        let readAttributes = unsafeBitCast(try #require(dlsym(nil, "pthread_getattr_np")), to: Read.self)
        for _ in 0..<200 {
            let state = try await withCheckedThrowingContinuation { (answer: CheckedContinuation<CInt, any Error>) in
                do throws(FetchFailure) {
                    try DetachedThread.run {
                        let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
                        defer { attributes.deallocate() }
                        var state: CInt = -1
                        if readAttributes(pthread_self(), attributes) == 0 {
                            pthread_attr_getdetachstate(attributes, &state)
                            pthread_attr_destroy(attributes)
                        }
                        answer.resume(returning: state)
                    }
                } catch {
                    answer.resume(throwing: error)
                }
            }
            #expect(state == CInt(PTHREAD_CREATE_DETACHED))
        }
    }
}
