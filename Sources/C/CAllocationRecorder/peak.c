// SPDX-License-Identifier: Apache-2.0
// The times of looks at all blocks: before memory is returned while the process is larger than ever.
//
// The kernel knows the peak but not its time. The process shrinks only when something is returned, so it is enough to
// check the resident size then, and to look if it is the largest yet.
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "recorder.h"

static char folder[512];
static _Atomic bool searching;
static _Atomic uint64_t best;
static uint64_t start;
static uint64_t identity;
static atomic_flag looking = ATOMIC_FLAG_INIT;
static bool own_malloc;
static uint64_t process;        // a child of vfork has its parent's memory but is another process
static uint64_t inherited;      // the anonymous memory of a fork's child at its start
static _Atomic int64_t moving;  // blocks that realloc is about to move, which are in no table
static const volatile int *told; // the instant that another process tells, or NULL
static _Atomic int heard;

static uint64_t step(void) {
    uint64_t grown = best > start ? best - start : 0;
    return grown / 48 > (uint64_t)LEAST_STEP ? grown / 48 : (uint64_t)LEAST_STEP;
}

// The step at a mark: slight growth at the end, when everything is freed but kept by the allocator, tells less.
static uint64_t last_step(void) { return best ? step() / 4 : 0; }

static bool is_here(void) { return kernel_process() == process; }

static void take_look(const char *kind, uint64_t resident, uint64_t high_water, const struct block *moved) {
    // A concurrent look sees the same, except for the source of a realloc; the baseline is needed in any case.
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
    // A failed write is not repeated for the same size.
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

// Called before a recorded block is returned.
void peak_consider(void) { consider(step()); }

// Called after a block was recorded: a process that is killed for its memory returns none, and leaves its last look.
void peak_grown(void) {
    static _Atomic int64_t next;
    int64_t weight = recorder_counters.weight;
    if (weight < next) return;
    next = weight + weight / 4 + 8 * LEAST_STEP;
    consider(step());
}

// While a block is moved there are no looks; the mover finds the peak of that moment.
void peak_moving(int64_t change) { moving += change; }

// Called after `realloc` moved a block: if the kernel's peak rose meanwhile, old and new existed at once.
void peak_consider_moved(const struct block *old, uint64_t before) {
    if (!searching || !is_here()) return;
    uint64_t high_water = kernel_high_water();
    if (high_water > before && high_water > best + step()) take_look("peak", kernel_resident(), high_water, old);
}

// Maps the file by which another process tells the instants of a program that cannot know them, such as a server.
static void open_ears(void) {
    char path[sizeof folder + sizeof ALLOCATION_RECORDER_INSTANT];
    strcpy(path, folder);
    int file = kernel_open(strcat(path, ALLOCATION_RECORDER_INSTANT), O_RDONLY | O_CLOEXEC, 0);
    if (file < 0) return;
    // The kernel reads all of a register: an offset of 32 bits would leave its upper half to chance.
    void *place = (void *)syscall(SYS_mmap, NULL, sizeof *told, PROT_READ, MAP_SHARED, file, 0L);
    if (place != MAP_FAILED) told = place;
    kernel_close(file);
}

void peak_start(const char *path) {
    if (strlen(path) >= sizeof folder) return;
    strcpy(folder, path);
    open_ears();
    identity = kernel_now();
    process = kernel_process();
    searching = true;
    struct look look = {.folder = folder, .kind = "loaded", .identity = identity};
    document_announce(&look);
}

void peak_after_fork(void) {
    identity = kernel_now();
    process = kernel_process();
    best = 0;
    start = 0;
    moving = 0;
    inherited = kernel_anonymous();
    history_clear();
    atomic_flag_clear(&looking);
}

static void write_end(void) {
    // A process with a baseline is explained even if nothing has grown since.
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

// Called before an `exec`, which may fail. A fork's child that has allocated little holds its parent's memory, which
// the parent's recording covers: shells start many of them.
void peak_pause(void) {
    if (!searching || !is_here()) return;
    if (!best && inherited && kernel_anonymous() < inherited + (uint64_t)LEAST_STEP) return;
    write_end();
}

void peak_own_malloc(void) { own_malloc = true; }

static void begin_at_baseline(void) {
    // The peak and the freed blocks of the warm-up do not count.
    struct look look = {.folder = folder, .kind = "peak", .identity = identity};
    document_drop(&look);
    history_clear();
    start = kernel_resident();
    take_look("baseline", start, 0, NULL);
    searching = true;
}

static void be_told(int instant) {
    switch (instant) {
    case ALLOCATION_RECORDER_BASELINE: begin_at_baseline(); break;
    case ALLOCATION_RECORDER_MARK: consider(last_step()); break;
    case ALLOCATION_RECORDER_END: peak_finish(); break;
    }
}

VISIBLE void allocation_recorder_note(int instant) {
    struct visit visit;
    if (!visit_begin(&visit)) return;
    be_told(instant);
    visit_end(&visit);
}

// Called at the beginning of each visit: before anything of it is counted.
void peak_listen(void) {
    int instant = told ? *told : 0;
    if (instant == heard || atomic_exchange(&heard, instant) == instant || !searching || !is_here()) return;
    be_told(instant);
}
