// SPDX-License-Identifier: Apache-2.0
// The recorder's life in a process: it starts when it is loaded, continues on both sides of a fork, and ends with the
// process.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "hooks.h"

// No lock is taken before a fork: that could deadlock with another library's handler.
static void in_child(void) {
    table_reset_locks();
    spans_reset();
    stacks_unlock();
    images_unlock();
    residency_after_fork();
    peak_after_fork();
}

// Populated before any measurement, so that it belongs to the baseline and to no growth.
static struct tables *make_tables(void) {
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE;
    void *place = (void *)syscall(SYS_mmap, NULL, sizeof(struct tables), PROT_READ | PROT_WRITE, flags, -1, 0L);
    return place == MAP_FAILED ? NULL : place;
}

// Returns true if the program's malloc leads here: one that it defines itself takes precedence over any library's. The
// address does not tell, since a program may call through a stub. Called while the recorder works.
static bool program_asks_here(void) {
    void *(*allocate)(size_t) = dlsym(RTLD_DEFAULT, "malloc");
    void (*release)(void *) = dlsym(RTLD_DEFAULT, "free");
    if (!allocate || !release) return false;
    recorder_thread.was_asked = false;
    release(allocate(1));
    return recorder_thread.was_asked;
}

static void end(void);

__attribute__((constructor(101))) static void start(void) {
    const char *folder = getenv(ALLOCATION_RECORDER_FOLDER);
    if (!folder || recorder_tables) return;
    recorder_thread.inside = true;
    if (!recorder_is_ready()) return;
    mappings_start();
    images_start();
    if (!program_asks_here()) peak_own_malloc();
    pthread_atfork(NULL, residency_after_fork, in_child);
    operators_start();
    exec_start();
    // `quick_exit` calls no destructors, and ends within libc. The first registered handler is called last.
    at_quick_exit(end);
    peak_start(folder);
    recorder_tables = make_tables();
    recorder_thread.inside = false;
}

__attribute__((destructor)) static void end(void) {
    struct visit visit;
    if (!visit_begin(&visit)) return;
    peak_finish();
    visit_end(&visit);
}

// Ends a process without destructors, as shells and forked children do.
void _exit(int) __attribute__((noreturn, visibility("default")));
void _exit(int status) {
    end();
    for (;;) syscall(SYS_exit_group, status);
}

void _Exit(int) __attribute__((noreturn, alias("_exit"), visibility("default")));
