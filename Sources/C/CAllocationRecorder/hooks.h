// SPDX-License-Identifier: Apache-2.0
#ifndef HOOKS_H
#define HOOKS_H

#include "recorder.h"

#pragma GCC visibility push(hidden)

// The allocator functions that the process would use without the recorder.
struct allocator {
    void *(*malloc)(size_t);
    void *(*calloc)(size_t, size_t);
    void *(*realloc)(void *, size_t);
    void (*free)(void *);
    int (*posix_memalign)(void **, size_t, size_t);
    void *(*aligned_alloc)(size_t, size_t);
    void *(*memalign)(size_t, size_t);
    void *(*operator_new)(size_t);
};
extern struct allocator recorder_next;

// Defines a function of libc under its own name.
#define REPLACES(name) __attribute__((alias(#name), visibility("default")))

void recorder_note(void *block, size_t size);
void recorder_forget(void *block);
void peak_own_malloc(void);
void mappings_start(void);
void exec_start(void);
void operators_start(void);
bool recorder_is_ready(void);

void *recorder_malloc(size_t size);
void recorder_free(void *block);
void *recorder_aligned_alloc(size_t alignment, size_t size);

#pragma GCC visibility pop
#endif
