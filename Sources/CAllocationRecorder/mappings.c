// SPDX-License-Identifier: Apache-2.0
// Memory that is mapped without the allocator. What jemalloc maps is the allocator's: its blocks are recorded already,
// and so the caller is asked for. glibc's malloc maps without coming by here.
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
    struct range range = {UINT64_MAX, 0};
    for (int i = 0; i < image->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &image->dlpi_phdr[i];
        if (segment->p_type != PT_LOAD) continue;
        uint64_t start = image->dlpi_addr + segment->p_vaddr, end = start + segment->p_memsz;
        if (start < range.start) range.start = start;
        if (end > range.end) range.end = end;
    }
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

// Memory that is shared is in no anonymous figure: the kernel gives it a file.
static bool is_memory(int flags, size_t size) {
    return flags & MAP_ANONYMOUS && flags & MAP_PRIVATE && size >= LEAST_MAPPING;
}

// What was mapped there before and was replaced is not there any more.
static void forget_replaced(void *address) {
    struct block replaced;
    if (!recorder_tables || recorder_thread.inside) return;
    recorder_thread.inside = true;
    table_remove((uint64_t)(uintptr_t)address, &replaced);
    recorder_thread.inside = false;
}

// A part of a mapping can be given back, too; parts from the middle are not followed: its pages tell.
static void shrink(void *address, size_t size) {
    struct block found;
    uint64_t start = (uint64_t)(uintptr_t)address;
    if (!recorder_tables || recorder_thread.inside || !table_find(start, &found)) return;
    bool whole = size >= found.size;
    recorder_forget(address);
    if (whole) return;
    recorder_thread.inside = true;
    found.address += size;
    found.size -= size;
    found.weight = found.size;
    table_insert(found);
    recorder_thread.inside = false;
}

// Whoever gives memory back, of whatever kind, makes the process smaller: what the allocator returns to the kernel, too,
// and pages of files.
static void give_back(void *address, size_t size, const void *caller) {
    if (!recorder_tables || recorder_thread.inside || size < LEAST_MAPPING) return;
    int error = errno;
    recorder_thread.inside = true;
    peak_consider();
    recorder_thread.inside = false;
    if (address && !is_allocator(caller)) shrink(address, size);
    errno = error;
}

void *mmap(void *, size_t, int, int, int, off_t) __attribute__((visibility("default")));
void *mmap(void *address, size_t size, int protection, int flags, int file, off_t offset) {
    // What is mapped over is given back.
    if (flags & MAP_FIXED) give_back(NULL, size, NULL);
    void *mapping = (void *)syscall(SYS_mmap, address, size, protection, flags, file, offset);
    if (mapping != MAP_FAILED && is_memory(flags, size) && !is_allocator(__builtin_return_address(0))) {
        forget_replaced(mapping);
        recorder_note(mapping, size, BLOCK_IS_MAPPING);
    }
    return mapping;
}

void *mmap64(void *, size_t, int, int, int, off_t) __attribute__((alias("mmap"), visibility("default")));

int munmap(void *, size_t) __attribute__((visibility("default")));
int munmap(void *address, size_t size) {
    give_back(address, size, __builtin_return_address(0));
    return (int)syscall(SYS_munmap, address, size);
}

int madvise(void *, size_t, int) __attribute__((visibility("default")));
int madvise(void *address, size_t size, int advice) {
    bool drops = advice == MADV_DONTNEED || advice == MADV_FREE || advice == MADV_REMOVE || advice == MADV_PAGEOUT;
    if (drops) give_back(NULL, size, NULL);
    return (int)syscall(SYS_madvise, address, size, advice);
}

// A mapping that is moved is another one of the same caller: what has grown it is of more use than what made it.
void *mremap(void *, size_t, size_t, int, ...) __attribute__((visibility("default")));
void *mremap(void *address, size_t size, size_t wanted, int flags, ...) {
    va_list more;
    va_start(more, flags);
    void *place = flags & MREMAP_FIXED ? va_arg(more, void *) : NULL;
    va_end(more);
    bool counts = !is_allocator(__builtin_return_address(0));
    struct block found = {.address = 0};
    bool known = counts && recorder_tables && !recorder_thread.inside && table_find((uint64_t)(uintptr_t)address, &found);
    if (known) recorder_forget(address);
    void *moved = (void *)syscall(SYS_mremap, address, size, wanted, flags, place);
    if (known) recorder_note(moved == MAP_FAILED ? address : moved, moved == MAP_FAILED ? size : wanted, BLOCK_IS_MAPPING);
    return moved;
}
