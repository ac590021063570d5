// SPDX-License-Identifier: Apache-2.0

#ifndef CMEMPROBE_H
#define CMEMPROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Whether the process's `malloc` is jemalloc's, linked in or preloaded.
/// In C because Swift cannot compare a weak symbol's address with NULL.
bool cmemprobe_has_jemalloc(void);

/// `mallctl` of jemalloc, or `ENOSYS` where the allocator is another one.
/// In C because the symbol is weak: nothing may link jemalloc.
int cmemprobe_mallctl(
    const char *name, void *old_value, size_t *old_length, void *new_value, size_t new_length);

/// `mallctlnametomib` of jemalloc, or `ENOSYS`. In C because the symbol is weak.
int cmemprobe_mallctlnametomib(const char *name, size_t *mib, size_t *mib_length);

/// `mallctlbymib` of jemalloc, or `ENOSYS`. In C because the symbol is weak.
int cmemprobe_mallctlbymib(
    const size_t *mib, size_t mib_length, void *old_value, size_t *old_length, void *new_value,
    size_t new_length);

/// What glibc's malloc says about itself, in bytes.
struct cmemprobe_glibc_heap {
    /// Obtained by `brk` or for secondary arenas: `arena` of `mallinfo2`.
    size_t arena;
    /// In blocks with a mapping of their own: `hblkhd`.
    size_t mapped_blocks;
    /// In use within the arenas: `uordblks`.
    size_t used;
};

/// Fills in what `mallinfo2` says; false where the process's `malloc` is not glibc's, or older than 2.33.
/// In C because the symbol is weak and Swift's overlay of the C library leaves `malloc.h` out.
bool cmemprobe_glibc_heap(struct cmemprobe_glibc_heap *heap);

/// `malloc_trim(0)`; false where the process's `malloc` is not glibc's. In C because the symbol is weak.
bool cmemprobe_glibc_trim(void);

/// The version of glibc, or NULL where the C library is another one. In C because the symbol is weak.
const char *cmemprobe_glibc_version(void);

/// Whether `malloc` is the C library's own and not a preloaded one.
/// In C because `dlsym` needs the pseudo handle `RTLD_DEFAULT`, a macro that Swift does not import.
bool cmemprobe_malloc_is_libc(void);

/// The pages of an open file that are in the page cache, dirty ones included; 0, or an errno.
/// In C because `cachestat` (kernel 6.5) has no wrapper and `syscall` is variadic, which Swift cannot call.
int cmemprobe_cached_pages(int descriptor, uint64_t *pages);

/// Turns transparent huge pages off for this process and its children; 0, or an errno.
/// In C because `prctl` is variadic.
int cmemprobe_disable_thp(void);

/// How a thread came to be woken sooner.
enum cmemprobe_urgency {
    /// It was not: the thread has neither a better place nor an exact timer.
    CMEMPROBE_URGENCY_NONE,
    /// Its timers are exact.
    CMEMPROBE_URGENCY_TIMER,
    /// Its timers are exact, and it weighs more than ordinary threads.
    CMEMPROBE_URGENCY_WEIGHT,
    /// Its timers are exact, and no ordinary thread keeps it waiting.
    CMEMPROBE_URGENCY_REAL_TIME,
};

/// Has the calling thread woken as soon as this process may ask for; its children get nothing of it.
/// In C because `prctl` is variadic and the flag `SCHED_RESET_ON_FORK` is not imported.
enum cmemprobe_urgency cmemprobe_make_urgent(void);

/// Kills the process whose folder in `/proc` is open as `folder`, even where its number has gone to another one; 0, or
/// an errno. In C because `pidfd_send_signal` has no wrapper in older C libraries and `syscall` is variadic.
int cmemprobe_kill_behind(int folder);

/// A program to start, and what it gets.
struct cmemprobe_command {
    const char *executable;
    char *const *arguments;
    char *const *environment;
    const char *working_directory;
    int standard_input, standard_output, standard_error;
};

/// What a child that could not become its program says before it ends.
struct cmemprobe_start_failure {
    /// 0: nothing failed; 1: a standard stream; 2: the working directory; 3: the program; 4: the process.
    int stage;
    /// The errno.
    int error;
};

/// A child that waits at its gate until a byte is written there.
struct cmemprobe_gated_child {
    int identifier;
    /// Write a byte to let it become its program; close it and it ends.
    int gate;
    /// Read a `cmemprobe_start_failure`; its end means that the program runs.
    int report;
};

/// Forks a child that waits for its gate and then becomes the program; 0, or an errno.
///
/// The child has a session of its own and so no terminal, default signals, an empty mask, three descriptors, and dies
/// with the calling thread.
/// In C because between `fork` and `exec` only async-signal-safe calls may be made, which Swift cannot promise.
int cmemprobe_fork_gated(const struct cmemprobe_command *command, struct cmemprobe_gated_child *child);

/// A process between this one and a child, or beside a folder, that ends with what it keeps.
struct cmemprobe_keeper {
    int identifier;
    /// Takes signals for the child as bytes; SIGKILL ends all that comes of it. Closing it ends that, too.
    int orders;
    /// Gives a `cmemprobe_keeper_event` with each read.
    int events;
};

/// The kinds of events.
enum {
    CMEMPROBE_KEEPER_STARTED = 1,
    CMEMPROBE_KEEPER_FAILED = 2,
    CMEMPROBE_KEEPER_ENDED = 3,
};

