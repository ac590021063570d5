// SPDX-License-Identifier: Apache-2.0
// Call stacks, walked by their unwinding tables and stored as paths to one root.
//
// Frame pointers are faster (0.2 µs instead of 16 µs), but a function without one between two that have it hides its
// caller. The runtime's allocating functions have none: the line that allocates would be lost.
#include <unwind.h>

#include "recorder.h"

struct walk {
    uintptr_t addresses[STACK_DEPTH];
    unsigned count;
};

extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char etext[] __attribute__((visibility("hidden")));

static atomic_flag lock = ATOMIC_FLAG_INIT;
static uint32_t used = 1; // frame 0 is the root

static bool is_own(uintptr_t address) {
    return address >= (uintptr_t)__ehdr_start && address < (uintptr_t)etext;
}

static _Unwind_Reason_Code take(struct _Unwind_Context *context, void *argument) {
    struct walk *walk = argument;
    uintptr_t address = _Unwind_GetIP(context);
    if (!address || walk->count == STACK_DEPTH) return _URC_END_OF_STACK;
    if (walk->count || !is_own(address)) walk->addresses[walk->count++] = address;
    return _URC_NO_REASON;
}

static uint32_t child_of(uint32_t parent, uintptr_t address) {
    struct tables *tables = recorder_tables;
    uint64_t mixed = ((uint64_t)address ^ (uint64_t)parent * 0xff51afd7ed558ccdu) * 0x9e3779b97f4a7c15u;
    uint32_t bucket = (uint32_t)(mixed >> 40) & (FRAME_CAPACITY - 1);
    for (uint32_t place = tables->frame_buckets[bucket]; place; place = tables->frames[place].next) {
        if (tables->frames[place].address == address && tables->frames[place].parent == parent) return place;
    }
    if (used == FRAME_CAPACITY) return 0;
    tables->frames[used] = (struct frame){address, parent, tables->frame_buckets[bucket]};
    tables->frame_buckets[bucket] = used;
    return used++;
}

// Returns the index of the innermost frame of the code that called the recorder.
uint32_t stack_here(void) {
    uint64_t start = kernel_now();
    struct walk walk = {.count = 0};
    _Unwind_Backtrace(take, &walk);
    stacks_lock();
    uint32_t place = 0;
    for (unsigned i = walk.count; i > 0; i--) {
        uint32_t child = child_of(place, walk.addresses[i - 1]);
        if (!child) {
            // The table is full: keep the outer callers.
            atomic_fetch_add_explicit(&recorder_counters.lost, 1, memory_order_relaxed);
            break;
        }
        place = child;
    }
    stacks_unlock();
    atomic_fetch_add_explicit(&recorder_counters.stacks, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&recorder_counters.nanoseconds, kernel_now() - start, memory_order_relaxed);
    return place;
}

uint32_t frame_count(void) { return used; }

void stacks_lock(void) { acquire(&lock); }

void stacks_unlock(void) { release(&lock); }
