// SPDX-License-Identifier: Apache-2.0

import Profiles
import Testing

/// Held memory is known to the byte: the fixture allocates it at known lines.
struct AttributionTests {
    private static let mebibyte = 1 << 20

    @Test(arguments: Recorded.Allocator.allCases)
    func blocksAreFoundAtTheirLinesWithinFivePercent(allocator: Recorded.Allocator) async throws {
        let profile = try await Recorded(Recorded.fixture, ["planted"], on: allocator).profile()
        for (name, function, size) in [("eight", "holdEight", 8), ("sixteen", "holdSixteen", 16)] {
            let held = profile.bytes(through: PlantedLine.file, try PlantedLine.number(name), function)
            #expect(abs(held - size * Self.mebibyte) <= size * Self.mebibyte / 20, "\(name)")
        }
        #expect(try #require(profile.stackShare) > 0.6)
    }

    @Test(arguments: Recorded.Allocator.allCases)
    func aBlockThatReallocMovesIsThereTwiceOnlyWhereItIs(allocator: Recorded.Allocator) async throws {
        let profile = try await Recorded(Recorded.fixture, ["doubled"], on: allocator).profile()
        let line = try PlantedLine.number("doubled")
        let live = profile.bytes(through: PlantedLine.file, line, "double")
        let peak = profile.explainedPeak
        // glibc moves the pages of a block: there never are two. jemalloc copies, or keeps what it left.
        let others = [Holder.State.reallocated, .freed].map {
            profile.bytes(through: PlantedLine.file, line, "double", state: $0)
        }
        #expect(live >= 15 * Self.mebibyte && live <= 33 * Self.mebibyte)
        if allocator == .glibc { #expect(others.reduce(0, +) < Self.mebibyte) }
        #expect(peak >= 32 * Self.mebibyte)
        #expect(try #require(profile.stackShare) > 0.8)
    }

    @Test(arguments: Recorded.Allocator.allCases)
    func smallBlocksOfOneCallerAreCountedWithinAPercent(allocator: Recorded.Allocator) async throws {
        let recorded = try await Recorded(Recorded.fixture, ["small"], on: allocator)
        let profile = try await recorded.profile()
        let held = profile.bytes(through: PlantedLine.file, try PlantedLine.number("small"), "holdSmall")
        // Some 1,000 stretches of 48 KiB, of which the first and the last may be others' in part.
        #expect(abs(held - 48_000_000) < 480_000)
        #expect(profile.recorder.allocationCount >= 1_000_000)
        #expect(profile.recorder.lostCount == 0)
        #expect(profile.holders.contains { $0.isEstimate })
    }

    @Test(arguments: Recorded.Allocator.allCases)
    func memoryThatIsNeverTouchedIsNotResident(allocator: Recorded.Allocator) async throws {
        let profile = try await Recorded(Recorded.fixture, ["untouched"], on: allocator).profile()
        let touched = profile.bytes(through: PlantedLine.file, try PlantedLine.number("untouched"), "holdUntouched")
        let read = profile.bytes(through: PlantedLine.file, try PlantedLine.number("zeros"), "readUntouched")
        #expect(touched <= 3 * Self.mebibyte)
        // Reading maps the one page of zeros, again and again: no memory of anybody's.
        #expect(read <= Self.mebibyte)
        #expect(abs(profile.unattributed) < Self.mebibyte)
    }

    /// 110,000 blocks of 112 bytes come and go, in one thread or in four, before, after or without a later peak.
    @Test(arguments: Recorded.Allocator.allCases, ["bg", "sbsg", "gb", "4g"])
    func freedBlocksHoldTheMemoryThatTheAllocatorKeeps(allocator: Recorded.Allocator, order: String) async throws {
        let source = """
            #include <pthread.h>
            #include <stdlib.h>
            #include <string.h>
            static char more[3 << 20];
            __attribute__((noinline)) void *arm_timer(void *next) { void **timer = malloc(112); memset(timer, 1, 112); *timer = next; return timer; }
            static void *burst(void *count) {
                void **first = 0;
                for (long i = 0; i < (long)count; i++) { free(memset(malloc(16384), 2, 16384)); first = arm_timer(first); }
                while (first) { void **next = *first; free(first); first = next; }
                return 0;
            }
            int main(int count, char **words) {
                for (char *step = words[1]; *step; step++) {
                    if (*step == 'g') memset(more, 1, sizeof more);
                    if (*step == 'b') burst((void *)110000);
                    if (*step == 's') burst((void *)27500);
                    if (*step != '4') continue;
                    pthread_t threads[4];
                    for (int i = 0; i < 4; i++) pthread_create(&threads[i], 0, burst, (void *)27500);
                    for (int i = 0; i < 4; i++) pthread_join(threads[i], 0);
                }
                return 0;
            }
            """
        try await CompiledProgram.with(source) { program in
            let profile = try await Recorded(program, [order], on: allocator).profile()
            let held = profile.holders.filter { $0.stack.contains { profile.frames[$0].function == "arm_timer" } }
                .reduce(0) { $0 + $1.bytes }
            // jemalloc gives back a part, and its threads take over what others have freed.
            #expect(held > 5_000_000 && (allocator == .jemalloc || abs(held - 12_320_000) < 1_232_000))
            let unnamed = profile.residues.reduce(0) { $0 + ($1.kind == .allocator ? $1.bytes : 0) }
            #expect(unnamed < profile.explainedPeak / 8)
        }
    }

    /// The second library comes to the addresses of the first.
    @Test(arguments: Recorded.Allocator.allCases)
    func closedLibrariesKeepTheirNames(allocator: Recorded.Allocator) async throws {
        func library(_ name: String, _ size: Int) -> String {
            "#include <stdlib.h>\n#include <string.h>\n"
                + "char *\(name)(void) { return memset(malloc(\(size) << 20), 1, \(size) << 20); }\n"
        }
        let source = """
            #include <dlfcn.h>
            int main(int count, char **words) {
                void *library = dlopen(words[1], RTLD_NOW);
                char *first = ((char *(*)(void))dlsym(library, "first_plugin"))();
                dlclose(library);
                for (int i = 0; i < 100; i++) dlclose(dlopen(words[1], RTLD_NOW));
                char *second = ((char *(*)(void))dlsym(dlopen(words[2], RTLD_NOW), "second_plugin"))();
                return first[5] + second[5] - 2;
            }
            """
        let options = ["-O1", "-w", "-fPIC", "-shared"]
        try await CompiledProgram.with(library("first_plugin", 30), options: options) { first in
            try await CompiledProgram.with(library("second_plugin", 20), options: options) { second in
                try await CompiledProgram.with(source) { program in
                    let profile = try await Recorded(program, [first, second], on: allocator).profile()
                    for (name, size) in [("first_plugin", 30), ("second_plugin", 20)] {
                        let rows = profile.holders.filter { $0.stack.first.map { profile.frames[$0].function } == name }
                        let held = rows.reduce(0) { $0 + $1.bytes }
                        #expect(abs(held - size * Self.mebibyte) < Self.mebibyte / 4, "\(name)")
                    }
                }
            }
        }
    }

    /// 17 MiB by a system call that no recorder sees, 8 MiB more that have a name, and 4 MiB in each of three threads.
    @Test(arguments: Recorded.Allocator.allCases)
    func memoryOfNoAllocatorHasRowsOfItsOwn(allocator: Recorded.Allocator) async throws {
        let source = """
            #include <pthread.h>
            #include <string.h>
            #include <sys/mman.h>
            #include <sys/prctl.h>
            #include <sys/syscall.h>
            #include <unistd.h>
            static __thread char data[4 << 20];
            static pthread_barrier_t all;
            static void *run(void *none) { memset(data, 1, sizeof data); pthread_barrier_wait(&all); return none; }
            int main(void) {
                memset((void *)syscall(SYS_mmap, 0, 17 << 20, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 1, 17 << 20);
                char *named = (char *)syscall(SYS_mmap, 1ul << 40, 8 << 20, 3, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
                prctl(0x53564d41, 0, named, 8 << 20, "an allocator's");
                memset(named, 1, 8 << 20);
                pthread_t threads[2];
                pthread_barrier_init(&all, 0, 3);
                for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, run, 0);
                run(0);
                _exit(0);
            }
            """
        try await CompiledProgram.with(source) { program in
            let profile = try await Recorded(program, [], on: allocator).profile()
            for (kind, size) in [(Residue.Kind.stacks, 12), (.mappings, 25), (.allocator, 0)] {
                let bytes = profile.residues.reduce(0) { $0 + ($1.kind == kind ? $1.bytes : 0) }
                #expect(abs(bytes - size * Self.mebibyte) < Self.mebibyte / 2, "\(kind): \(bytes)")
            }
        }
    }

    /// A program that is killed while it grows, built without unwind tables.
    @Test func aKilledProcessLeavesItsLastLook() async throws {
        let source = """
            #include <signal.h>
            #include <stdlib.h>
            #include <string.h>
            __attribute__((noinline)) void leak(void) { memset(malloc(1 << 20), 1, 1 << 20); }
            int main(void) { for (int i = 0; i < 40; i++) leak(); return raise(SIGKILL); }
            """
        let options = ["-O1", "-w", "-fno-builtin", "-fno-asynchronous-unwind-tables"]
        try await CompiledProgram.with(source, options: options) { program in
            let entry = try #require(try await Recorded.run(program, []).2.get().first)
            #expect(entry.peak.account.wasCutOff == true)
            let profile = await ProfileBuilder(peak: entry.peak, baseline: nil).named(
                by: Symbolizer(searchPath: Recorded.searchPath)
            ).profile(of: "a", allocator: "", explainedPeak: 40 << 20, plainPeak: nil)
            let first = try #require(profile.holders.first)
            #expect(first.bytes > 28 << 20 && profile.frames[first.stack[0]].function == "leak")
            let table = HolderTable(profile)
            #expect(table.warnings.joined().contains("last look") && table.remarks.joined().contains("unwind tables"))
        }
    }

    @Test func memoryThatIsMappedWithoutTheAllocatorIsFound() async throws {
        let profile = try await Recorded(Recorded.fixture, ["mapped"]).profile()
        let held = profile.bytes(through: PlantedLine.file, try PlantedLine.number("mapped"), "holdMapped")
        #expect(abs(held - 12 * Self.mebibyte) < Self.mebibyte / 2)
    }

    @Test(arguments: Recorded.Allocator.allCases)
    func blocksThatAnotherThreadHasFreedAreNotHeld(allocator: Recorded.Allocator) async throws {
        let profile = try await Recorded(Recorded.fixture, ["elsewhere"], on: allocator).profile()
        #expect(profile.bytes(through: PlantedLine.file, try PlantedLine.number("eight"), "holdEight") == 0)
        let sixteen = profile.bytes(through: PlantedLine.file, try PlantedLine.number("sixteen"), "holdSixteen")
        #expect(abs(sixteen - 16 * Self.mebibyte) < Self.mebibyte)
    }

    @Test func itsOwnMemoryIsBelow8MiBAndInNoRow() async throws {
        let recorded = try await Recorded(Recorded.fixture, ["planted"])
        let peak = try #require(recorded.entries.first).peak
        #expect(peak.ownBytes > 4 << 20 && peak.ownBytes <= 8 << 20)
        let all = peak.mappings.reduce(0) { $0 + $1.resident }
        #expect(abs(Attribution(peak).total - (all - peak.ownBytes)) <= 4096)
    }
}
