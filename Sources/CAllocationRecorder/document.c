// SPDX-License-Identifier: Apache-2.0
// What a look at all blocks writes: a document that is whole or not there, read by Sources/Holders/Recording.
//
// Which pages of anonymous memory are resident is written as bits: which block they belong to is worked out by whoever
// reads it, where there is time. It is written by pieces, because there is no memory to put it together in.
#include <fcntl.h>
#include <stdio.h> // rename
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "recorder.h"

#define DOCUMENT_VERSION 1

struct header {
    char magic[8];
    uint32_t version, header_size;
    uint64_t process, page_size, time;
    uint64_t resident, high_water, final_high_water;
    uint64_t tables_start, tables_end;
    uint64_t flags; // 1: malloc is not the recorder's; 2: `moved` is one
    uint64_t allocations, stacks, captures, lost, nanoseconds;
    uint64_t frame_count, block_count, ghost_count, range_count, map_size;
    struct block moved;
};

static const char magic[8] = "FBHOLD\r\n", trailer[8] = "FBHOLEND";

static bool put(int file, const void *bytes, size_t size) {
    const char *rest = bytes;
    while (size) {
        ssize_t count = write(file, rest, size);
        if (count <= 0) return false;
        rest += count;
        size -= (size_t)count;
    }
    return true;
}

// Text without stdio's buffers: the end of what was written.
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

