// SPDX-License-Identifier: Apache-2.0

#ifndef CMEMPROBE_H
#define CMEMPROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// True if the process's `malloc` is jemalloc's, linked in or preloaded.
/// In C because Swift cannot compare a weak symbol's address with NULL.
bool cmemprobe_has_jemalloc(void);

/// `mallctl` of jemalloc, or `ENOSYS` with other allocators. In C because the symbol is weak: nothing may link
/// jemalloc.
int cmemprobe_mallctl(
    const char *name, void *old_value, size_t *old_length, void *new_value, size_t new_length);

/// `mallctlnametomib` of jemalloc, or `ENOSYS`. In C because the symbol is weak.
int cmemprobe_mallctlnametomib(const char *name, size_t *mib, size_t *mib_length);

/// `mallctlbymib` of jemalloc, or `ENOSYS`. In C because the symbol is weak.
int cmemprobe_mallctlbymib(
    const size_t *mib, size_t mib_length, void *old_value, size_t *old_length, void *new_value,
    size_t new_length);

/// The statistics of glibc's malloc, in bytes.
struct cmemprobe_glibc_heap {
    /// Obtained by `brk` or for secondary arenas: `arena` of `mallinfo2`.
    size_t arena;
    /// In blocks with a mapping of their own: `hblkhd`.
    size_t mapped_blocks;
    /// In use within the arenas: `uordblks`.
    size_t used;
};

/// Reads `mallinfo2`; false if the process's `malloc` is not glibc's, or is older than 2.33.
/// In C because the symbol is weak and Swift's overlay of the C library omits `malloc.h`.
bool cmemprobe_glibc_heap(struct cmemprobe_glibc_heap *heap);

/// Calls `malloc_trim(0)`; false if the process's `malloc` is not glibc's. In C because the symbol is weak.
bool cmemprobe_glibc_trim(void);

/// The version of glibc, or NULL with another C library. In C because the symbol is weak.
const char *cmemprobe_glibc_version(void);

/// True if `malloc` is the C library's own and not a preloaded one.
/// In C because `dlsym` needs the pseudo handle `RTLD_DEFAULT`, a macro that Swift does not import.
bool cmemprobe_malloc_is_libc(void);

/// Counts the pages of an open file that are in the page cache, including dirty ones; 0, or an errno.
/// In C because `cachestat` (kernel 6.5) has no wrapper and `syscall` is variadic, which Swift cannot call.
int cmemprobe_cached_pages(int descriptor, uint64_t *pages);

/// Disables transparent huge pages for this process and its children; 0, or an errno. In C because `prctl` is variadic.
int cmemprobe_disable_thp(void);

/// Makes the calling thread wake as early as this process may ask for: exact timers, then the lowest real-time priority
/// (which children do not inherit), or else niceness -10.
/// In C because `prctl` is variadic and the flag `SCHED_RESET_ON_FORK` is not imported.
void cmemprobe_make_urgent(void);

/// Kills the process whose folder in `/proc` is open, and never one that reuses its number; 0, or an errno.
/// In C because `pidfd_send_signal` has no wrapper in older C libraries and `syscall` is variadic.
int cmemprobe_kill_behind(int folder);

/// Checks that `/proc` numbers processes as system calls do: 0, an errno if it cannot be read, `ESRCH` if it belongs to
/// another PID namespace. In C because the keeper calls it, which may make only async-signal-safe calls.
int cmemprobe_check_proc(void);

/// The variable of this process at an index, as `NAME=value`; NULL behind the last one.
///
/// In C because Swift takes `environ` for shared mutable state. No thread may change the environment meanwhile.
const char *cmemprobe_variable(long index);

/// True if pages are set aside for `MAP_HUGETLB` and `hugetlbfs`, or may be.
///
/// In C because a measured process asks, too, and this allocates nothing: what an allocator keeps of freed memory would
/// be in its figures.
bool cmemprobe_has_huge_page_pool(void);

/// A program to start, with its environment and descriptors.
struct cmemprobe_command {
    const char *executable;
    char *const *arguments;
    char *const *environment;
    const char *working_directory;
    /// The file of a control group by which the child enters it before it waits at its gate, or NULL.
    const char *control_group;
    int standard_input, standard_output, standard_error;
};

/// The report of a child that could not execute its program.
struct cmemprobe_start_failure {
    /// 0: nothing failed; 1: a standard stream; 2: the working directory; 3: the program; 4: the process;
    /// 5: the control group.
    int stage;
    int error;
};

/// A child that waits until a byte is written to its gate.
struct cmemprobe_gated_child {
    int identifier;
    /// Write a byte to let it execute its program; close it to end the child.
    int gate;
    /// Read a `cmemprobe_start_failure` from it; its end means that the program runs.
    int report;
};

/// Forks a child that waits at its gate and then executes the program; 0, or an errno.
///
/// The child has its own session without a terminal, default signals, an empty mask and three descriptors, and dies
/// with the calling thread.
/// In C because only async-signal-safe calls are allowed between `fork` and `exec`, which Swift cannot guarantee.
int cmemprobe_fork_gated(const struct cmemprobe_command *command, struct cmemprobe_gated_child *child);

/// A process between this one and a child, or for a folder, that ends with what it keeps.
struct cmemprobe_keeper {
    int identifier;
    /// Takes signals for the child as bytes; SIGKILL ends all its descendants, too, and so does closing this.
    int orders;
    /// Yields a `cmemprobe_keeper_event` with each read.
    int events;
};

