// SPDX-License-Identifier: Apache-2.0
// Work of the recorder in a thread: its own allocations are not recorded, and signal handlers wait. A handler that
// freed memory meanwhile could wait for a lock of its own thread, or would not be recorded.
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "recorder.h"

#define BIT(signal) ((uint64_t)1 << ((signal) - 1))
// Raised by the thread's own instructions; cannot be blocked.
#define OF_THE_THREAD (BIT(SIGSEGV) | BIT(SIGBUS) | BIT(SIGILL) | BIT(SIGFPE) | BIT(SIGTRAP) | BIT(SIGSYS))

// Returns true if the recorder may work now; then `visit_end` has to follow.
bool visit_begin(struct visit *visit) {
    if (!recorder_tables || recorder_thread.inside) return false;
    uint64_t waiting = ~OF_THE_THREAD;
    visit->error = errno;
    syscall(SYS_rt_sigprocmask, SIG_BLOCK, &waiting, &visit->signals, sizeof waiting);
    recorder_thread.inside = true;
    peak_listen();
    return true;
}

void visit_end(const struct visit *visit) {
    recorder_thread.inside = false;
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &visit->signals, NULL, sizeof visit->signals);
    errno = visit->error;
}
