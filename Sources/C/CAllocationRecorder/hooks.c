// SPDX-License-Identifier: Apache-2.0
// The replacements of the allocator's functions: each calls the real one and records the result.
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "hooks.h"

struct tables *recorder_tables;
struct counters recorder_counters;
__thread struct thread_state recorder_thread __attribute__((tls_model("initial-exec")));
struct allocator recorder_next;

// Memory for allocations before the real allocator is known, made by looking it up.
static char early[16 << 10] __attribute__((aligned(16)));
static _Atomic size_t early_used;
static _Atomic bool resolving;

static void *early_block(size_t size) {
    size_t rounded = (size + 15) & ~(size_t)15, place = atomic_fetch_add(&early_used, rounded);
    return place + rounded <= sizeof early ? early + place : NULL;
}

static bool is_early(const void *block) { return (const char *)block >= early && (const char *)block < early + sizeof early; }

static void resolve(void) {
    if (recorder_next.malloc || atomic_exchange(&resolving, true)) return;
    recorder_next.calloc = dlsym(RTLD_NEXT, "calloc");
    recorder_next.realloc = dlsym(RTLD_NEXT, "realloc");
    recorder_next.free = dlsym(RTLD_NEXT, "free");
    recorder_next.posix_memalign = dlsym(RTLD_NEXT, "posix_memalign");
    recorder_next.aligned_alloc = dlsym(RTLD_NEXT, "aligned_alloc");
    recorder_next.memalign = dlsym(RTLD_NEXT, "memalign");
    recorder_next.operator_new = dlsym(RTLD_NEXT, "_Znwm");
    recorder_next.malloc = dlsym(RTLD_NEXT, "malloc");
    resolving = false;
}

bool recorder_is_ready(void) {
    if (__builtin_expect(!recorder_next.malloc, 0)) resolve();
    return recorder_next.malloc != NULL;
}

VISIBLE const void *allocation_recorder_malloc(void) { return recorder_is_ready() ? (const void *)recorder_next.malloc : NULL; }

// Returns true if a block is to be recorded, with its weight and without a stack yet.
static bool is_recorded(void *block, size_t size, struct block *made) {
    if (!block) return false;
    atomic_fetch_add_explicit(&recorder_counters.allocations, 1, memory_order_relaxed);
    *made = (struct block){.address = (uint64_t)(uintptr_t)block, .size = size, .weight = size};
    if (size >= EXACT_SIZE) return true;
    made->flags = BLOCK_IS_SAMPLE;
    return sample_weight(size, &made->weight);
}

// Notes a block while the recorder is already working.
static void note_within(void *block, size_t size) {
    struct block made;
    if (!is_recorded(block, size, &made)) return;
    made.stack = stack_here();
    table_insert(made);
}

// Notes a block that the program is about to get.
void recorder_note(void *block, size_t size) {
    struct visit visit;
    struct block made;
    if (recorder_thread.inside) {
        recorder_thread.was_asked = true;
        return;
    }
    if (!recorder_tables || !is_recorded(block, size, &made) || !visit_begin(&visit)) return;
    made.stack = stack_here();
    table_insert(made);
    peak_grown();
    visit_end(&visit);
}

// Notes that the program is about to free a block.
void recorder_forget(void *block) {
    struct visit visit;
    struct block found;
    uint64_t address = (uint64_t)(uintptr_t)block;
    if (!block || !recorder_tables || recorder_thread.inside || !table_may_have(address)) return;
    if (!visit_begin(&visit)) return;
    if (table_find(address, &found)) {
        peak_consider();
        history_consider(address);
        table_remove(address, &found);
    }
    visit_end(&visit);
}

void *recorder_malloc(size_t size) {
    if (!recorder_is_ready()) return early_block(size);
    void *block = recorder_next.malloc(size);
    recorder_note(block, size);
    return block;
}

static void *recorder_calloc(size_t count, size_t size) {
    if (!recorder_is_ready()) return early_block(count * size); // static memory is zero
    void *block = recorder_next.calloc(count, size);
    recorder_note(block, count * size);
    return block;
}

