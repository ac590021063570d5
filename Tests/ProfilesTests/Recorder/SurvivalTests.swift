// SPDX-License-Identifier: Apache-2.0

import Foundation
import MemProbe
import OperatingSystem
import Profiles
import Testing
import Texts

/// Programs that depend on what an allocator may do, written in C and compiled here: each ends well without the recorder.
struct SurvivalTests {
    @Test(arguments: Recorded.Allocator.allCases)
    func operatorsOfTheProgramsOwnByWhichLibstdcMakesAllOthers(allocator: Recorded.Allocator) async throws {
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

    @Test(arguments: Recorded.Allocator.allCases)
    func alignedOperatorsOfTheProgramsOwnAndNoOthersOfItsOwn(allocator: Recorded.Allocator) async throws {
        try await survives(
            allocator, compiler: "/usr/bin/g++", suffix: "cc",
            """
            #include <cstdlib>
            #include <new>
            void *operator new(size_t size, std::align_val_t alignment) {
                size_t head = (size_t)alignment;
                char *block = (char *)aligned_alloc(head, (size + 2 * head - 1) / head * head);
                if (!block) throw std::bad_alloc();
                return block + head;
            }
            void operator delete(void *block, std::align_val_t alignment) noexcept {
                if (block) free((char *)block - (size_t)alignment);
            }
            struct alignas(256) Large { char bytes[100096]; };
            int main() {
                Large *volatile one = new Large;
                delete one;
                one = new Large[3];
                delete[] one;
                one = new (std::nothrow) Large;
                ::operator delete(one, std::align_val_t(256), std::nothrow);
                one = new (std::nothrow) Large[2];
                ::operator delete[](one, sizeof(Large) * 2, std::align_val_t(256));
            }
            """)
    }

    @Test func aLimitOfTheSizeOfFilesThatNoRecordingFitsInto() async throws {
        let source = """
            #include <stdlib.h>
            #include <string.h>
            #include <sys/resource.h>
            int main(void) {
                struct rlimit limit = {4096, 4096};
                setrlimit(RLIMIT_FSIZE, &limit);
                char *block = malloc(8 << 20);
                memset(block, 1, 8 << 20);
                free(block);
                return 0;
            }
            """
        let (ending, _, entries) = try await CompiledProgram.with(source) { try await Recorded.run($0, []) }
        #expect(ending == .exited(0))
        #expect(throws: FetchBenchError.recordingNotWritten) { try entries.get() }
    }

    @Test func aHandlerOfASignalThatMapsMemoryWhileTheSameThreadDoes() async throws {
        try await survives(
            .glibc,
            """
            #define _GNU_SOURCE
            #include <signal.h>
            #include <sys/mman.h>
            #include <sys/time.h>
            #define SIZE (128 << 10)
            static char *shared;
            static volatile int turns;
            // Refused, since no mapping begins there: nothing changes, whoever asks.
            static void ask(void) { mremap(shared + 1, SIZE, SIZE, 0); }
            static void handle(int signal) { turns++; ask(); }
            int main(void) {
                struct sigaction action = {.sa_handler = handle};
                struct itimerval often = {{0, 100}, {0, 100}}, never = {{0, 0}, {0, 0}};
                shared = mmap(0, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
                sigaction(SIGALRM, &action, 0);
                setitimer(ITIMER_REAL, &often, 0);
                while (turns < 20000) ask();
                setitimer(ITIMER_REAL, &never, 0);
                return 0;
            }
            """)
    }

    @Test func aForkWhileAnotherLibrarysLockIsHeldByAThreadThatAllocates() async throws {
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

    @Test func aThreadThatIsCancelledWhileMemoryIsGivenBack() async throws {
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

    @Test func aReservationOfTerabytesIsAShortLook() async throws {
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

    @Test func aMappingThatIsCommittedByPiecesCountsOnce() async throws {
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

    @Test func aFailedChildOfVforkDoesNotEndItsParentsRecording() async throws {
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
        try await CompiledProgram.with(source, compiler: compiler, suffix: suffix) { program in
            try await Recorded(program, [], on: allocator).profile()
        }
    }
}

/// However a program ends, and whatever it becomes, what it held is recorded.
struct EndingTests {
    /// Holds 20 MiB, and ends as its argument says.
    private static let source = """
        #define _GNU_SOURCE
        #include <fcntl.h>
        #include <stdlib.h>
        #include <string.h>
        #include <sys/wait.h>
        #include <unistd.h>
        __attribute__((noinline)) static char *hold(long size) {
            char *volatile block = malloc(size << 20);
            memset(block, 1, size << 20);
            return block;
        }
        static char *const words[] = {"true", 0};
        int main(int count, char **arguments) {
            #define IS(name) if (!strcmp(arguments[1], name))
            hold(20);
            IS("return") return 0;
            IS("exit") exit(0);
            IS("_exit") _exit(0);
            IS("_Exit") _Exit(0);
            IS("quick_exit") quick_exit(0);
            IS("execve") execve("/bin/true", words, environ);
            IS("execv") execv("/bin/true", words);
            IS("execvp") execvp("true", words);
            IS("execvpe") execvpe("true", words, environ);
            IS("execl") execl("/bin/true", "true", "--help", (char *)0);
            IS("execlp") execlp("true", "true", (char *)0);
            IS("execle") execle("/bin/true", "true", "--help", (char *)0, environ);
            IS("fexecve") fexecve(open("/bin/true", O_RDONLY), words, environ);
            IS("without recorder") execle("/bin/true", "true", (char *)0, (char *[]){0});
            IS("failed") { execl("/nonexistent", "nothing", (char *)0); hold(10); return 0; }
            IS("child") {
                if (fork() == 0) { execl("/bin/true", "true", (char *)0); _exit(1); }
                wait(0);
                return 0;
            }
            return 1;
        }
        """

    @Test(arguments: [
        "return", "exit", "_exit", "_Exit", "quick_exit", "execve", "execv", "execvp", "execvpe", "execl", "execlp",
        "execle", "fexecve", "without recorder",
    ])
    func areRecordedWithWhatTheyHeld(how: String) async throws {
        let profile = try await CompiledProgram.with(Self.source) { try await Recorded($0, [how]).profile() }
        #expect(abs(profile.bytes(through: "hold") - 20 << 20) < 1 << 16)
    }

    @Test func areTwoProgramsOfOneProcessOfWhichTheLargerComesFirst() async throws {
        let recorded = try await CompiledProgram.with(Self.source) { try await Recorded($0, ["execve"]) }
        #expect(recorded.entries.count == 2)
        #expect(Set(recorded.entries.map(\.peak.process)).count == 1)
        #expect(recorded.entries.map(\.peak.name) == ["program", "true"])
    }

    @Test func goOnWhereAnotherOneCouldNotBeStarted() async throws {
        let profile = try await CompiledProgram.with(Self.source) {
            let recorded = try await Recorded($0, ["failed"])
            #expect(recorded.entries.count == 1)
            return try await recorded.profile()
        }
        #expect(abs(profile.bytes(through: "hold") - 30 << 20) < 1 << 16)
    }

    @Test func countOnceWhereAChildHoldsNothingButWhatItTookOver() async throws {
        let recorded = try await CompiledProgram.with(Self.source) { try await Recorded($0, ["child"]) }
        #expect(recorded.entries.map(\.peak.name) == ["program", "true"])
    }
}
