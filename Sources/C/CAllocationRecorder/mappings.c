// SPDX-License-Identifier: Apache-2.0
// Memory that is mapped without the allocator. jemalloc's mappings are excluded by their caller, because its blocks are
// recorded already; glibc's malloc maps without calling these functions.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "hooks.h"

static struct range allocator_image;

struct search {
    uintptr_t address;
    struct range found;
};

static int look_into(struct dl_phdr_info *image, size_t size, void *argument) {
    (void)size;
    struct search *search = argument;
    struct range range = image_code(image);
    if (search->address < range.start || search->address >= range.end) return 0;
    search->found = range;
    return 1;
}

void mappings_start(void) {
    struct search search = {.address = (uintptr_t)recorder_next.malloc};
    if (dl_iterate_phdr(look_into, &search)) allocator_image = search.found;
}

static bool is_allocator(const void *caller) {
    uint64_t address = (uint64_t)(uintptr_t)caller;
    return address >= allocator_image.start && address < allocator_image.end;
}

// Shared memory is not anonymous: the kernel backs it with a file.
static bool is_memory(int flags, size_t size) {
    return flags & MAP_ANONYMOUS && flags & MAP_PRIVATE && size >= LEAST_MAPPING;
}

static struct range pages_of(const void *address, size_t size) {
    uint64_t start = (uint64_t)(uintptr_t)address, page = kernel_page_size();
    return (struct range){start, (start + size + page - 1) & ~(page - 1)};
}

static bool touches(struct range range) { return spans_touch(range.start, range.end); }

static _Atomic uint64_t given_back; // bytes in parts too small for a look at each

// Returns true if a look is worth its cost before this much is returned.
static bool is_much(size_t size) {
    if (size >= LEAST_MAPPING) return true;
    if (atomic_fetch_add_explicit(&given_back, size, memory_order_relaxed) + size < LEAST_MAPPING) return false;
    given_back = 0;
    return true;
}

// Returning memory of any kind shrinks the process: also the allocator's, and pages of files.
static void consider(size_t size) {
    struct visit visit;
    if (!recorder_tables || recorder_thread.inside || !is_much(size) || !visit_begin(&visit)) return;
    peak_consider();
    visit_end(&visit);
}

// Replaces what was recorded of a range; the new content belongs to the caller, or is unknown.
static void note_mapped(struct range range, bool is_recorded) {
    struct visit visit;
    if (!recorder_tables || (!is_recorded && !touches(range)) || !visit_begin(&visit)) return;
    uint32_t stack = is_recorded ? stack_here() : 0;
    spans_lock();
    if (is_recorded) spans_put((struct span){range.start, range.end, stack});
    else spans_cut(range.start, range.end);
    spans_unlock();
    visit_end(&visit);
}

void *mmap(void *, size_t, int, int, int, off_t) __attribute__((visibility("default")));
void *mmap(void *address, size_t size, int protection, int flags, int file, off_t offset) {
    // MAP_FIXED unmaps what was there.
    if (flags & MAP_FIXED) consider(size);
    void *mapping = (void *)syscall(SYS_mmap, address, size, protection, flags, file, offset);
    if (mapping == MAP_FAILED) return mapping;
    note_mapped(pages_of(mapping, size), is_memory(flags, size) && !is_allocator(__builtin_return_address(0)));
    return mapping;
}

void *mmap64(void *, size_t, int, int, int, off_t) __attribute__((alias("mmap"), visibility("default")));

// The lock is held until the kernel returns: a reuse of the place is recorded afterwards, and a refused range is kept.
static int unmap(void *address, size_t size) {
    struct range range = pages_of(address, size);
    spans_lock();
    int status = (int)syscall(SYS_munmap, address, size);
    if (status == 0) spans_cut(range.start, range.end);
    spans_unlock();
    return status;
}

int munmap(void *, size_t) __attribute__((visibility("default")));
int munmap(void *address, size_t size) {
    struct visit visit;
    bool is_known = recorder_tables && touches(pages_of(address, size));
    bool is_worth_a_look = recorder_tables && is_much(size);
    if (!(is_known || is_worth_a_look) || !visit_begin(&visit)) return (int)syscall(SYS_munmap, address, size);
    if (is_worth_a_look) peak_consider();
    int status = is_known ? unmap(address, size) : (int)syscall(SYS_munmap, address, size);
    if (status != 0) visit.error = errno;
    visit_end(&visit);
    return status;
}

int madvise(void *, size_t, int) __attribute__((visibility("default")));
int madvise(void *address, size_t size, int advice) {
    bool drops = advice == MADV_DONTNEED || advice == MADV_FREE || advice == MADV_REMOVE || advice == MADV_PAGEOUT;
    if (drops) consider(size);
    return (int)syscall(SYS_madvise, address, size, advice);
}

#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP 4
#endif

// Moved pages keep their owner. A mapping that grows is attributed to the caller that grew it, which is more useful
// than its creator.
static void follow(struct range old, struct range new, int flags, bool is_grown, uint32_t stack) {
    bool is_moved = old.start != new.start, stays = flags & MREMAP_DONTUNMAP;
    if (is_moved) spans_cut(new.start, new.end);
    if (is_grown) {
        spans_cut(old.start, old.end);
        spans_put((struct span){new.start, new.end, stack});
        return;
    }
    uint64_t kept = old.start + (new.end - new.start);
    if (kept < old.end) spans_cut(kept, old.end);
    else kept = old.end;
    if (is_moved) spans_move(old.start, kept, new.start, stays);
}

static void *remap(struct range old, size_t size, size_t wanted, int flags, void *place, bool is_grown) {
    void *address = (void *)(uintptr_t)old.start;
    uint32_t stack = is_grown ? stack_here() : 0;
    spans_lock();
    void *moved = (void *)syscall(SYS_mremap, address, size, wanted, flags, place);
    int error = errno;
    if (moved != MAP_FAILED) follow(old, pages_of(moved, wanted), flags, is_grown, stack);
    spans_unlock();
    errno = error;
    return moved;
}

void *mremap(void *, size_t, size_t, int, ...) __attribute__((visibility("default")));
void *mremap(void *address, size_t size, size_t wanted, int flags, ...) {
    va_list more;
    va_start(more, flags);
    void *place = flags & MREMAP_FIXED ? va_arg(more, void *) : NULL;
    va_end(more);
    struct visit visit;
    struct range old = pages_of(address, size), new = pages_of(place, wanted);
    bool is_fixed = flags & MREMAP_FIXED, is_known = recorder_tables && touches(old);
    if (wanted < size || is_fixed) consider(is_fixed ? wanted : size - wanted);
    if (!(is_known || (recorder_tables && is_fixed && touches(new))) || !visit_begin(&visit)) {
        return (void *)syscall(SYS_mremap, address, size, wanted, flags, place);
    }
    bool is_grown = is_known && wanted > size && !is_allocator(__builtin_return_address(0));
    void *moved = remap(old, size, wanted, flags, place, is_grown);
    if (moved == MAP_FAILED) visit.error = errno;
    visit_end(&visit);
    return moved;
}