static bool put_blocks(int file, struct header *header) {
    struct tables *tables = recorder_tables;
    for (uint32_t i = 0; i < BLOCK_CAPACITY; i++) {
        if (!tables->blocks[i].address) continue;
        header->block_count++;
        if (!put(file, &tables->blocks[i], sizeof tables->blocks[i])) return false;
    }
    // The latest first: what was given back long ago may have been used again since.
    uint32_t count = ghost_count(), kept = count < GHOST_CAPACITY ? count : GHOST_CAPACITY;
    for (uint32_t i = 1; i <= kept; i++) {
        if (!put(file, &tables->ghosts[(count - i) % GHOST_CAPACITY], sizeof tables->ghosts[0])) return false;
    }
    header->ghost_count = kept;
    return true;
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

// Takes from a line of smaps where a mapping is, and drops those of which nothing is resident.
static void read_line(const char *line, struct header *header) {
    struct range *ranges = recorder_tables->ranges;
    if ((*line >= '0' && *line <= '9') || (*line >= 'a' && *line <= 'f')) {
        struct range range = {.start = hexadecimal(&line)};
        if (*line++ != '-') return;
        range.end = hexadecimal(&line);
        if (header->range_count < RANGE_CAPACITY) ranges[header->range_count++] = range;
    } else if (!strncmp(line, "Rss:", 4) && header->range_count) {
        while (*line && (*line < '1' || *line > '9')) line++;
        if (!*line) header->range_count--;
    }
}

static bool put_mappings(int file, struct header *header) {
    int source = open("/proc/self/smaps", O_RDONLY | O_CLOEXEC);
    if (source < 0) return false;
    char *text = recorder_tables->text;
    size_t kept = 0;
    ssize_t count;
    bool good = true;
    while (good && (count = read(source, text + kept, BUFFER_SIZE - 1 - kept)) > 0) {
        good = put(file, text + kept, (size_t)count);
        header->map_size += (uint64_t)count;
        size_t size = kept + (size_t)count, line = 0;
        for (size_t i = 0; i < size; i++) {
            if (text[i] != '\n') continue;
            text[i] = 0;
            read_line(text + line, header);
            line = i + 1;
        }
        kept = size - line;
        memmove(text, text + line, kept);
    }
    close(source);
    static const char padding[8];
    return good && put(file, padding, (8 - header->map_size % 8) % 8);
}

// One mapping, page by page, written by pieces of 64 pages.
struct page_bits {
    int file;
    uint64_t start, page_size, count, written;
    uint64_t word;
};

static bool flush_until(struct page_bits *bits, uint64_t page) {
    while (bits->written + 64 <= page || (page == bits->count && bits->written < page)) {
        if (!put(bits->file, &bits->word, sizeof bits->word)) return false;
        bits->word = 0;
        bits->written += 64;
    }
    return true;
}

static bool set_pages(struct page_bits *bits, uint64_t first, uint64_t end) {
    for (uint64_t page = first; page < end; page++) {
        if (!flush_until(bits, page)) return false;
        bits->word |= (uint64_t)1 << page % 64;
    }
    return true;
}

// Since Linux 6.7 the kernel lists what is resident, and tells the one page of zeros that all untouched memory is read
// from: that one is no memory of the process. The system's headers may be older.
struct scan_region {
    uint64_t start, end, categories;
};
struct scan_request {
    uint64_t size, flags, start, end, walk_end, regions, region_count, most_pages, inverted, wanted, any, returned;
};
#define SCAN_PRESENT ((uint64_t)1 << 3)
#define SCAN_ZERO ((uint64_t)1 << 5)
#define SCAN _IOWR('f', 16, struct scan_request)

// 1: done. 0: this kernel has no such call. -1: it could not be written.
static int put_scanned(struct page_bits *bits, int pagemap, struct range range) {
    struct scan_region *regions = (void *)recorder_tables->pages;
    struct scan_request request = {
        .size = sizeof request, .start = range.start, .end = range.end, .regions = (uint64_t)(uintptr_t)regions,
        .region_count = BUFFER_SIZE / sizeof *regions, .inverted = SCAN_ZERO, .wanted = SCAN_PRESENT | SCAN_ZERO,
        .returned = SCAN_PRESENT,
    };
    while (request.start < range.end) {
        int count = ioctl(pagemap, SCAN, &request);
        if (count < 0) return request.start == range.start ? 0 : -1;
        for (int i = 0; i < count; i++) {
            uint64_t first = (regions[i].start - bits->start) / bits->page_size;
            if (!set_pages(bits, first, (regions[i].end - bits->start) / bits->page_size)) return -1;
        }
        request.start = request.walk_end;
    }
    return 1;
}

static bool put_read(struct page_bits *bits, int pagemap, struct range range) {
    uint64_t *entries = recorder_tables->pages, first = range.start / bits->page_size;
    for (uint64_t done = 0; done < bits->count;) {
        uint64_t wanted = bits->count - done < BUFFER_SIZE / 8 ? bits->count - done : BUFFER_SIZE / 8;
        ssize_t got = pread(pagemap, entries, wanted * 8, (off_t)((first + done) * 8));
        if (got <= 0) return false;
        for (uint64_t i = 0; i < (uint64_t)got / 8; i++, done++) {
            if (entries[i] >> 63 && !set_pages(bits, done, done + 1)) return false;
        }
    }
    return true;
}

// The bits of one mapping: whether each of its pages is resident.
static bool put_pages(int file, int pagemap, struct range range, uint64_t page_size) {
    struct page_bits bits = {file, range.start, page_size, (range.end - range.start) / page_size, 0, 0};
    if (!put(file, &range, sizeof range)) return false;
    int scanned = put_scanned(&bits, pagemap, range);
    if (scanned < 0 || (scanned == 0 && !put_read(&bits, pagemap, range))) return false;
    return flush_until(&bits, bits.count);
}

static bool put_residency(int file, struct header *header) {
    int pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    if (pagemap < 0) return false;
    bool good = true;
    for (uint32_t i = 0; good && i < header->range_count; i++) {
        good = put_pages(file, pagemap, recorder_tables->ranges[i], header->page_size);
    }
    close(pagemap);
    return good;
}

static void fill(struct header *header, const struct look *look) {
    memcpy(header->magic, magic, sizeof magic);
    header->version = DOCUMENT_VERSION;
    header->header_size = sizeof *header;
    header->process = (uint64_t)getpid();
    header->page_size = (uint64_t)sysconf(_SC_PAGESIZE);
    header->time = kernel_now();
    header->resident = look->resident;
    header->high_water = look->high_water;
    header->tables_start = (uint64_t)(uintptr_t)recorder_tables;
    header->tables_end = header->tables_start + sizeof *recorder_tables;
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
    fill(&header, look);
    count(&header);
    bool good = put(file, &header, sizeof header)
        && put(file, recorder_tables->frames, header.frame_count * sizeof(struct frame)) && put_blocks(file, &header)
        && put_mappings(file, &header) && put_residency(file, &header) && put(file, trailer, sizeof trailer);
    // How much there is of everything is known at the end.
    return good && pwrite(file, &header, sizeof header, 0) == sizeof header;
}

// Writes the document and puts it in the place of the one before; all tables are locked.
bool document_write(const struct look *look) {
    char name[640], draft[640];
    name_of(look, "", name);
    name_of(look, ".draft", draft);
    int file = open(draft, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (file < 0) return false;
    bool good = put_all(file, look);
    close(file);
    if (good) good = rename(draft, name) == 0;
    if (!good) unlink(draft);
    return good;
}

// Adds to the document of the peak what is known at the end alone.
void document_finish(const struct look *look) {
    char name[640];
    name_of(look, "", name);
    int file = open(name, O_RDWR | O_CLOEXEC);
    if (file < 0) return;
    struct header header;
    if (pread(file, &header, sizeof header, 0) == sizeof header) {
        count(&header);
        header.final_high_water = look->high_water;
        if (pwrite(file, &header, sizeof header, 0) != sizeof header) unlink(name);
    }
    close(file);
}
