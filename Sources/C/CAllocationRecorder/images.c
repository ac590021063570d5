// SPDX-License-Identifier: Apache-2.0
// Libraries that the program closes. Others may come to their addresses, so frames in them move to addresses that no
// process has, where the document lists their files.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "hooks.h"

static atomic_flag lock = ATOMIC_FLAG_INIT;
static uint32_t loaded_count;
static int (*next_dlclose)(void *);

void images_unlock(void) { release(&lock); }

// Returns the addresses from the start of a program or library to the end of its code.
struct range image_code(const struct dl_phdr_info *info) {
    struct range range = {UINT64_MAX, 0};
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type != PT_LOAD) continue;
        uint64_t start = info->dlpi_addr + segment->p_vaddr, end = start + segment->p_memsz;
        if (start < range.start) range.start = start;
        if (segment->p_flags & PF_X && end > range.end) range.end = end;
    }
    return range;
}

struct range recorder_thread_data;

static int take_thread_data(struct dl_phdr_info *info, size_t size, void *argument) {
    (void)size, (void)argument;
    for (int i = 0; i < info->dlpi_phnum && info->dlpi_tls_data; i++) {
        if (info->dlpi_phdr[i].p_type != PT_TLS) continue;
        uint64_t start = (uint64_t)(uintptr_t)info->dlpi_tls_data, end = start + info->dlpi_phdr[i].p_memsz;
        if (!recorder_thread_data.end || start < recorder_thread_data.start) recorder_thread_data.start = start;
        if (end > recorder_thread_data.end) recorder_thread_data.end = end;
    }
    return 0;
}

void images_start(void) { dl_iterate_phdr(take_thread_data, NULL); }

static int take(struct dl_phdr_info *info, size_t size, void *argument) {
    (void)size, (void)argument;
    struct image *images = recorder_tables->loaded;
    struct image image = {image_code(info), true, ""};
    for (uint32_t i = 0; i < loaded_count; i++) {
        if (images[i].range.start != image.range.start || images[i].range.end != image.range.end) continue;
        images[i].is_here = true;
        return 0;
    }
    char path[PATH_MAX];
    bool is_named = info->dlpi_name[0] && realpath(info->dlpi_name, path) && strlen(path) < sizeof image.path;
    if (!is_named || loaded_count == IMAGE_CAPACITY) return 0;
    strcpy(image.path, path);
    images[loaded_count++] = image;
    return 0;
}

// Moves the frames in a library that is gone; the same file has one place, however often it is closed.
static void move_frames(const struct image *gone) {
    struct image *closed = recorder_tables->closed;
    uint32_t place = 0, *count = &recorder_tables->closed_count;
    while (place < *count && strcmp(closed[place].path, gone->path)) place++;
    // Without room, frames lose their names rather than have those of others.
    uint64_t start = CLOSED_START + ((uint64_t)place << 32);
    uint32_t moved = 0;
    stacks_lock();
    for (uint32_t i = 1; i < frame_count(); i++) {
        struct frame *frame = &recorder_tables->frames[i];
        if (frame->address < gone->range.start || frame->address >= gone->range.end) continue;
        frame->address += start - gone->range.start;
        moved++;
    }
    if (moved && place == *count && place < IMAGE_CAPACITY) {
        closed[place] = *gone;
        closed[place].range = (struct range){start, start + (gone->range.end - gone->range.start)};
        ++*count;
    }
    stacks_unlock();
}

static void look_for_closed(void) {
    struct visit visit;
    if (!visit_begin(&visit)) return;
    struct image *images = recorder_tables->loaded;
    acquire(&lock);
    for (uint32_t i = 0; i < loaded_count; i++) images[i].is_here = false;
    dl_iterate_phdr(take, NULL);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < loaded_count; i++) {
        if (images[i].is_here) images[kept++] = images[i];
        else move_frames(&images[i]);
    }
    loaded_count = kept;
    release(&lock);
    visit_end(&visit);
}

int dlclose(void *) __attribute__((visibility("default")));
int dlclose(void *library) {
    if (!next_dlclose) next_dlclose = dlsym(RTLD_NEXT, "dlclose");
    // Before and after: what is loaded is known only where something is closed.
    look_for_closed();
    int status = next_dlclose ? next_dlclose(library) : -1;
    look_for_closed();
    return status;
}
