// SPDX-License-Identifier: Apache-2.0

#ifndef CMEMPROBE_H
#define CMEMPROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Whether the process's `malloc` is jemalloc's, linked in or preloaded.
/// In C because Swift cannot compare a weak symbol's address with NULL.
bool cmemprobe_has_jemalloc(void);

/// `mallctl` of jemalloc, or `ENOSYS` where the allocator is another one.
/// In C because the symbol is weak: nothing may link jemalloc.
int cmemprobe_mallctl(
    const char *name, void *old_value, size_t *old_length, void *new_value, size_t new_length);

/// `mallctlnametomib` of jemalloc, or `ENOSYS`. In C because the symbol is weak.
int cmemprobe_mallctlnametomib(const char *name, size_t *mib, size_t *mib_length);

/// `mallctlbymib` of jemalloc, or `ENOSYS`. In C because the symbol is weak.
int cmemprobe_mallctlbymib(
    const size_t *mib, size_t mib_length, void *old_value, size_t *old_length, void *new_value,
    size_t new_length);

/// What glibc's malloc says about itself, in bytes.
struct cmemprobe_glibc_heap {
    /// Obtained by `brk` or for secondary arenas: `arena` of `mallinfo2`.
    size_t arena;
    /// In blocks with a mapping of their own: `hblkhd`.
    size_t mapped_blocks;
    /// In use within the arenas: `uordblks`.
    size_t used;
};

/// Fills in what `mallinfo2` says; false where the process's `malloc` is not glibc's, or older than 2.33.
/// In C because the symbol is weak and Swift's overlay of the C library leaves `malloc.h` out.
bool cmemprobe_glibc_heap(struct cmemprobe_glibc_heap *heap);

/// `malloc_trim(0)`; false where the process's `malloc` is not glibc's. In C because the symbol is weak.
bool cmemprobe_glibc_trim(void);

/// The version of glibc, or NULL where the C library is another one. In C because the symbol is weak.
const char *cmemprobe_glibc_version(void);

/// Whether `malloc` is the C library's own and not a preloaded one.
/// In C because `dlsym` needs the pseudo handle `RTLD_DEFAULT`, a macro that Swift does not import.
bool cmemprobe_malloc_is_libc(void);

/// The pages of an open file that are in the page cache, dirty ones included; 0, or an errno.
/// In C because `cachestat` (kernel 6.5) has no wrapper and `syscall` is variadic, which Swift cannot call.
int cmemprobe_cached_pages(int descriptor, uint64_t *pages);

/// Turns transparent huge pages off for this process and its children; 0, or an errno.
/// In C because `prctl` is variadic.
int cmemprobe_disable_thp(void);

#endif
