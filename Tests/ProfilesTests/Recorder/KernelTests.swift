// SPDX-License-Identifier: Apache-2.0

import Profiles
import Testing

/// What kernels say of memory, and how much of it an older one does.
@Suite("Pages by what the kernel tells of them")
struct KernelTests {
    @Test("that were only read hold nothing on a kernel that does not list them")
    func olderKernel() async throws {
        let profile = try await CompiledProgram.with(Self.older) { try await Recorded($0, []).profile() }
        #expect(profile.bytes(through: "only_read") == 0)
        #expect(profile.bytes(through: "written") == 16 << 20)
        #expect(profile.recorder.mayCountZeros == nil)
    }

    @Test("that such a kernel cannot tell apart are counted, and that is said")
    func olderKernelAfterFork() async throws {
        let profile = try await CompiledProgram.with(Self.older) { try await Recorded($0, ["fork"]).profile() }
        #expect(profile.bytes(through: "written") == 16 << 20)
        #expect(profile.recorder.mayCountZeros == true)
        #expect(ProfileRemarks.warnings(on: profile).contains { $0.contains("6.7") })
    }

    @Test("that have a name are what they are without")
    func namedMemory() async throws {
        let source = """
            #define _GNU_SOURCE
            #include <string.h>
            #include <sys/mman.h>
            #include <sys/prctl.h>
            #include <sys/syscall.h>
            #include <unistd.h>
            int main(void) {
                // As an allocator maps that calls the kernel itself.
                char *heap = (char *)syscall(SYS_mmap, (void *)(1ul << 40), 8 << 20, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
                prctl(0x53564d41, 0, heap, 8 << 20, "an allocator's");
                memset(heap, 1, 8 << 20);
                return 0;
            }
            """
        let profile = try await CompiledProgram.with(source) { try await Recorded($0, []).profile() }
        func bytes(_ kind: Residue.Kind) -> Int {
            profile.residues.reduce(0) { $0 + ($1.kind == kind ? $1.bytes : 0) }
        }
        #expect(bytes(.allocator) >= 8 << 20)
        #expect(bytes(.mappings) < 1 << 20)
    }

    @Test("of old functions of the C library are of whoever called them", arguments: Recorded.Allocator.allCases)
    func oldFunctions(allocator: Recorded.Allocator) async throws {
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
