// SPDX-License-Identifier: Apache-2.0
// C++'s own names: jemalloc has them, too, and its `operator new` never comes by malloc.
#include "hooks.h"

// The real operator throws where there is no memory, which C cannot: it is asked only then.
static void *allocated(size_t size) {
    void *block = recorder_malloc(size ? size : 1);
    return block || !recorder_next.operator_new ? block : recorder_next.operator_new(size);
}

static void *allocated_or_null(size_t size) { return recorder_malloc(size ? size : 1); }

static void *aligned(size_t size, size_t alignment) {
    size_t rounded = ((size ? size : 1) + alignment - 1) & ~(alignment - 1);
    void *block = recorder_aligned_alloc(alignment, rounded);
    return block || !recorder_next.operator_new ? block : recorder_next.operator_new(SIZE_MAX >> 1);
}

static void *aligned_or_null(size_t size, size_t alignment) {
    return recorder_aligned_alloc(alignment, ((size ? size : 1) + alignment - 1) & ~(alignment - 1));
}

#define REPLACES(name) __attribute__((alias(#name), visibility("default")))

// new, new[], both without exceptions, both aligned, and both of both.
void *_Znwm(size_t) REPLACES(allocated);
void *_Znam(size_t) REPLACES(allocated);
void *_ZnwmRKSt9nothrow_t(size_t) REPLACES(allocated_or_null);
void *_ZnamRKSt9nothrow_t(size_t) REPLACES(allocated_or_null);
void *_ZnwmSt11align_val_t(size_t, size_t) REPLACES(aligned);
void *_ZnamSt11align_val_t(size_t, size_t) REPLACES(aligned);
void *_ZnwmSt11align_val_tRKSt9nothrow_t(size_t, size_t) REPLACES(aligned_or_null);
void *_ZnamSt11align_val_tRKSt9nothrow_t(size_t, size_t) REPLACES(aligned_or_null);

static void released(void *block) { recorder_free(block); }

// delete and delete[], with a size, an alignment, without exceptions: what else they are told is not needed.
void _ZdlPv(void *) REPLACES(released);
void _ZdaPv(void *) REPLACES(released);
void _ZdlPvm(void *) REPLACES(released);
void _ZdaPvm(void *) REPLACES(released);
void _ZdlPvRKSt9nothrow_t(void *) REPLACES(released);
void _ZdaPvRKSt9nothrow_t(void *) REPLACES(released);
void _ZdlPvSt11align_val_t(void *) REPLACES(released);
void _ZdaPvSt11align_val_t(void *) REPLACES(released);
void _ZdlPvmSt11align_val_t(void *) REPLACES(released);
void _ZdaPvmSt11align_val_t(void *) REPLACES(released);
void _ZdlPvSt11align_val_tRKSt9nothrow_t(void *) REPLACES(released);
void _ZdaPvSt11align_val_tRKSt9nothrow_t(void *) REPLACES(released);
