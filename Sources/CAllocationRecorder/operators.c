// SPDX-License-Identifier: Apache-2.0
// C++'s own names: jemalloc has them, too, and its `operator new` never comes by malloc.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>

#include "hooks.h"

// A program that replaces the plain operators expects all others to come by them: libstdc++'s do.
static void *(*replaced_new)(size_t);
static void (*replaced_delete)(void *);

// The real operator throws where there is no memory, which C cannot: it is asked only then.
static void *no_memory(size_t size) {
    if (!recorder_next.operator_new) recorder_next.operator_new = dlsym(RTLD_NEXT, "_Znwm");
    if (!recorder_next.operator_new) abort();
    return recorder_next.operator_new(size);
}

static void *plain_new(size_t size) {
    void *block = recorder_malloc(size ? size : 1);
    return block ? block : no_memory(size);
}

static void plain_delete(void *block) { recorder_free(block); }

static void *allocated(size_t size) { return replaced_new ? replaced_new(size) : plain_new(size); }

static void *allocated_or_null(size_t size) {
    return replaced_new ? replaced_new(size) : recorder_malloc(size ? size : 1);
}

static void *aligned_or_null(size_t size, size_t alignment) {
    size_t rounded;
    if (__builtin_add_overflow(size ? size : 1, alignment - 1, &rounded)) return NULL;
    return recorder_aligned_alloc(alignment, rounded & ~(alignment - 1));
}

static void *aligned(size_t size, size_t alignment) {
    void *block = aligned_or_null(size, alignment);
    return block ? block : no_memory(SIZE_MAX >> 1);
}

#define REPLACES(name) __attribute__((alias(#name), visibility("default")))

// new, new[], both without exceptions, both aligned, and both of both.
void *_Znwm(size_t) REPLACES(plain_new);
void *_Znam(size_t) REPLACES(allocated);
void *_ZnwmRKSt9nothrow_t(size_t) REPLACES(allocated_or_null);
void *_ZnamRKSt9nothrow_t(size_t) REPLACES(allocated_or_null);
void *_ZnwmSt11align_val_t(size_t, size_t) REPLACES(aligned);
void *_ZnamSt11align_val_t(size_t, size_t) REPLACES(aligned);
void *_ZnwmSt11align_val_tRKSt9nothrow_t(size_t, size_t) REPLACES(aligned_or_null);
void *_ZnamSt11align_val_tRKSt9nothrow_t(size_t, size_t) REPLACES(aligned_or_null);

static void released(void *block) {
    if (replaced_delete) replaced_delete(block);
    else recorder_free(block);
}

static void aligned_released(void *block) { recorder_free(block); }

// delete and delete[], with a size, an alignment, without exceptions: what else they are told is not needed.
void _ZdlPv(void *) REPLACES(plain_delete);
void _ZdaPv(void *) REPLACES(released);
void _ZdlPvm(void *) REPLACES(released);
void _ZdaPvm(void *) REPLACES(released);
void _ZdlPvRKSt9nothrow_t(void *) REPLACES(released);
void _ZdaPvRKSt9nothrow_t(void *) REPLACES(released);
void _ZdlPvSt11align_val_t(void *) REPLACES(aligned_released);
void _ZdaPvSt11align_val_t(void *) REPLACES(aligned_released);
void _ZdlPvmSt11align_val_t(void *) REPLACES(aligned_released);
void _ZdaPvmSt11align_val_t(void *) REPLACES(aligned_released);
void _ZdlPvSt11align_val_tRKSt9nothrow_t(void *) REPLACES(aligned_released);
void _ZdaPvSt11align_val_tRKSt9nothrow_t(void *) REPLACES(aligned_released);

// Whether the program has plain operators of its own; a stub by which it calls those here is its own as well, and leads here.
void operators_start(void) {
    void *(*create)(size_t) = dlsym(RTLD_DEFAULT, "_Znwm");
    void (*destroy)(void *) = dlsym(RTLD_DEFAULT, "_ZdlPv");
    if (create && create != plain_new) replaced_new = create;
    if (destroy && destroy != plain_delete) replaced_delete = destroy;
}
