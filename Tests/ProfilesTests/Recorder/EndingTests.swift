// SPDX-License-Identifier: Apache-2.0

import Profiles
import Testing

/// However a program ends, and whatever it becomes, what it held is recorded.
@Suite("Programs that end, or become others")
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

    @Test(
        "are recorded with what they held",
        arguments: [
            "return", "exit", "_exit", "_Exit", "quick_exit", "execve", "execv", "execvp", "execvpe", "execl", "execlp",
            "execle", "fexecve", "without recorder",
        ])
    func ends(how: String) async throws {
        let profile = try await CompiledProgram.with(Self.source) { try await Recorded($0, [how]).profile() }
        #expect(abs(profile.bytes(through: "hold") - 20 << 20) < 1 << 16)
    }

    @Test("are two programs of one process, of which the larger comes first")
    func becomesAnother() async throws {
        let recorded = try await CompiledProgram.with(Self.source) { try await Recorded($0, ["execve"]) }
        #expect(recorded.entries.count == 2)
        #expect(Set(recorded.entries.map(\.peak.process)).count == 1)
        #expect(recorded.entries.map(\.peak.name) == ["program", "true"])
    }

    @Test("go on where another one could not be started")
    func failedStart() async throws {
        let profile = try await CompiledProgram.with(Self.source) {
            let recorded = try await Recorded($0, ["failed"])
            #expect(recorded.entries.count == 1)
            return try recorded.profile()
        }
        #expect(abs(profile.bytes(through: "hold") - 30 << 20) < 1 << 16)
    }

    @Test("count once where a child holds nothing but what it took over, and becomes another at once")
    func child() async throws {
        let recorded = try await CompiledProgram.with(Self.source) { try await Recorded($0, ["child"]) }
        #expect(recorded.entries.map(\.peak.name) == ["program", "true"])
    }
}
