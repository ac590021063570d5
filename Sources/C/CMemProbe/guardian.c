// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "gate.h"
#include "keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// A guardian is a keeper for processes that the parent reads itself: the child waits at a gate, its end is reported
// with its resource usage, and its orphans stay where the parent finds them. It is forked from a process that may have
// threads: only async-signal-safe calls are allowed.

// The signal for the parent's death; it stays blocked like all others, and is waited for.
enum { ABANDONED = SIGTERM };
// The only descriptor it keeps: the pipe for the child's end.
enum { ENDING = 0 };

// Leaves the parent's session, and adopts orphaned descendants.
static void guard_children(pid_t parent) {
    setsid();
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    // If the parent ignores it, the ends of children would go unnoticed.
    struct sigaction standard = {0};
    standard.sa_handler = SIG_DFL;
    sigaction(SIGCHLD, &standard, NULL);
    prctl(PR_SET_PDEATHSIG, ABANDONED, 0, 0, 0);
    if (getppid() != parent) _exit(126);  // it was gone before the line above
    if (chdir("/") != 0) _exit(126);  // the folder it stands in could not be removed from its file system
}

// Reaps every ended child, reports the end of `child` and sets it to 0; returns true if any child is left.
static bool reap(pid_t *child, pid_t parent) {
    while (true) {
        struct cmemprobe_change change = {0};
        int error = cmemprobe_next_change(&change);
        if (error != 0) return error != ECHILD;
        if (change.identifier == 0) return true;
        if (change.identifier == *child && WIFSIGNALED(change.status) + WIFEXITED(change.status) > 0) {
            *child = 0;
            // The reader may be gone; SIGPIPE is blocked.
            ssize_t written = write(ENDING, &change, sizeof change);
            if (written == (ssize_t)sizeof change && getppid() == parent) kill(parent, SIGCHLD);
        }
    }
}

// Waits until no descendant is left, and kills all of them when the parent is gone.
static _Noreturn void keep_watch(pid_t parent, pid_t child) {
    sigset_t awaited;
    sigemptyset(&awaited);
    sigaddset(&awaited, SIGCHLD);
    sigaddset(&awaited, ABANDONED);
    while (reap(&child, parent)) {
        bool isAbandoned = getppid() != parent;
        if (isAbandoned) {
            // The whole group at once, from which no child can escape, while its number is certain; then processes that
            // have left it.
            if (child > 0) kill(-child, SIGKILL);
            cmemprobe_kill_children();
        }
        struct timespec rest = {0, isAbandoned ? 500000 : 100000000};
        sigtimedwait(&awaited, NULL, &rest);
    }
    _exit(0);
}

// Closes everything inherited from the parent, including locks and pipes.
static void release(int ending) {
    if (dup2(ending, ENDING) < 0) _exit(126);
    cmemprobe_close_from(ENDING + 1);
}

// Starts the child, reports its number or an errno, and watches.
static _Noreturn void guard(
    const struct cmemprobe_command *command, int gate, int report, int ending, pid_t parent) {
    guard_children(parent);
    pid_t own = getpid();
    pid_t child = fork();
    if (child == 0) cmemprobe_become(command, gate, report, own);
    struct cmemprobe_change begun = {child < 0 ? 0 : child, child < 0 ? errno : 0, 0, 0};
    if (write(ending, &begun, sizeof begun) != (ssize_t)sizeof begun || child < 0) _exit(126);
    release(ending);
    keep_watch(parent, child);
}

// Reads the child's number, which the guardian reports first; returns 0 or an errno.
static int await_beginning(int ending, int *child) {
    struct cmemprobe_change begun = {0};
    ssize_t count;
    do {
        count = read(ending, &begun, sizeof begun);
    } while (count < 0 && errno == EINTR);
    if (count != (ssize_t)sizeof begun) return EAGAIN;
    *child = begun.identifier;
    if (begun.identifier > 0) return fcntl(ending, F_SETFL, O_NONBLOCK) == 0 ? 0 : errno;
    return begun.status;
}

// The ends of three pipes: the guardian's and the parent's.
struct pipes {
    int gate[2], report[2], ending[2];
};

static int make_pipes(struct pipes *pipes) {
    int *each[] = {pipes->gate, pipes->report, pipes->ending};
    for (int index = 0; index < 3; index++) {
        int error = cmemprobe_make_pipe(each[index]);
        if (error != 0) {
            while (index-- > 0) cmemprobe_close_pipe(each[index]);
            return error;
        }
    }
    return 0;
}

// Closes the guardian's ends, or the parent's.
static void close_ends(const struct pipes *pipes, bool those_of_guardian) {
    close(pipes->gate[those_of_guardian ? 0 : 1]);
    close(pipes->report[those_of_guardian ? 1 : 0]);
    close(pipes->ending[those_of_guardian ? 1 : 0]);
}

int cmemprobe_fork_guarded(
    const struct cmemprobe_command *command, struct cmemprobe_gated_child *child, struct cmemprobe_guardian *guardian) {
    struct pipes pipes;
    int error = make_pipes(&pipes);
    if (error != 0) return error;
    pid_t parent = getpid();
    pid_t identifier = cmemprobe_fork_blocked();
    error = errno;
    if (identifier == 0) {
        close_ends(&pipes, false);
        guard(command, pipes.gate[0], pipes.report[1], pipes.ending[1], parent);
    }
    close_ends(&pipes, true);
    if (identifier > 0) {
        error = await_beginning(pipes.ending[0], &child->identifier);
        if (error != 0) {
            kill(identifier, SIGKILL);
            while (waitpid(identifier, NULL, 0) < 0 && errno == EINTR) {
            }
        }
    }
    if (identifier < 0 || error != 0) {
        close_ends(&pipes, false);
        return error;
    }
    child->gate = pipes.gate[1];
    child->report = pipes.report[0];
    *guardian = (struct cmemprobe_guardian){identifier, pipes.ending[0]};
    return 0;
}
