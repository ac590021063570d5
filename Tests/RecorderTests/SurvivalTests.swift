// SPDX-License-Identifier: Apache-2.0

import Foundation
import Holders
import Support
import Testing

/// Programs that depend on what an allocator may do, written in C and compiled here: each ends well without the recorder.
@Suite("What the recorder must not change")
struct SurvivalTests {
    @Test("operators of the program's own, by which libstdc++ makes all others", arguments: Recorded.Allocator.allCases)
    func replacedOperators(allocator: Recorded.Allocator) async throws {
        try await survives(
            allocator, compiler: "/usr/bin/g++", suffix: "cc",
            """
            #include <cstdlib>
            #include <new>
            struct Head { size_t size, pad; };
            void *operator new(size_t size) {
                Head *head = (Head *)malloc(size + sizeof(Head));
                if (!head) throw std::bad_alloc();
                return head + 1;
            }
            void operator delete(void *block) noexcept { if (block) free((Head *)block - 1); }
            struct Large { char bytes[100000]; };
            int main() {
                delete new Large;
                delete[] new Large[3];
                delete new (std::nothrow) Large;
            }
            """)
    }

    @Test("a fork while another library's lock is held by a thread that allocates")
    func forkWithLocks() async throws {
        try await survives(
            .glibc,
            """
            #include <pthread.h>
            #include <stdlib.h>
            #include <sys/wait.h>
            #include <unistd.h>
            static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
            static void take(void) { pthread_mutex_lock(&lock); }
            static void give(void) { pthread_mutex_unlock(&lock); }
            __attribute__((constructor)) static void begin(void) { pthread_atfork(take, give, give); }
            static void *work(void *nothing) {
                for (;;) { take(); free(malloc(32 << 10)); give(); }
                return nothing;
            }
            int main(void) {
                pthread_t thread;
                pthread_create(&thread, 0, work, 0);
                for (int i = 0; i < 200; i++) {
                    pid_t child = fork();
                    if (child == 0) { free(malloc(40000)); _exit(0); }
                    waitpid(child, 0, 0);
                }
                _exit(0);
            }
            """)
    }

    @Test("a thread that is cancelled while memory is given back")
    func cancelledThread() async throws {
        try await survives(
            .glibc,
            """
            #include <pthread.h>
            #include <stdlib.h>
            #include <string.h>
            #include <unistd.h>
            static void *work(void *size) {
                for (size_t more = 0;; more += 4096) {
                    char *block = malloc((size_t)size + more);
                    memset(block, 1, (size_t)size + more);
                    free(block);
                    pthread_testcancel();
                }
            }
            int main(void) {
                for (int i = 0; i < 20; i++) {
                    pthread_t thread;
                    pthread_create(&thread, 0, work, (void *)((size_t)(i + 1) << 20));
                    usleep(1000 + i * 37);
                    pthread_cancel(thread);
                    pthread_join(thread, 0);
                }
                return 0;
            }
            """)
    }

    @Test("a reservation of terabytes is a short look")
    func reservation() async throws {
        let profile = try await survives(
            .glibc,
            """
            #include <stdlib.h>
            #include <string.h>
            #include <sys/mman.h>
            int main(void) {
                char *large = mmap(0, 1ul << 43, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
                large[0] = large[1ul << 42] = 1;
                char *block = malloc(8 << 20);
                memset(block, 1, 8 << 20);
                free(block);
                return 0;
            }
            """)
        #expect(profile.holders.contains { abs($0.bytes - (8 << 20)) <= 8192 })
    }

    @Test("a mapping that is committed by pieces counts once")
    func piecewise() async throws {
        let profile = try await survives(
            .glibc,
            """
            #include <string.h>
            #include <sys/mman.h>
            int main(void) {
                char *all = mmap(0, 64 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
                for (int i = 0; i < 8; i++) {
                    mmap(all + i * (4 << 20), 4 << 20, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
                }
                memset(all, 1, 32 << 20);
                munmap(all, 64 << 20);
                return 0;
            }
            """)
        let held = profile.holders.reduce(0) { $0 + $1.bytes }
        #expect(abs(held - (32 << 20)) < 1 << 20)
    }

    @Test("a child of vfork that cannot start anything does not end its parent's recording")
    func vfork() async throws {
        let program = """
            import subprocess
            try:
                subprocess.run(["/nonexistent"])
            except FileNotFoundError:
                pass
            block = bytearray(32 << 20)
            """
        let profile = try await Recorded("/usr/bin/python3", ["-c", program]).profile()
        #expect(profile.holders.contains { $0.bytes >= 32 << 20 })
    }

    /// Compiles a program, runs it to its end with the recorder, and explains it.
    @discardableResult
    private func survives(
        _ allocator: Recorded.Allocator, compiler: String = "/usr/bin/gcc", suffix: String = "c", _ source: String
    ) async throws -> HolderProfile {
        try await TemporaryFolder.with(in: NSTemporaryDirectory()) { folder in
            try source.write(toFile: "\(folder)/program.\(suffix)", atomically: true, encoding: .utf8)
            let compiling = ChildProcess(
                executable: compiler, name: compiler,
                arguments: [
                    "-O1", "-fno-builtin", "-w", "-o", "\(folder)/program", "\(folder)/program.\(suffix)", "-lpthread",
                ],
                environment: ["PATH": "/usr/bin:/bin"], directory: folder, limit: .seconds(100))
            #expect(try await compiling.output(limitedTo: 1 << 16).end.ending == .exited(0))
            return try await Recorded("\(folder)/program", [], on: allocator).profile()
        }
    }
}
