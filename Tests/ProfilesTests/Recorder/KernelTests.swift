// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import MemProbe
import OperatingSystem
import Profiles
import Testing
import Texts

struct KernelTests {
    @Test func thatWereOnlyReadHoldNothingOnAKernelThatDoesNotListThem() async throws {
        let profile = try await CompiledProgram.with(Self.older) { try await Recorded($0, []).profile() }
        #expect(profile.bytes(through: "only_read") == 0)
        #expect(profile.bytes(through: "written") == 16 << 20)
        #expect(profile.recorder.mayCountZeros == nil)
    }

    @Test func thatSuchAKernelCannotTellApartAreCountedAndThatIsSaid() async throws {
        let profile = try await CompiledProgram.with(Self.older) { try await Recorded($0, ["fork"]).profile() }
        #expect(profile.bytes(through: "written") == 16 << 20)
        #expect(profile.recorder.mayCountZeros == true)
        #expect(ProfileRemarks.warnings(on: profile).contains { $0.contains("6.7") })
    }

    @Test(arguments: Recorded.Allocator.allCases)
    func ofOldFunctionsOfTheCLibraryAreOfWhoeverCalledThem(allocator: Recorded.Allocator) async throws {
        let source = """
            #define _GNU_SOURCE
            #include <malloc.h>
            #include <stdlib.h>
            #include <string.h>
            __attribute__((noinline)) static char *by_valloc(void) { char *volatile made = valloc(8 << 20); return made; }
            __attribute__((noinline)) static char *by_pvalloc(void) { char *volatile made = pvalloc(4 << 20); return made; }
            int main(void) {
                char *one = by_valloc(), *other = by_pvalloc();
                memset(one, 1, 8 << 20);
                memset(other, 1, 4 << 20);
                free(one);
                free(other);
                return 0;
            }
            """
        let profile = try await CompiledProgram.with(source) { try await Recorded($0, [], on: allocator).profile() }
        #expect(abs(profile.bytes(through: "by_valloc") - 8 << 20) < 1 << 16)
        #expect(abs(profile.bytes(through: "by_pvalloc") - 4 << 20) < 1 << 16)
    }

    /// Reads 32 MiB and writes 16 where the kernel cannot list pages, with a child or without.
    private static let older = """
        #define _GNU_SOURCE
        #include <errno.h>
        #include <stddef.h>
        #include <stdlib.h>
        #include <string.h>
        #include <unistd.h>
        #include <linux/filter.h>
        #include <linux/seccomp.h>
        #include <sys/mman.h>
        #include <sys/prctl.h>
        #include <sys/syscall.h>
        #include <sys/wait.h>
        // The call that lists resident pages, as a kernel before 6.7 answers it.
        static void be_older(void) {
            struct sock_filter filter[] = {
                BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
                BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, 3),
                BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1])),
                BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0xc0606610, 0, 1),
                BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOTTY),
                BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
            };
            struct sock_fprog program = {6, filter};
            prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
            if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) exit(3);
        }
        __attribute__((noinline)) static char *only_read(void) {
            char *volatile made = mmap(0, 32 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); return made; }
        __attribute__((noinline)) static char *written(void) {
            char *volatile made = mmap(0, 16 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); return made; }
        int main(int count, char **words) {
            be_older();
            prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
            volatile char sum = 0;
            char *zeros = only_read(), *memory = written();
            for (int i = 0; i < 32 << 20; i += 4096) sum += zeros[i];
            memset(memory, 1, 16 << 20);
            if (count > 1) { if (fork() == 0) { syscall(SYS_exit_group, 0); } wait(0); }
            return 0;
        }
        """
}

struct RecordedProcessTests {
    @Test func aCommandInPythonIsExplainedByName() async throws {
        let program = "blocks = [bytearray(3 << 20) for _ in range(10)]; print(len(blocks))"
        let profile = try await Recorded("/usr/bin/python3", ["-c", program]).profile()
        let large = profile.holders.filter { $0.state == .live }.reduce(0) { $0 + $1.bytes }
        #expect(large >= 30 << 20)
        // How much of the interpreter's own file is resident differs between machines.
        let files = profile.residues.filter { $0.kind == .files }.reduce(0) { $0 + $1.bytes }
        #expect(Double(large) > 0.9 * Double(profile.explainedPeak - files))
    }

