// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "keeper.h"
#include "gate.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// A keeper is forked from a process with threads and executes nothing: its code must not allocate or take locks.

// The nanoseconds that the child's descendants may run on after it.
static const long long GRACE = 200000000;
// The nanoseconds for which killing processes that do not die is retried.
static const long long PATIENCE = 10000000000;

struct keeper {
    // Requests from the parent; end of file means that the parent is gone.
    int orders;
    // Reports to the parent.
    int events;
    // A signalfd for SIGCHLD, to be polled.
    int changes;
    pid_t child;
    bool stays;
    bool has_ended;
    bool is_unwanted;
    struct cmemprobe_keeper_event end;
};

static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void tell(const struct keeper *keeper, const struct cmemprobe_keeper_event *event) {
    // The parent may be gone; no SIGPIPE then.
    ssize_t written = send(keeper->events, event, sizeof *event, MSG_NOSIGNAL);
    (void)written;
}

// Closes everything inherited from the parent, which releases its locks, except what the keeper needs.
static void release(struct keeper *keeper) {
    int *kept[] = {&keeper->orders, &keeper->events, &keeper->changes};
    for (int index = 0; index < 3; index++) {
        if (*kept[index] >= 0) *kept[index] = fcntl(*kept[index], F_DUPFD_CLOEXEC, 16);
    }
    int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int index = 0; index < 3; index++) {
        if (nowhere < 0 || dup2(nowhere, index) < 0) close(index);
    }
    int place = 3;
    for (int index = 0; index < 3; index++) {
        if (*kept[index] >= 0) *kept[index] = dup3(*kept[index], place++, O_CLOEXEC);
    }
    cmemprobe_close_from(place);
}

// Reaps zombies; returns true if any child is left.
static bool reap(struct keeper *keeper) {
    for (;;) {
        int status = 0;
        pid_t found = waitpid(-1, &status, WNOHANG | __WALL);
        if (found == keeper->child && found > 0) {
            keeper->has_ended = true;
            keeper->end.status = status;
            keeper->end.time_nanoseconds = now();
        } else if (found == 0 || (found < 0 && errno != EINTR)) {
            return found == 0;
        }
    }
}

static void rest(const struct keeper *keeper, int milliseconds) {
    struct pollfd change = {keeper->changes, POLLIN, 0};
    poll(&change, 1, milliseconds);
    struct signalfd_siginfo information;
    while (read(keeper->changes, &information, sizeof information) > 0) {
    }
}

// Kills the child and all its descendants, whose orphans become children of this process and are killed in turn.
static void end_all(struct keeper *keeper) {
    long long limit = now() + PATIENCE;
    if (!keeper->has_ended) {
        // The whole group at once, while its number is certain: it may be one that starts processes endlessly.
        kill(-keeper->child, SIGKILL);
        kill(keeper->child, SIGKILL);
    }
    while (reap(keeper) && now() < limit) {
        cmemprobe_kill_children();
        rest(keeper, 5);
    }
}

// Handles a request of the parent; returns false if the parent is gone.
static bool obey(struct keeper *keeper) {
    unsigned char number;
    ssize_t count = recv(keeper->orders, &number, 1, MSG_DONTWAIT);
    if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) return false;
    if (count == 1 && number == SIGKILL) {
        keeper->is_unwanted = true;
    } else if (count == 1 && !keeper->has_ended) {
        kill(keeper->child, number);
    }
    return true;
}

// Waits for a child's change, a request, or until a time; returns false if the parent is gone.
static bool wait_for_news(struct keeper *keeper, long long until) {
    struct pollfd watched[2] = {{keeper->changes, POLLIN, 0}, {keeper->orders, POLLIN, 0}};
    int timeout = -1;
    if (until > 0) {
        long long left = until - now();
        timeout = left > 0 ? (int)(left / 1000000) + 1 : 0;
    }
    if (keeper->changes < 0 && (timeout < 0 || timeout > 5)) timeout = 5;
    poll(watched, 2, timeout);
    if (watched[0].revents != 0) rest(keeper, 0);
    return watched[1].revents == 0 || obey(keeper);
}

static void keep(struct keeper *keeper) {
    bool has_others = true;
    bool has_parent = true;
    bool is_told = false;
    while (has_parent) {
        has_others = reap(keeper);
        if (keeper->has_ended && keeper->stays && !is_told) {
            tell(keeper, &keeper->end);
            is_told = true;
        }
        long long limit = keeper->has_ended && !keeper->stays ? keeper->end.time_nanoseconds + GRACE : 0;
        if (keeper->is_unwanted || (keeper->has_ended && !has_others) || (limit > 0 && now() >= limit)) break;
        has_parent = wait_for_news(keeper, limit);
    }
    if (has_parent && has_others && keeper->has_ended && !keeper->is_unwanted) {
        cmemprobe_describe_descendants(&keeper->end);
    }
    end_all(keeper);
    if (!keeper->has_ended) {
        keeper->end.status = SIGKILL;
        keeper->end.time_nanoseconds = now();
    }
    if (!is_told) tell(keeper, &keeper->end);
    _exit(0);
}