/// An event that a keeper reports.
struct cmemprobe_keeper_event {
    /// The child runs, the start failed, or the child has ended.
    int kind;
    /// The number of the child.
    int identifier;
    /// Why the start failed.
    struct cmemprobe_start_failure failure;
    /// The status of the child, as of `wait4`.
    int status;
    /// How many processes were left when it had ended by itself, and were killed.
    int left_count;
    /// Their resident memory.
    long long left_bytes;
    /// When the child was started, or had ended: `CLOCK_MONOTONIC`.
    long long time_nanoseconds;
    /// Their names as far as they fit, each with a newline.
    char left_names[256];
};

/// Forks a keeper that starts a child and ends whatever comes of it, once the child has ended, on an order, or when this
/// process is gone; 0, or an errno. `leaves_others` lets what a child has started go on after it, until this process is
/// gone.
/// In C because a process that is forked of one with threads may make async-signal-safe calls alone.
int cmemprobe_keep_child(const struct cmemprobe_command *command, bool leaves_others, struct cmemprobe_keeper *keeper);

/// Forks a keeper that makes a folder, and removes it with its content when this process is gone; 0, or an errno. The first
/// event says whether it was made. In C for the same reason.
int cmemprobe_keep_folder(const char *path, struct cmemprobe_keeper *keeper);

/// Orders a keeper to send a signal to its child; 0, or an errno. In C because the flag `MSG_NOSIGNAL` is not imported.
int cmemprobe_keeper_order(int orders, int number);

/// The next event of a keeper; false where it is gone. In C for symmetry with the order.
bool cmemprobe_keeper_next(int events, struct cmemprobe_keeper_event *event);

/// A descriptor of memory that reads as a file with this content, or -1. In C because older C libraries lack
/// `memfd_create`.
int cmemprobe_memory_file(const void *content, size_t count);

/// Attaches to a process without stopping it, so that each of its threads and children stops at its beginning, at
/// `exec` and at its end, and is killed when the calling thread ends; 0, or an errno.
/// In C because `ptrace` is variadic.
int cmemprobe_trace_seize(int identifier);

/// Lets a stopped thread go on, with a signal or 0; 0, or an errno. In C because `ptrace` is variadic.
int cmemprobe_trace_continue(int identifier, int signal);

/// Leaves a thread in its group stop and listens for the end of it; 0, or an errno.
/// In C because `ptrace` is variadic.
int cmemprobe_trace_listen(int identifier);

/// The number that came with a stop: a new child's identifier, a thread's former one; 0, or an errno.
/// In C because `ptrace` is variadic.
int cmemprobe_trace_message(int identifier, unsigned long *message);

/// The flags with which a thread begins a child, at the stop that announces the child; 0, or an errno.
/// In C because `ptrace` is variadic and registers differ between architectures.
int cmemprobe_clone_flags(int identifier, unsigned long long *flags);

/// What a wait found.
struct cmemprobe_change {
    /// The thread or process, or 0 where none has changed.
    int identifier;
    /// The status, as of `wait4`.
    int status;
    /// `ru_maxrss` in kB: of every image that the process and the children it waited for have had.
    long largest_resident_kilobytes;
    /// `ru_utime` and `ru_stime` together, in nanoseconds.
    long long cpu_nanoseconds;
};

/// The next change among what the calling thread traces or has forked, without waiting; 0, or an errno.
/// In C because `wait4` is hidden from strict headers and its flags `__WALL` and `__WNOTHREAD` are not imported.
int cmemprobe_next_change(struct cmemprobe_change *change);

/// The change of one child of any thread of this process, without waiting; 0, or an errno.
/// In C for the same reason.
int cmemprobe_change_of(int identifier, struct cmemprobe_change *change);

/// Whether this process has children, the dead included, none of which is taken away.
/// In C because the flag `__WALL` is not imported.
bool cmemprobe_has_children(void);

/// Whether two processes share one address space: 1, 0, or minus an errno where the kernel does not say.
/// In C because `kcmp` has no wrapper and `syscall` is variadic.
int cmemprobe_shares_memory(int first, int second);

/// Makes this process the parent of its orphaned descendants or ceases to; 0, or an errno.
/// In C because `prctl` is variadic.
int cmemprobe_set_subreaper(bool is_subreaper);

/// Whether this process is the parent of its orphaned descendants. In C because `prctl` is variadic.
bool cmemprobe_is_subreaper(void);

/// The parent of a gated child, which stands between it and this process.
struct cmemprobe_guardian {
    int identifier;
    /// Read a `cmemprobe_change` without waiting: how the child ended.
    int ending;
};

/// Forks a gated child as `cmemprobe_fork_gated` does, with a guardian in between, which takes over whatever the child
/// leaves behind, ends when nothing of it is left, and kills all of it when the calling thread ends, however it does;
/// 0, or an errno.
///
/// It tells how the child ended, and sends `SIGCHLD` then. In C for the same reason.
int cmemprobe_fork_guarded(
    const struct cmemprobe_command *command, struct cmemprobe_gated_child *child, struct cmemprobe_guardian *guardian);

/// A pipe whose ends lie above the standard streams, even where those are closed; 0, or an errno.
/// In C because `pipe2` is hidden from strict headers.
int cmemprobe_make_pipe(int ends[2]);

#endif