    @Test func aChildThatWasForkedHasARecordingOfItsOwnWithWhatItTookOver() async throws {
        let program = """
            import os
            block = bytearray(8 << 20)
            if os.fork() == 0:
                more = bytearray(4 << 20)
                del more
                os._exit(0)
            os.wait()
            """
        let recorded = try await Recorded("/usr/bin/python3", ["-c", program])
        #expect(Set(recorded.entries.map(\.peak.process)).count == 2)
        // The child holds what it has inherited and 4 MiB of its own.
        let held = recorded.entries.map { entry in
            ProfileBuilder(peak: entry.peak, baseline: nil).profile(
                of: "", allocator: "", explainedPeak: 0, plainPeak: nil
            ).holders.filter { $0.state == .live && $0.bytes >= 4 << 20 }.reduce(0) { $0 + $1.bytes }
        }.sorted()
        #expect(held[0] >= 8 << 20 && held[0] < 9 << 20)
        #expect(held[1] >= 12 << 20 && held[1] < 13 << 20)
    }

    @Test(.enabled(if: getuid() == 0, "root alone"))
    func theKernelsMarkIsFoundBehindTheListOfHundredsOfGroups() async throws {
        let program = """
            import os
            os.setgroups(range(100000, 100900))
            block = bytearray(64 << 20)
            del block
            """
        let recorded = try await Recorded("/usr/bin/python3", ["-c", program])
        #expect(try #require(recorded.entries.first?.peak.finalHighWater) >= 64 << 20)
    }

    @Test func eachProgramOfAPipelineIsRecorded() async throws {
        let recorded = try await Recorded("/bin/sh", ["-c", "head -c 3000000 /dev/zero | sort | tail -c 1"])
        #expect(Set(recorded.entries.map(\.peak.process)).count >= 3)
    }

    @Test func aProgramWithoutItHasNoRecordingAndThatIsSaid() async throws {
        _ = try await TemporaryFolder.with(in: NSTemporaryDirectory()) { folder in
            #expect(throws: FetchBenchError.recorderNotLoaded) { try RecordingFolder(path: folder).entries() }
        }
    }

    @Test func aRecordingThatWasCutOffAnywhereIsRefused() async throws {
        try await TemporaryFolder.with(in: NSTemporaryDirectory()) { folder in
            let libraries = Recorded.products + "/" + Recording.library
            let child = ChildLaunch(
                executable: Recorded.fixture, name: "recorded", arguments: ["mapped"],
                environment: ["LD_PRELOAD": libraries, "FETCHBENCH_RECORDER_FOLDER": folder], directory: folder,
                limit: .seconds(300))
            _ = try await child.run()
            let name = try #require(
                FileManager.default.contentsOfDirectory(atPath: folder).first { $0.hasSuffix(".peak") })
            let whole = try #require(FileManager.default.contents(atPath: folder + "/" + name))
            for count in [0, 4, 100, whole.count / 3, whole.count - 1] {
                try whole.prefix(count).write(to: URL(fileURLWithPath: folder + "/" + name))
                #expect(throws: FetchBenchError.truncatedRecording) { try RecordingFolder(path: folder).entries() }
            }
            // The end is there, and the middle is not.
            try (whole.prefix(whole.count / 2) + whole.suffix(8)).write(to: URL(fileURLWithPath: folder + "/" + name))
            #expect(throws: FetchBenchError.self) { try RecordingFolder(path: folder).entries() }
            try Data("something else entirely".utf8).write(to: URL(fileURLWithPath: folder + "/" + name))
            #expect(throws: FetchBenchError("the recording is invalid: it does not begin as a recording does")) {
                try RecordingFolder(path: folder).entries()
            }
        }
    }
}
