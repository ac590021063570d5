// SPDX-License-Identifier: Apache-2.0
// When to look at all blocks: before memory is given back that makes the process smaller than it has ever been large.
//
// The kernel knows the peak and not when it was. It falls only where something is given back, so it is enough to ask
// for the resident size there, and to look where it is the largest yet.
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "recorder.h"

// What a look costs (a millisecond) is not worth less than this, nor less than a 64th of what has grown.
#define LEAST_STEP ((uint64_t)128 << 10)

static char folder[512];
static _Atomic bool searching;
static _Atomic uint64_t best;
static uint64_t start;
static uint64_t identity;
static atomic_flag looking = ATOMIC_FLAG_INIT;
static bool own_malloc;
static uint64_t process;        // a child of vfork is in the memory of its parent, and is another one
static uint64_t inherited;      // what the child of a fork had at its beginning, without files
static _Atomic int64_t moving;  // blocks that realloc is about to move: they are in no table

static uint64_t step(void) {
    uint64_t grown = best > start ? best - start : 0;
    return grown / 64 > LEAST_STEP ? grown / 64 : LEAST_STEP;
}

// The least at a mark: a little more at the end, when all is freed and the allocator has kept it, tells less.
static uint64_t last_step(void) { return best ? step() / 4 : 0; }

static bool is_here(void) { return kernel_process() == process; }

static void take_look(const char *kind, uint64_t resident, uint64_t high_water, const struct block *moved) {
    // Who looks already sees the same, but for what realloc has copied from; and the baseline is needed in any case.
    while (atomic_flag_test_and_set_explicit(&looking, memory_order_acquire)) {
        if (!moved && strcmp(kind, "baseline")) return;
        sched_yield();
    }
    uint64_t begun = kernel_now();
    table_lock();
    spans_lock();
    stacks_lock();
    struct look look = {folder, kind, identity, resident, high_water, moved, own_malloc};
    atomic_fetch_add_explicit(&recorder_counters.captures, 1, memory_order_relaxed);
    // Where it cannot be written it is not tried again for the same size.
    document_write(&look);
    stacks_unlock();
    spans_unlock();
    table_unlock();
    best = high_water > resident ? high_water : resident;
    atomic_fetch_add_explicit(&recorder_counters.nanoseconds, kernel_now() - begun, memory_order_relaxed);
    atomic_flag_clear_explicit(&looking, memory_order_release);
}

static void consider(uint64_t least) {
    if (!searching || moving > 0 || !is_here()) return;
    uint64_t resident = kernel_resident();
    if (resident > best + least) take_look("peak", resident, 0, NULL);
}

// Something of the table is about to be given back.
void peak_consider(void) { consider(step()); }

// While a block is moved nobody else looks: the peak of that moment is found by who moves it.
void peak_moving(int64_t change) { moving += change; }

// `realloc` has moved a block: where the kernel's peak rose meanwhile, old and new existed at once.
void peak_consider_moved(const struct block *old, uint64_t before) {
    if (!searching || !is_here()) return;
    uint64_t high_water = kernel_high_water();
    if (high_water > before && high_water > best + step()) take_look("peak", kernel_resident(), high_water, old);
}

void peak_start(const char *path) {
    if (strlen(path) >= sizeof folder) return;
    strcpy(folder, path);
    identity = kernel_now();
    process = kernel_process();
    searching = true;
}

void peak_after_fork(void) {
    identity = kernel_now();
    process = kernel_process();
    best = 0;
    start = 0;
    moving = 0;
    inherited = kernel_anonymous();
    atomic_flag_clear(&looking);
}

static void write_end(void) {
    // A process that knows its baseline is explained even where nothing has grown since.
    if (best == start) take_look("peak", kernel_resident(), 0, NULL);
    else consider(last_step());
    struct look look = {.folder = folder, .kind = "peak", .identity = identity, .high_water = kernel_high_water()};
    document_finish(&look);
}

void peak_finish(void) {
    if (!searching || !is_here()) return;
    write_end();
    searching = false;
}

// Another program is about to take the place of this one, and may fail to. The child of a fork that has taken nothing yet
// holds its parent's memory, which the parent's recording tells of: a shell has many of them.
void peak_pause(void) {
    if (!searching || !is_here()) return;
    if (!best && inherited && kernel_anonymous() < inherited + LEAST_STEP) return;
    write_end();
}

void peak_own_malloc(void) { own_malloc = true; }

static void begin_at_baseline(void) {
    // The warm-up's peak is not the one that is looked for, nor is what it gave back.
    struct look look = {.folder = folder, .kind = "peak", .identity = identity};
    document_drop(&look);
    ghost_clear();
    start = kernel_resident();
    take_look("baseline", start, 0, NULL);
    searching = true;
}

VISIBLE void allocation_recorder_note(int instant) {
    struct visit visit;
    if (!visit_begin(&visit)) return;
    switch (instant) {
    case ALLOCATION_RECORDER_BASELINE: begin_at_baseline(); break;
    case ALLOCATION_RECORDER_MARK: consider(last_step()); break;
    case ALLOCATION_RECORDER_END: peak_finish(); break;
    }
    visit_end(&visit);
}