void recorder_free(void *block) {
    if (is_early(block) || !recorder_is_ready()) return;
    recorder_forget(block);
    recorder_next.free(block);
}

static void *grow_early(void *block, size_t size) {
    void *copy = recorder_malloc(size);
    size_t rest = (size_t)(early + sizeof early - (char *)block);
    if (copy) memcpy(copy, block, size < rest ? size : rest);
    return copy;
}

// A recorded block is removed from the table while its fate is unknown. Meanwhile there are no looks, although the
// allocator may return memory; the kernel's peak is checked afterwards.
static void *reallocate(struct block old, void *block, size_t size, int *error) {
    bool is_large = old.size >= EXACT_SIZE;
    if (size < old.size) peak_consider();
    history_consider(old.address);
    uint64_t before = is_large ? kernel_high_water() : 0;
    if (is_large) peak_moving(1);
    bool known = table_remove(old.address, &old);
    errno = *error;
    void *moved = recorder_next.realloc(block, size);
    *error = errno;
    if (known && !moved && size) table_insert(old);
    note_within(moved, size);
    if (known && is_large && moved && moved != block) peak_consider_moved(&old, before);
    if (is_large) peak_moving(-1);
    return moved;
}

static void *recorder_realloc(void *block, size_t size) {
    if (!recorder_is_ready()) return block ? NULL : early_block(size);
    if (is_early(block)) return grow_early(block, size);
    uint64_t address = (uint64_t)(uintptr_t)block;
    struct visit visit;
    if (block && recorder_tables && table_may_have(address) && visit_begin(&visit)) {
        struct block old;
        bool known = table_find(address, &old);
        void *moved = known ? reallocate(old, block, size, &visit.error) : NULL;
        visit_end(&visit);
        if (known) return moved;
    }
    void *moved = recorder_next.realloc(block, size);
    recorder_note(moved, size);
    return moved;
}

static void *recorder_reallocarray(void *block, size_t count, size_t size) {
    size_t total;
    if (__builtin_mul_overflow(count, size, &total)) {
        errno = ENOMEM;
        return NULL;
    }
    return recorder_realloc(block, total);
}

static int recorder_posix_memalign(void **place, size_t alignment, size_t size) {
    if (!recorder_is_ready()) return ENOMEM;
    int status = recorder_next.posix_memalign(place, alignment, size);
    if (status == 0) recorder_note(*place, size);
    return status;
}

void *recorder_aligned_alloc(size_t alignment, size_t size) {
    if (!recorder_is_ready()) return NULL;
    void *block = recorder_next.aligned_alloc(alignment, size);
    recorder_note(block, size);
    return block;
}

static void *recorder_memalign(size_t alignment, size_t size) {
    if (!recorder_is_ready()) return NULL;
    void *block = recorder_next.memalign(alignment, size);
    recorder_note(block, size);
    return block;
}

static void *recorder_valloc(size_t size) { return recorder_memalign(kernel_page_size(), size); }

static void *recorder_pvalloc(size_t size) {
    size_t page = kernel_page_size(), rounded;
    if (__builtin_add_overflow(size, page - 1, &rounded)) {
        errno = ENOMEM;
        return NULL;
    }
    return recorder_memalign(page, rounded & ~(page - 1));
}

void *malloc(size_t) REPLACES(recorder_malloc);
void *calloc(size_t, size_t) REPLACES(recorder_calloc);
void free(void *) REPLACES(recorder_free);
void *realloc(void *, size_t) REPLACES(recorder_realloc);
void *reallocarray(void *, size_t, size_t) REPLACES(recorder_reallocarray);
int posix_memalign(void **, size_t, size_t) REPLACES(recorder_posix_memalign);
void *aligned_alloc(size_t, size_t) REPLACES(recorder_aligned_alloc);
void *memalign(size_t, size_t) REPLACES(recorder_memalign);
void *valloc(size_t) REPLACES(recorder_valloc);
void *pvalloc(size_t) REPLACES(recorder_pvalloc);
