// SPDX-License-Identifier: Apache-2.0

#ifndef CTESTSUPPORT_H
#define CTESTSUPPORT_H

#include <stdbool.h>
#include <sys/types.h>

/// Starts a program in a group of its own, with three streams and no other descriptor, and no signal blocked.
///
/// Swift's Glibc has no file actions for a folder and for all further descriptors.
/// `directory` may be null, for that of this process; `input` negative, for `/dev/null`.
/// Returns 0, or the `errno` of what stood in the way.
int ctestsupport_spawn(const char *path, char *const arguments[], char *const environment[], const char *directory,
                       int input, int output, int complaint, pid_t *identifier);

/// System calls that a seccomp filter can refuse with `EPERM`, as the default profiles of containers do.
enum ctestsupport_refusal {
    CTESTSUPPORT_REFUSE_KCMP = 1,
    CTESTSUPPORT_REFUSE_VM = 2,
    CTESTSUPPORT_REFUSE_PTRACE = 4,
};

/// Refuses system calls to this process and all that it starts; 0, or an errno.
/// In C because `prctl` is variadic and a filter consists of macros.
int ctestsupport_refuse(unsigned int refusals);

/// Becomes another user without any group; 0, or an errno. In C beside the others.
int ctestsupport_become_user(uid_t user);

/// A way to begin a child.
enum ctestsupport_way {
    CTESTSUPPORT_FORK,
    CTESTSUPPORT_VFORK,
    /// As `posix_spawn` does it.
    CTESTSUPPORT_CLONE_VFORK,
    /// With memory of its own, and the parent waits.
    CTESTSUPPORT_CLONE_WAITING_COPY,
    /// With its parent's memory beside its parent, and its end told by `SIGCHLD` or not.
    CTESTSUPPORT_CLONE_SHARED,
    CTESTSUPPORT_CLONE_SHARED_SIGCHLD,
};

/// Begins a child that sleeps and then becomes a program, or ends where that is null; its number, or minus an errno.
/// In C because a child that uses its parent's memory may run no other code.
pid_t ctestsupport_begin(enum ctestsupport_way way, int milliseconds, char *const program[]);

/// Waits for a child however it was begun; its status. In C because the flag `__WALL` is not imported.
int ctestsupport_wait(pid_t identifier);

/// Starts a program with a new terminal as its controlling one and waits for its end; its status, or minus an errno.
///
/// It leads the terminal's foreground group. In C because between `fork` and `exec` Swift may not run.
int ctestsupport_run_in_terminal(char *const program[]);

#endif
