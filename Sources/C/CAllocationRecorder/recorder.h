// SPDX-License-Identifier: Apache-2.0
#ifndef RECORDER_H
#define RECORDER_H

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CAllocationRecorder.h"

// A preloaded library must not export names to the program, except those that replace libc's.
#pragma GCC visibility push(hidden)
#define VISIBLE __attribute__((visibility("default")))

// Blocks of at least this size are all recorded, smaller ones are sampled.
#define EXACT_SIZE ((size_t)16 << 10)
// One byte in each stretch of this many is sampled, for which its block stands.
#define SAMPLE_STRETCH ((size_t)48 << 10)
// Mappings of at least this size are recorded.
#define LEAST_MAPPING ((size_t)64 << 10)

#define BLOCK_CAPACITY ((uint32_t)1 << 16)
#define BUCKET_COUNT ((uint32_t)1 << 16)
#define FILTER_COUNT ((uint32_t)1 << 18)
#define STRIPE_COUNT 64u
#define FRAME_CAPACITY ((uint32_t)1 << 16)
#define SPAN_CAPACITY ((uint32_t)1 << 13)
// The growth that is worth a look, which costs a millisecond: at least this, and at least a 48th of the growth so far.
#define LEAST_STEP ((int64_t)128 << 10)
#define RANGE_CAPACITY 16384u
#define IMAGE_CAPACITY 256u
// Addresses from here on are never a process's, even with page tables of five levels.
#define CLOSED_START ((uint64_t)1 << 56)
#define BUFFER_SIZE ((size_t)64 << 10)
#define STACK_DEPTH 128

enum { BLOCK_IS_SAMPLE = 1, BLOCK_IS_MAPPING = 2 };

// A block that is or was in use; `next` is the index of the next one in its bucket, plus one.
struct block {
    uint64_t address;
    uint64_t size;
    uint64_t weight;  // the bytes it stands for
    uint32_t stack;   // the place of its innermost frame
    uint32_t flags;
    uint32_t next;
};

// A frame and its caller: a stack is a path to the root, which is frame 0.
struct frame {
    uint64_t address;
    uint32_t parent;
    uint32_t next;
};

struct range {
    uint64_t start, end;
};

// Pages that the program has mapped, with the stack that did.
struct span {
    uint64_t start, end;
    uint32_t stack;
};

// A library's code, with what is mapped before it.
struct image {
    struct range range;
    bool is_here;
    char path[239];
};

// All data of the recorder: one mapping, fully resident from the start, so that it never counts as growth.
struct tables {
    struct block blocks[BLOCK_CAPACITY];
    uint32_t buckets[BUCKET_COUNT];
    uint16_t filter[FILTER_COUNT];
    struct frame frames[FRAME_CAPACITY];
    uint32_t frame_buckets[FRAME_CAPACITY];
    struct block history[BLOCK_CAPACITY];
    struct span spans[SPAN_CAPACITY];
    struct range ranges[RANGE_CAPACITY];
    struct image loaded[IMAGE_CAPACITY], closed[IMAGE_CAPACITY];
    uint32_t history_count, closed_count;
    char text[BUFFER_SIZE];
    char draft[BUFFER_SIZE];
    uint64_t pages[BUFFER_SIZE / 8];
};

// The state of a thread, whose own work must not be recorded.
struct thread_state {
    bool inside;
    bool was_asked; // true if anything was allocated meanwhile
    bool seeded;
    int64_t until_sample;
    int64_t drawn; // the place of the drawn byte in its stretch
    uint64_t random;
};

struct counters {
    _Atomic uint64_t allocations, stacks, captures, lost, nanoseconds;
    _Atomic int64_t weight; // the bytes that the blocks in use stand for
};

extern struct tables *recorder_tables;
extern struct counters recorder_counters;
extern __attribute__((visibility("hidden"))) __thread struct thread_state recorder_thread __attribute__((tls_model("initial-exec")));

static inline void acquire(atomic_flag *lock) {
    for (unsigned turn = 0; atomic_flag_test_and_set_explicit(lock, memory_order_acquire); turn++) {
        if (turn > 100) sched_yield();
    }
}

static inline void release(atomic_flag *lock) { atomic_flag_clear_explicit(lock, memory_order_release); }

// visit.c: work of the recorder in a thread.
struct visit {
    uint64_t signals; // those that were blocked before
    int error;
};
bool visit_begin(struct visit *visit);
void visit_end(const struct visit *visit);

// table.c: blocks in use.
bool table_insert(struct block block);
bool table_find(uint64_t address, struct block *found);
bool table_remove(uint64_t address, struct block *removed);
bool table_may_have(uint64_t address);
void table_lock(void);
void table_unlock(void);
void table_reset_locks(void);
void history_consider(uint64_t address);
void history_clear(void);

// spans.c: mapped memory; changes need the lock.
void spans_lock(void);
void spans_unlock(void);
void spans_reset(void);
uint32_t spans_count(void);
bool spans_touch(uint64_t start, uint64_t end);
void spans_cut(uint64_t start, uint64_t end);
void spans_put(struct span span);
void spans_move(uint64_t from, uint64_t end, uint64_t to, bool stays);

// stacks.c: callers.
uint32_t stack_here(void);
uint32_t frame_count(void);
void stacks_lock(void);
void stacks_unlock(void);

// images.c: libraries that were closed.
struct dl_phdr_info;
struct range image_code(const struct dl_phdr_info *image);
extern struct range recorder_thread_data; // that of the first thread; those of others are parts of their stacks
void images_start(void);
void images_unlock(void);

// sampling.c: the choice of small blocks.
bool sample_weight(size_t size, uint64_t *weight);

// peak.c: the times of looks.
void peak_consider(void);
void peak_grown(void);
void peak_moving(int64_t change);
void peak_consider_moved(const struct block *old, uint64_t high_water_before);
void peak_start(const char *folder);
void peak_after_fork(void);
void peak_pause(void);
void peak_finish(void);
void peak_listen(void);

// document.c: output.
struct look {
    const char *folder;
    const char *kind;  // "baseline" or "peak"
    uint64_t identity; // tells two programs of one process apart
    uint64_t resident, high_water;
    const struct block *moved; // what realloc copied from, or NULL
    bool own_malloc;
};
bool document_write(const struct look *look);
void document_drop(const struct look *look);
void document_announce(const struct look *look);
void document_finish(const struct look *look);

// residency.c: memory shared with the other side of a fork.
void residency_after_fork(void);

// kernel.c: data from the kernel, without stdio.
uint64_t kernel_resident(void);
uint64_t kernel_anonymous(void);
uint64_t kernel_high_water(void);
uint64_t kernel_now(void);
uint64_t kernel_process(void);
uint64_t kernel_parent(void);
uint64_t kernel_page_size(void);
// System calls that are not cancellation points, because `free` is not one.
int kernel_open(const char *path, int flags, int mode);
long kernel_read(int file, void *buffer, size_t size);
long kernel_write(int file, const void *buffer, size_t size);
long kernel_read_at(int file, void *buffer, size_t size, uint64_t offset);
long kernel_write_at(int file, const void *buffer, size_t size, uint64_t offset);
void kernel_close(int file);
long kernel_read_all(const char *path, char *buffer, size_t size);

#pragma GCC visibility pop
#endif
