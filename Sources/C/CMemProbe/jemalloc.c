// SPDX-License-Identifier: Apache-2.0

#include "CMemProbe.h"
#include "origin.h"

#include <errno.h>
#include <stdlib.h>

// Weak: NULL unless jemalloc is linked in or preloaded.
extern int mallctl(const char *, void *, size_t *, void *, size_t) __attribute__((weak));
extern int mallctlnametomib(const char *, size_t *, size_t *) __attribute__((weak));
extern int mallctlbymib(const size_t *, size_t, void *, size_t *, void *, size_t) __attribute__((weak));

bool cmemprobe_has_jemalloc(void) {
    if (mallctl == NULL || mallctlnametomib == NULL || mallctlbymib == NULL) return false;
    // A library that merely contains jemalloc does not make it the process's allocator.
    return cmemprobe_same_object(cmemprobe_malloc_address(), (const void *)mallctl);
}

int cmemprobe_mallctl(
    const char *name, void *old_value, size_t *old_length, void *new_value, size_t new_length) {
    return mallctl == NULL ? ENOSYS : mallctl(name, old_value, old_length, new_value, new_length);
}

int cmemprobe_mallctlnametomib(const char *name, size_t *mib, size_t *mib_length) {
    return mallctlnametomib == NULL ? ENOSYS : mallctlnametomib(name, mib, mib_length);
}

int cmemprobe_mallctlbymib(
    const size_t *mib, size_t mib_length, void *old_value, size_t *old_length, void *new_value,
    size_t new_length) {
    return mallctlbymib == NULL
        ? ENOSYS
        : mallctlbymib(mib, mib_length, old_value, old_length, new_value, new_length);
}
