// SPDX-License-Identifier: Apache-2.0
// The recorder at work in a thread: nothing that it does itself is recorded, and no handler of a signal comes in between.
// One that gave memory back meanwhile would wait for a lock that its own thread holds, or would not be recorded.
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "recorder.h"

#define BIT(signal) ((uint64_t)1 << ((signal) - 1))
// These are raised by the thread's own instructions and cannot be blocked.
#define OF_THE_THREAD (BIT(SIGSEGV) | BIT(SIGBUS) | BIT(SIGILL) | BIT(SIGFPE) | BIT(SIGTRAP) | BIT(SIGSYS))

// Whether the recorder may work here now; then `visit_end` has to follow.
bool visit_begin(struct visit *visit) {
    if (!recorder_tables || recorder_thread.inside) return false;
    uint64_t waiting = ~OF_THE_THREAD;
    visit->error = errno;
    syscall(SYS_rt_sigprocmask, SIG_BLOCK, &waiting, &visit->signals, sizeof waiting);
    recorder_thread.inside = true;
    return true;
}

void visit_end(const struct visit *visit) {
    recorder_thread.inside = false;
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &visit->signals, NULL, sizeof visit->signals);
    errno = visit->error;
}
