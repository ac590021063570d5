// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "CMemProbe.h"

#include <errno.h>
#include <linux/kcmp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
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

static int wait_for(pid_t identifier, int flags, struct cmemprobe_change *change) {
    struct rusage usage = {0};
    pid_t found;
    do {
        found = wait4(identifier, &change->status, flags, &usage);
    } while (found < 0 && errno == EINTR);
    if (found < 0) {
        return errno;
    }
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
