// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageLoading
import Synchronization
import Testing

@Suite("Threads for what blocks", .timeLimit(.minutes(5)))
struct WorkerPoolTests {
    /// What was seen from the threads.
    private final class Seen: Sendable {
        private let state = Mutex((threads: Set<UInt>(), running: 0, most: 0))

        var threadCount: Int { state.withLock { $0.threads.count } }
        var most: Int { state.withLock { $0.most } }

        func work() {
            state.withLock { state in
                state.threads.insert(UInt(pthread_self()))
                state.running += 1
                state.most = max(state.most, state.running)
            }
            usleep(500)
            state.withLock { $0.running -= 1 }
        }
    }

    @Test("are as many as they may be and no more, and used again", arguments: [1, 2, 5])
    func count(most: Int) async {
        let (pool, seen) = (WorkerPool(most: most), Seen())
        await withTaskGroup(of: Int.self) { group in
            for number in 0..<100 {
                group.addTask {
                    await pool.run {
                        seen.work()
                        return number
                    }
                }
            }
            var numbers: Set<Int> = []
            for await number in group { numbers.insert(number) }
            #expect(numbers == Set(0..<100))
        }
        #expect(seen.most <= most)
        #expect(seen.threadCount <= most)
    }

    @Test("are not made for work that one of them can do")
    func reuse() async throws {
        let (pool, seen) = (WorkerPool(most: 50), Seen())
        for _ in 0..<20 {
            await pool.run { seen.work() }
            // The answer may come before the thread waits again.
            try await Task.sleep(for: .milliseconds(5))
        }
        #expect(seen.threadCount < 20)
    }

    @Test("end with the pool, after what was begun")
    func end() async {
        let done = await WorkerPool(most: 2).run { 7 }
        #expect(done == 7)
    }
}