// Starts the child; returns the failure, with stage 0 if the child runs.
static struct cmemprobe_start_failure start(struct keeper *keeper, const struct cmemprobe_command *command) {
    struct cmemprobe_start_failure failure = {0, 0};
    int report[2];
    failure.error = cmemprobe_make_pipe(report);
    if (failure.error != 0) {
        failure.stage = 4;
        return failure;
    }
    pid_t own = getpid();
    // The child uses the keeper's memory until its exec: nothing is copied.
    pid_t child = vfork();
    if (child == 0) {
        cmemprobe_become(command, -1, report[1], own);
        _exit(126);
    }
    int error = errno;
    close(report[1]);
    if (child < 0) {
        failure.stage = 4;
        failure.error = error;
    } else {
        keeper->child = child;
        ssize_t count;
        do {
            count = read(report[0], &failure, sizeof failure);
        } while (count < 0 && errno == EINTR);
    }
    close(report[0]);
    return failure;
}

static void keep_child(struct keeper *keeper, const struct cmemprobe_command *command) {
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    keeper->changes = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    struct cmemprobe_keeper_event event = {.kind = CMEMPROBE_KEEPER_STARTED, .time_nanoseconds = now()};
    struct cmemprobe_start_failure failure = start(keeper, command);
    release(keeper);
    event.identifier = keeper->child;
    if (failure.stage != 0) {
        event.kind = CMEMPROBE_KEEPER_FAILED;
        event.failure = failure;
    }
    tell(keeper, &event);
    if (failure.stage != 0) _exit(0);
    keeper->end.kind = CMEMPROBE_KEEPER_ENDED;
    keeper->end.identifier = keeper->child;
    keep(keeper);
}

// Forks a keeper with all signals blocked; returns 0 in it, its number in the parent, or minus an errno.
static pid_t fork_keeper(struct keeper *inside, struct cmemprobe_keeper *outside) {
    int orders[2];
    int events[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, orders) != 0) return -errno;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, events) != 0) {
        int error = errno;
        cmemprobe_close_pipe(orders);
        return -error;
    }
    pid_t identifier = cmemprobe_fork_blocked();
    int error = errno;
    if (identifier == 0) {
        // Not affected by Ctrl-C or the end of the terminal.
        setsid();
        prctl(PR_SET_NAME, "memprobe-keeper", 0, 0, 0);
        // The child may have stopped the keeper, which has work to do when the parent is gone.
        prctl(PR_SET_PDEATHSIG, SIGCONT, 0, 0, 0);
        struct sigaction standard = {0};
        standard.sa_handler = SIG_DFL;
        sigaction(SIGCHLD, &standard, NULL);
        close(orders[1]);
        close(events[0]);
        *inside = (struct keeper){.orders = orders[0], .events = events[1], .changes = -1};
        return 0;
    }
    close(orders[0]);
    close(events[1]);
    if (identifier < 0) {
        close(orders[1]);
        close(events[0]);
        return -error;
    }
    *outside = (struct cmemprobe_keeper){.identifier = identifier, .orders = orders[1], .events = events[0]};
    return identifier;
}

int cmemprobe_keep_child(const struct cmemprobe_command *command, bool leaves_others, struct cmemprobe_keeper *keeper) {
    struct keeper inside;
    pid_t identifier = fork_keeper(&inside, keeper);
    if (identifier == 0) {
        inside.stays = leaves_others;
        keep_child(&inside, command);
    }
    return identifier < 0 ? -identifier : 0;
}

int cmemprobe_keeper_order(int orders, int number) {
    unsigned char byte = (unsigned char)number;
    return send(orders, &byte, 1, MSG_NOSIGNAL) == 1 ? 0 : errno;
}

bool cmemprobe_keeper_next(int events, struct cmemprobe_keeper_event *event) {
    ssize_t count;
    do {
        count = recv(events, event, sizeof *event, 0);
    } while (count < 0 && errno == EINTR);
    return count == (ssize_t)sizeof *event;
}

// A folder to be emptied, and its depth: each level uses stack, which may be small.
struct doomed {
    int folder;
    int depth;
};

static bool remove_name(const char *name, void *context) {
    const struct doomed *parent = context;
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || unlinkat(parent->folder, name, 0) == 0) return true;
    struct doomed inner = {-1, parent->depth + 1};
    if (inner.depth < 64) inner.folder = openat(parent->folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (inner.folder < 0) return true;
    fchmod(inner.folder, 0700);
    cmemprobe_each_name(inner.folder, remove_name, &inner);
    close(inner.folder);
    unlinkat(parent->folder, name, AT_REMOVEDIR);
    return true;
}

// Makes the folder, and removes it when the parent is gone; other keepers end the processes that write to it.
static void keep_folder(struct keeper *keeper, const char *path) {
    struct cmemprobe_keeper_event event = {.kind = CMEMPROBE_KEEPER_STARTED};
    if (mkdir(path, 0700) != 0) {
        event.kind = CMEMPROBE_KEEPER_FAILED;
        event.failure.error = errno;
    }
    release(keeper);
    tell(keeper, &event);
    if (event.kind == CMEMPROBE_KEEPER_FAILED) _exit(0);
    unsigned char byte;
    while (recv(keeper->orders, &byte, 1, 0) < 0 && errno == EINTR) {
    }
    struct doomed here = {AT_FDCWD, 0};
    for (long long limit = now() + PATIENCE; now() < limit && access(path, F_OK) == 0;) {
        remove_name(path, &here);
        struct timespec pause = {0, 20000000};
        nanosleep(&pause, NULL);
    }
    _exit(0);
}

int cmemprobe_keep_folder(const char *path, struct cmemprobe_keeper *keeper) {
    struct keeper inside;
    pid_t identifier = fork_keeper(&inside, keeper);
    if (identifier == 0) keep_folder(&inside, path);
    return identifier < 0 ? -identifier : 0;
}
