// SPDX-License-Identifier: Apache-2.0

#include "CMemProbe.h"
#include "origin.h"

#include <stdlib.h>

// The layout of `struct mallinfo2`, declared here to compile without it in malloc.h.
struct mallinfo2_layout {
    size_t arena, ordblks, smblks, hblks, hblkhd, usmblks, fsmblks, uordblks, fordblks, keepcost;
};

// Weak: musl has none of these, and glibc has mallinfo2 since 2.33.
extern struct mallinfo2_layout mallinfo2(void) __attribute__((weak));
extern int malloc_trim(size_t) __attribute__((weak));
extern const char *gnu_get_libc_version(void) __attribute__((weak));

bool cmemprobe_malloc_is_libc(void) {
    // `getenv` represents the C library, which is not preloaded.
    return cmemprobe_same_object(cmemprobe_malloc_address(), (const void *)getenv);
}

static bool malloc_is_glibc(void) {
    return gnu_get_libc_version != NULL && cmemprobe_malloc_is_libc();
}

bool cmemprobe_glibc_heap(struct cmemprobe_glibc_heap *heap) {
    if (mallinfo2 == NULL || !malloc_is_glibc()) return false;
    struct mallinfo2_layout info = mallinfo2();
    heap->arena = info.arena;
    heap->mapped_blocks = info.hblkhd;
    heap->used = info.uordblks;
    return true;
}

bool cmemprobe_glibc_trim(void) {
    if (malloc_trim == NULL || !malloc_is_glibc()) return false;
    // It returns 0 if there was nothing to return, which is not a failure.
    malloc_trim(0);
    return true;
}

const char *cmemprobe_glibc_version(void) {
    return gnu_get_libc_version == NULL ? NULL : gnu_get_libc_version();
}
