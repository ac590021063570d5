// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "CMemProbe.h"

#include <elf.h>
#include <errno.h>
#include <linux/kcmp.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

int cmemprobe_trace_seize(int identifier) {
    const unsigned long options = PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE
        | PTRACE_O_TRACEEXEC | PTRACE_O_TRACEEXIT | PTRACE_O_EXITKILL;
    return ptrace(PTRACE_SEIZE, identifier, NULL, (void *)options) == 0 ? 0 : errno;
}

int cmemprobe_trace_continue(int identifier, int signal) {
    return ptrace(PTRACE_CONT, identifier, NULL, (void *)(long)signal) == 0 ? 0 : errno;
}

int cmemprobe_trace_listen(int identifier) {
    return ptrace(PTRACE_LISTEN, identifier, NULL, NULL) == 0 ? 0 : errno;
}

int cmemprobe_trace_message(int identifier, unsigned long *message) {
    return ptrace(PTRACE_GETEVENTMSG, identifier, NULL, message) == 0 ? 0 : errno;
}

// The system call in which a thread is stopped: its number and first argument, in the numbering of 32-bit programs or
// not.
struct call {
    uint64_t number, first;
    bool is_32_bit;
};

static int read_call(pid_t thread, struct call *call) {
#if defined(__x86_64__)
    // Registers have the layout of the program: in a 32-bit one, ebx is the first and orig_eax the twelfth.
    union {
        struct user_regs_struct wide;
        uint32_t narrow[17];
    } registers;
    struct iovec place = {&registers, sizeof registers};
    if (ptrace(PTRACE_GETREGSET, thread, (void *)NT_PRSTATUS, &place) != 0) return errno;
    call->is_32_bit = place.iov_len == sizeof registers.narrow;
    call->number = call->is_32_bit ? registers.narrow[11] : registers.wide.orig_rax & ~0x40000000ULL;  // x32
    call->first = call->is_32_bit ? registers.narrow[0] : registers.wide.rdi;
    return 0;
#elif defined(__aarch64__)
    union {
        struct user_regs_struct wide;
        uint32_t narrow[18];
    } registers;
    struct iovec place = {&registers, sizeof registers};
    if (ptrace(PTRACE_GETREGSET, thread, (void *)NT_PRSTATUS, &place) != 0) return errno;
    call->is_32_bit = place.iov_len == sizeof registers.narrow;
    call->number = call->is_32_bit ? registers.narrow[7] : registers.wide.regs[8];
    call->first = call->is_32_bit ? registers.narrow[0] : registers.wide.regs[0];
    return 0;
#else
    (void)thread;
    (void)call;
    return ENOSYS;
#endif
}

// The numbers of 32-bit programs are the same on x86 and ARM.
static bool is_call(const struct call *call, long wide, uint64_t narrow) {
    return call->number == (call->is_32_bit ? narrow : (uint64_t)wide);
}

int cmemprobe_clone_flags(int identifier, unsigned long long *flags) {
    struct call call = {0};
    int error = read_call(identifier, &call);
    if (error != 0) return error;
    if (is_call(&call, SYS_clone, 120)) {
        *flags = call.first;
        return 0;
    }
#ifdef SYS_fork
    if (is_call(&call, SYS_fork, 2)) {
        *flags = 0;
        return 0;
    }
    if (is_call(&call, SYS_vfork, 190)) {
        *flags = CLONE_VM | CLONE_VFORK;
        return 0;
    }
#endif
    // The number is the same on every architecture; headers before kernel 5.3 lack it.
    if (!is_call(&call, 435, 435)) return EINVAL;
    // The flags are the first field of the call's structure.
    errno = 0;
    long word = ptrace(PTRACE_PEEKDATA, identifier, (void *)(uintptr_t)call.first, NULL);
    *flags = (unsigned long)word;
    return errno;
}

static int wait_for(pid_t identifier, int flags, struct cmemprobe_change *change) {
    struct rusage usage = {0};
    pid_t found;
    do {
        found = wait4(identifier, &change->status, flags, &usage);
    } while (found < 0 && errno == EINTR);
    if (found < 0) return errno;
    change->identifier = found;
    change->largest_resident_kilobytes = usage.ru_maxrss;
    change->cpu_nanoseconds = (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000LL
        + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000LL;
    return 0;
}

int cmemprobe_next_change(struct cmemprobe_change *change) {
    return wait_for(-1, WNOHANG | __WALL | __WNOTHREAD, change);
}

int cmemprobe_change_of(int identifier, struct cmemprobe_change *change) {
    return wait_for(identifier, WNOHANG | __WALL, change);
}

bool cmemprobe_has_children(void) {
    siginfo_t information = {0};
    return waitid(P_ALL, 0, &information, WEXITED | WNOHANG | WNOWAIT | __WALL) == 0 || errno != ECHILD;
}

int cmemprobe_shares_memory(int first, int second) {
    long order = syscall(SYS_kcmp, first, second, KCMP_VM, 0, 0);
    return order < 0 ? -errno : order == 0;
}

int cmemprobe_set_subreaper(bool is_subreaper) {
    return prctl(PR_SET_CHILD_SUBREAPER, (unsigned long)is_subreaper, 0, 0, 0) == 0 ? 0 : errno;
}

bool cmemprobe_is_subreaper(void) {
    int value = 0;
    return prctl(PR_GET_CHILD_SUBREAPER, &value, 0, 0, 0) == 0 && value != 0;
}
