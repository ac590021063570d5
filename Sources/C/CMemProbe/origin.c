// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "origin.h"

#include <dlfcn.h>
#include <stddef.h>

// Defined only if an allocation recorder is loaded in front of the allocator: the allocator that it calls.
extern const void *allocation_recorder_malloc(void) __attribute__((weak));

const void *cmemprobe_malloc_address(void) {
    if (allocation_recorder_malloc && allocation_recorder_malloc()) return allocation_recorder_malloc();
    return dlsym(RTLD_DEFAULT, "malloc");
}

bool cmemprobe_same_object(const void *first, const void *second) {
    Dl_info one = {0};
    Dl_info other = {0};
    // A static executable has one object, about which its dladdr knows nothing.
    if (first == NULL || second == NULL || dladdr(first, &one) == 0 || dladdr(second, &other) == 0) return true;
    return one.dli_fbase == other.dli_fbase;
}