enum {
    CMEMPROBE_KEEPER_STARTED = 1,
    CMEMPROBE_KEEPER_FAILED = 2,
    CMEMPROBE_KEEPER_ENDED = 3,
};

struct cmemprobe_keeper_event {
    /// Started, failed to start, or ended.
    int kind;
    /// The child.
    int identifier;
    /// The reason why the start failed.
    struct cmemprobe_start_failure failure;
    /// The child's status, as of `wait4`.
    int status;
    /// The number of processes that outlived the child and were killed.
    int left_count;
    /// Their resident memory.
    long long left_bytes;
    /// The time of the child's start or end: `CLOCK_MONOTONIC`.
    long long time_nanoseconds;
    /// Their names as far as they fit, each with a newline.
    char left_names[256];
};

/// Forks a keeper that starts a child and kills it with its descendants once it has ended, on request, or when this
/// process is gone; 0, or an errno. With `leaves_others`, the descendants may outlive the child until this process is
/// gone.
/// In C because a process forked from one with threads may make only async-signal-safe calls.
int cmemprobe_keep_child(const struct cmemprobe_command *command, bool leaves_others, struct cmemprobe_keeper *keeper);

/// Forks a keeper that makes a folder, and removes it with its content when this process is gone; 0, or an errno. The
/// first event reports whether it was made. In C for the same reason.
int cmemprobe_keep_folder(const char *path, struct cmemprobe_keeper *keeper);

/// Makes a keeper send a signal to its child; 0, or an errno. In C because the flag `MSG_NOSIGNAL` is not imported.
int cmemprobe_keeper_order(int orders, int number);

/// Reads the next event of a keeper; false if it is gone. In C for symmetry with the order.
bool cmemprobe_keeper_next(int events, struct cmemprobe_keeper_event *event);

/// Makes a memory file with this content; returns its descriptor, or -1. In C because older C libraries lack
/// `memfd_create`.
int cmemprobe_memory_file(const void *content, size_t count);

/// Attaches to a process without stopping it; 0, or an errno. Each of its threads and children then stops at its start,
/// at `exec` and at its end, and is killed when the calling thread ends. In C because `ptrace` is variadic.
int cmemprobe_trace_seize(int identifier);

/// Resumes a stopped thread, with a signal or 0; 0, or an errno. In C because `ptrace` is variadic.
int cmemprobe_trace_continue(int identifier, int signal);

/// Leaves a thread in its group stop and listens for its end; 0, or an errno. In C because `ptrace` is variadic.
int cmemprobe_trace_listen(int identifier);

/// Reads the number that came with a stop, a new child's identifier or a thread's former one; 0, or an errno.
/// In C because `ptrace` is variadic.
int cmemprobe_trace_message(int identifier, unsigned long *message);

/// Reads the flags with which a thread starts a child, at the stop that announces the child; 0, or an errno.
/// In C because `ptrace` is variadic and registers differ between architectures.
int cmemprobe_clone_flags(int identifier, unsigned long long *flags);

/// The result of a wait.
struct cmemprobe_change {
    /// The thread or process, or 0 if none has changed.
    int identifier;
    /// The status, as of `wait4`.
    int status;
    /// `ru_maxrss` in kB: the largest of all programs of the process and of the children that it waited for.
    long largest_resident_kilobytes;
    /// `ru_utime` plus `ru_stime`, in nanoseconds.
    long long cpu_nanoseconds;
};

/// Reads the next change of a thread or child of the calling thread without waiting; 0, or an errno.
/// In C because `wait4` is hidden from strict headers and its flags `__WALL` and `__WNOTHREAD` are not imported.
int cmemprobe_next_change(struct cmemprobe_change *change);

/// Reads the change of one child of any thread of this process without waiting; 0, or an errno. In C for the same
/// reason.
int cmemprobe_change_of(int identifier, struct cmemprobe_change *change);

/// True if this process has children, including zombies; reaps none. In C because the flag `__WALL` is not imported.
bool cmemprobe_has_children(void);

/// Compares the memory of two processes: 1 if they share it, 0 if not, or minus an errno.
/// In C because `kcmp` has no wrapper and `syscall` is variadic.
int cmemprobe_shares_memory(int first, int second);

/// Makes this process adopt its orphaned descendants, or stop to; 0, or an errno. In C because `prctl` is variadic.
int cmemprobe_set_subreaper(bool is_subreaper);

/// True if this process adopts its orphaned descendants. In C because `prctl` is variadic.
bool cmemprobe_is_subreaper(void);

/// The parent of a gated child, between it and this process.
struct cmemprobe_guardian {
    int identifier;
    /// Read a `cmemprobe_change` without waiting: the child's end.
    int ending;
};

/// Forks a gated child like `cmemprobe_fork_gated`, with a guardian in between; 0, or an errno.
///
/// The guardian adopts the child's orphans, ends after the last of them, and kills all of them when the calling thread
/// ends, however it does. It reports the child's end with `SIGCHLD`. In C for the same reason.
int cmemprobe_fork_guarded(
    const struct cmemprobe_command *command, struct cmemprobe_gated_child *child, struct cmemprobe_guardian *guardian);

/// Makes a pipe above the standard streams, even if those are closed; 0, or an errno.
/// In C because `pipe2` is hidden from strict headers.
int cmemprobe_make_pipe(int ends[2]);

#endif
