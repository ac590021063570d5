// SPDX-License-Identifier: Apache-2.0
// The document of a look at all blocks, which is written completely or not at all, and read by
// Sources/Profiles/Recording.
//
// Resident pages are written as bits; readers, who have time, assign them to blocks. It is written in pieces, because
// there is no memory to assemble it in.
#include <fcntl.h>
#include <stdio.h> // rename
#include <string.h>
#include <unistd.h>

#include "draft.h"

#define DOCUMENT_VERSION 4

struct header {
    char magic[8];
    uint32_t version, header_size;
    uint64_t process, page_size, time;
    uint64_t resident, high_water, final_high_water;
    uint64_t tables_start, tables_end, thread_data_start, thread_data_end;
    // 1: malloc is not the recorder's; 2: `moved` is one; 4: more mappings than there is room for; 8: pages may be listed
    // as resident that were only read, and are the kernel's one page of zeros
    uint64_t flags;
    uint64_t allocations, stacks, captures, lost, nanoseconds;
    uint64_t frame_count, block_count, history_count, range_count, map_size;
    uint64_t parent;
    char name[16]; // as the kernel has it
    struct block moved;
};

static const char magic[8] = "FBHOLD\r\n", trailer[8] = "FBHOLEND";

// Text without stdio's buffers; returns the end of the text.
static char *add_text(char *end, const char *text) {
    while (*text) *end++ = *text++;
    *end = 0;
    return end;
}

static char *add_number(char *end, uint64_t number) {
    char digits[24];
    unsigned count = 0;
    do { digits[count++] = (char)('0' + number % 10); } while (number /= 10);
    while (count) *end++ = digits[--count];
    *end = 0;
    return end;
}

// `FOLDER/PID-IDENTITY.KIND`
static void name_of(const struct look *look, const char *suffix, char *name) {
    char *end = add_text(name, look->folder);
    end = add_text(end, "/");
    end = add_number(end, (uint64_t)getpid());
    end = add_text(end, "-");
    end = add_number(end, look->identity);
    end = add_text(end, ".");
    end = add_text(end, look->kind);
    add_text(end, suffix);
}

static void put_blocks(struct draft *draft, struct header *header) {
    struct tables *tables = recorder_tables;
    for (uint32_t i = 0; i < BLOCK_CAPACITY; i++) {
        if (!tables->blocks[i].address) continue;
        header->block_count++;
        draft_put(draft, &tables->blocks[i], sizeof tables->blocks[i]);
    }
    for (uint32_t i = 0; i < spans_count(); i++) {
        uint64_t size = tables->spans[i].end - tables->spans[i].start;
        struct block mapping = {tables->spans[i].start, size, size, tables->spans[i].stack, BLOCK_IS_MAPPING, 0};
        header->block_count++;
        draft_put(draft, &mapping, sizeof mapping);
    }
    header->history_count = tables->history_count;
    draft_put(draft, tables->history, header->history_count * sizeof tables->history[0]);
}

static uint64_t hexadecimal(const char **text) {
    uint64_t value = 0;
    for (;; (*text)++) {
        char digit = **text;
        if (digit >= '0' && digit <= '9') value = value << 4 | (uint64_t)(digit - '0');
        else if (digit >= 'a' && digit <= 'f') value = value << 4 | (uint64_t)(digit - 'a' + 10);
        else return value;
    }
}

// The state of reading smaps.
struct reading {
    struct header *header;
    bool is_kept; // whether the mapping of the last heading is in the table
};

// Takes the address range of a mapping from a line of smaps, and drops mappings without resident pages.
//
// The kernel may list a mapping that has grown between two reads again: then the rest of it is taken.
static void read_line(const char *line, struct reading *reading) {
    struct range *ranges = recorder_tables->ranges;
    struct header *header = reading->header;
    if ((*line >= '0' && *line <= '9') || (*line >= 'a' && *line <= 'f')) {
        struct range range = {.start = hexadecimal(&line)};
        if (*line++ != '-') return;
        range.end = hexadecimal(&line);
        uint64_t last = header->range_count ? ranges[header->range_count - 1].end : 0;
        if (range.start < last) range.start = last;
        reading->is_kept = range.start < range.end && header->range_count < RANGE_CAPACITY;
        if (reading->is_kept) ranges[header->range_count++] = range;
        else if (range.start < range.end) header->flags |= 4;
    } else if (!strncmp(line, "Rss:", 4) && reading->is_kept) {
        while (*line && (*line < '1' || *line > '9')) line++;
        if (!*line) header->range_count--;
        reading->is_kept = false;
    }
}

static char *add_hexadecimal(char *end, uint64_t number) {
    for (int shift = 60; shift >= 0; shift -= 4) *end++ = "0123456789abcdef"[number >> shift & 15];
    return end;
}

