// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE

#include "CTestSupport.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

struct plan {
    struct timespec rest;
    char *const *program;
};

static int live(void *context) {
    const struct plan *plan = context;
    nanosleep(&plan->rest, NULL);
    if (plan->program != NULL) execv(plan->program[0], plan->program);
    _exit(plan->program == NULL ? 0 : 127);
}

static pid_t clone_with(int flags, struct plan *plan) {
    size_t size = 65536;
    char *stack = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stack == MAP_FAILED) return -errno;
    pid_t child = clone(live, stack + size, flags, plan);
    return child < 0 ? -errno : child;
}

pid_t ctestsupport_begin(enum ctestsupport_way way, int milliseconds, char *const program[]) {
    // A child beside its parent reads it while the parent goes on.
    static struct plan plan;
    plan = (struct plan){{milliseconds / 1000, milliseconds % 1000 * 1000000L}, program};
    pid_t child = 0;
    switch (way) {
    case CTESTSUPPORT_FORK:
        child = fork();
        if (child == 0) live(&plan);
        break;
    case CTESTSUPPORT_VFORK:
        child = vfork();
        if (child == 0) live(&plan);
        break;
    case CTESTSUPPORT_CLONE_VFORK: return clone_with(CLONE_VM | CLONE_VFORK | SIGCHLD, &plan);
    case CTESTSUPPORT_CLONE_WAITING_COPY: return clone_with(CLONE_VFORK | SIGCHLD, &plan);
    case CTESTSUPPORT_CLONE_SHARED: return clone_with(CLONE_VM, &plan);
    case CTESTSUPPORT_CLONE_SHARED_SIGCHLD: return clone_with(CLONE_VM | SIGCHLD, &plan);
    }
    return child < 0 ? -errno : child;
}
