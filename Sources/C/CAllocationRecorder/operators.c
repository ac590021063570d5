// SPDX-License-Identifier: Apache-2.0
// The operators of C++: jemalloc replaces them, too, and its `operator new` does not call malloc.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>

#include "hooks.h"

// The operators that other ones call, as in libstdc++ and libc++: a program may replace any of them, and its own blocks
// can only be released by its own operators. `NULL` if the program does not define one.
static struct {
    void *(*create)(size_t);
    void *(*create_array)(size_t);
    void *(*create_aligned)(size_t, size_t);
    void *(*create_aligned_array)(size_t, size_t);
    void (*destroy)(void *);
    void (*destroy_array)(void *);
    void (*destroy_aligned)(void *, size_t);
    void (*destroy_aligned_array)(void *, size_t);
} replaced;

// The real operator, which throws if there is no memory, which C cannot; it is called only then.
static void *no_memory(size_t size) {
    if (!recorder_next.operator_new) recorder_next.operator_new = dlsym(RTLD_NEXT, "_Znwm");
    if (!recorder_next.operator_new) abort();
    return recorder_next.operator_new(size);
}

static void *plain_new(size_t size) {
    void *block = recorder_malloc(size ? size : 1);
    return block ? block : no_memory(size);
}

static void *array_new(size_t size) { return replaced.create ? replaced.create(size) : plain_new(size); }

static void *new_or_null(size_t size) { return replaced.create ? replaced.create(size) : recorder_malloc(size ? size : 1); }

static void *array_or_null(size_t size) { return replaced.create_array ? replaced.create_array(size) : new_or_null(size); }

static void *aligned_block(size_t size, size_t alignment) {
    size_t rounded;
    if (__builtin_add_overflow(size ? size : 1, alignment - 1, &rounded)) return NULL;
    return recorder_aligned_alloc(alignment, rounded & ~(alignment - 1));
}

static void *aligned_new(size_t size, size_t alignment) {
    void *block = aligned_block(size, alignment);
    return block ? block : no_memory(SIZE_MAX >> 1);
}

static void *aligned_array_new(size_t size, size_t alignment) {
    return replaced.create_aligned ? replaced.create_aligned(size, alignment) : aligned_new(size, alignment);
}

static void *aligned_or_null(size_t size, size_t alignment) {
    return replaced.create_aligned ? replaced.create_aligned(size, alignment) : aligned_block(size, alignment);
}

static void *aligned_array_or_null(size_t size, size_t alignment) {
    return replaced.create_aligned_array ? replaced.create_aligned_array(size, alignment) : aligned_or_null(size, alignment);
}

// new and new[], also without exceptions, aligned, and both.
void *_Znwm(size_t) REPLACES(plain_new);
void *_Znam(size_t) REPLACES(array_new);
void *_ZnwmRKSt9nothrow_t(size_t) REPLACES(new_or_null);
void *_ZnamRKSt9nothrow_t(size_t) REPLACES(array_or_null);
void *_ZnwmSt11align_val_t(size_t, size_t) REPLACES(aligned_new);
void *_ZnamSt11align_val_t(size_t, size_t) REPLACES(aligned_array_new);
void *_ZnwmSt11align_val_tRKSt9nothrow_t(size_t, size_t) REPLACES(aligned_or_null);
void *_ZnamSt11align_val_tRKSt9nothrow_t(size_t, size_t) REPLACES(aligned_array_or_null);

static void plain_delete(void *block) { recorder_free(block); }

static void other_delete(void *block) {
    if (replaced.destroy) replaced.destroy(block);
    else recorder_free(block);
}

static void other_array_delete(void *block) {
    if (replaced.destroy_array) replaced.destroy_array(block);
    else other_delete(block);
}

static void aligned_delete(void *block, size_t alignment) {
    (void)alignment;
    recorder_free(block);
}

static void other_aligned_delete(void *block, size_t alignment) {
    if (replaced.destroy_aligned) replaced.destroy_aligned(block, alignment);
    else recorder_free(block);
}

static void other_aligned_array_delete(void *block, size_t alignment) {
    if (replaced.destroy_aligned_array) replaced.destroy_aligned_array(block, alignment);
    else other_aligned_delete(block, alignment);
}

static void sized_aligned_delete(void *block, size_t size, size_t alignment) {
    (void)size;
    other_aligned_delete(block, alignment);
}

static void sized_aligned_array_delete(void *block, size_t size, size_t alignment) {
    (void)size;
    other_aligned_array_delete(block, alignment);
}

// delete and delete[], with a size, an alignment, without exceptions: sizes are not needed.
void _ZdlPv(void *) REPLACES(plain_delete);
void _ZdaPv(void *) REPLACES(other_delete);
void _ZdlPvm(void *) REPLACES(other_delete);
void _ZdaPvm(void *) REPLACES(other_array_delete);
void _ZdlPvRKSt9nothrow_t(void *) REPLACES(other_delete);
void _ZdaPvRKSt9nothrow_t(void *) REPLACES(other_array_delete);
void _ZdlPvSt11align_val_t(void *, size_t) REPLACES(aligned_delete);
void _ZdaPvSt11align_val_t(void *, size_t) REPLACES(other_aligned_delete);
void _ZdlPvmSt11align_val_t(void *, size_t, size_t) REPLACES(sized_aligned_delete);
void _ZdaPvmSt11align_val_t(void *, size_t, size_t) REPLACES(sized_aligned_array_delete);
void _ZdlPvSt11align_val_tRKSt9nothrow_t(void *, size_t) REPLACES(other_aligned_delete);
void _ZdaPvSt11align_val_tRKSt9nothrow_t(void *, size_t) REPLACES(other_aligned_array_delete);

// Returns the first definition of a name, or `NULL` if it is this library's own.
static void *elsewhere(const char *name, const void *here) {
    void *found = dlsym(RTLD_DEFAULT, name);
    return found == here ? NULL : found;
}

// Finds the operators that the program defines itself. A program's mere stub for an operator of this library has an
// address of the program, too, but leads here.
void operators_start(void) {
    replaced.create = elsewhere("_Znwm", plain_new);
    replaced.create_array = elsewhere("_Znam", array_new);
    replaced.create_aligned = elsewhere("_ZnwmSt11align_val_t", aligned_new);
    replaced.create_aligned_array = elsewhere("_ZnamSt11align_val_t", aligned_array_new);
    replaced.destroy = elsewhere("_ZdlPv", plain_delete);
    replaced.destroy_array = elsewhere("_ZdaPv", other_delete);
    replaced.destroy_aligned = elsewhere("_ZdlPvSt11align_val_t", aligned_delete);
    replaced.destroy_aligned_array = elsewhere("_ZdaPvSt11align_val_t", other_aligned_delete);
}