// Lists closed libraries as the kernel lists those that are mapped.
static void put_closed(struct draft *draft, struct header *header) {
    for (uint32_t i = 0; i < recorder_tables->closed_count; i++) {
        const struct image *image = &recorder_tables->closed[i];
        char line[320], *end = add_hexadecimal(line, image->range.start);
        *end++ = '-';
        end = add_hexadecimal(end, image->range.end);
        end = add_text(end, " r-xp 00000000 00:00 0 ");
        end = add_text(add_text(end, image->path), "\n");
        draft_put(draft, line, (size_t)(end - line));
        header->map_size += (uint64_t)(end - line);
    }
}

static void put_mappings(struct draft *draft, struct header *header) {
    int source = kernel_open("/proc/self/smaps", O_RDONLY, 0);
    draft->good = draft->good && source >= 0;
    if (!draft->good) return;
    char *text = recorder_tables->text;
    size_t kept = 0;
    long count;
    struct reading reading = {.header = header};
    while (draft->good && (count = kernel_read(source, text + kept, BUFFER_SIZE - 1 - kept)) > 0) {
        draft_put(draft, text + kept, (size_t)count);
        header->map_size += (uint64_t)count;
        size_t size = kept + (size_t)count, line = 0;
        for (size_t i = 0; i < size; i++) {
            if (text[i] != '\n') continue;
            text[i] = 0;
            read_line(text + line, &reading);
            line = i + 1;
        }
        kept = size - line;
        memmove(text, text + line, kept);
    }
    kernel_close(source);
    put_closed(draft, header);
    static const char padding[8];
    draft_put(draft, padding, (8 - header->map_size % 8) % 8);
}

static void name_process(struct header *header) {
    char text[32];
    memset(header->name, 0, sizeof header->name);
    if (kernel_read_all("/proc/self/comm", text, sizeof text) <= 0) return;
    for (size_t i = 0; i < sizeof header->name - 1 && text[i] && text[i] != '\n'; i++) header->name[i] = text[i];
}

static void fill(struct header *header, const struct look *look) {
    memcpy(header->magic, magic, sizeof magic);
    header->version = DOCUMENT_VERSION;
    header->header_size = sizeof *header;
    header->process = (uint64_t)getpid();
    header->parent = kernel_parent();
    name_process(header);
    header->page_size = kernel_page_size();
    header->time = kernel_now();
    header->resident = look->resident;
    header->high_water = look->high_water;
    header->tables_start = (uint64_t)(uintptr_t)recorder_tables;
    header->tables_end = header->tables_start + sizeof *recorder_tables;
    header->thread_data_start = recorder_thread_data.start;
    header->thread_data_end = recorder_thread_data.end;
    header->flags = (look->own_malloc ? 1 : 0) | (look->moved ? 2 : 0);
    if (look->moved) header->moved = *look->moved;
    header->frame_count = frame_count();
}

static void count(struct header *header) {
    header->allocations = recorder_counters.allocations;
    header->stacks = recorder_counters.stacks;
    header->captures = recorder_counters.captures;
    header->lost = recorder_counters.lost;
    header->nanoseconds = recorder_counters.nanoseconds;
}

static bool put_all(int file, const struct look *look) {
    struct header header = {.version = 0};
    struct draft draft = {file, 0, true};
    fill(&header, look);
    count(&header);
    draft_put(&draft, &header, sizeof header);
    draft_put(&draft, recorder_tables->frames, header.frame_count * sizeof(struct frame));
    put_blocks(&draft, &header);
    put_mappings(&draft, &header);
    if (!residency_put(&draft, header.range_count, header.page_size)) header.flags |= 8;
    draft_put(&draft, trailer, sizeof trailer);
    draft_flush(&draft);
    // The counts are known only at the end.
    return draft.good && kernel_write_at(file, &header, sizeof header, 0) == sizeof header;
}

// Writes the document and replaces the previous one; all tables are locked.
bool document_write(const struct look *look) {
    char name[640], draft[640];
    name_of(look, "", name);
    name_of(look, ".draft", draft);
    int file = kernel_open(draft, O_RDWR | O_CREAT | O_TRUNC, 0644);
    if (file < 0) return false;
    bool good = put_all(file, look);
    kernel_close(file);
    if (good) good = rename(draft, name) == 0;
    if (!good) unlink(draft);
    return good;
}

// Leaves an empty file, which tells that the recorder was loaded, from a process that may not write later.
void document_announce(const struct look *look) {
    char name[640];
    name_of(look, "", name);
    int file = kernel_open(name, O_RDWR | O_CREAT, 0644);
    if (file >= 0) kernel_close(file);
}

// Removes a document that is no longer wanted.
void document_drop(const struct look *look) {
    char name[640];
    name_of(look, "", name);
    unlink(name);
}

// Adds the values that are known only at the end to the document of the peak.
void document_finish(const struct look *look) {
    char name[640];
    name_of(look, "", name);
    int file = kernel_open(name, O_RDWR, 0);
    if (file < 0) return;
    struct header header;
    if (kernel_read_at(file, &header, sizeof header, 0) == sizeof header) {
        count(&header);
        name_process(&header);
        header.final_high_water = look->high_water;
        if (kernel_write_at(file, &header, sizeof header, 0) != sizeof header) unlink(name);
    }
    kernel_close(file);
}
