// SPDX-License-Identifier: Apache-2.0
// The resident pages of each mapping: its start and end, then words of 64 pages with their indexes, without empty
// words, and a final invalid index. A reservation of a terabyte takes a few words.
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "draft.h"

#define NO_WORD UINT64_MAX

// One mapping, page by page.
struct page_bits {
    struct draft *draft;
    uint64_t start, page_size;
    uint64_t place, word;
};

static void end_word(struct page_bits *bits) {
    uint64_t pair[2] = {bits->place, bits->word};
    if (bits->word) draft_put(bits->draft, pair, sizeof pair);
    bits->word = 0;
}

static void set_pages(struct page_bits *bits, uint64_t first, uint64_t end) {
    for (uint64_t page = first; page < end; page++) {
        if (page / 64 != bits->place) {
            end_word(bits);
            bits->place = page / 64;
        }
        bits->word |= (uint64_t)1 << page % 64;
    }
}

// Since Linux 6.7 the kernel lists resident pages (PAGEMAP_SCAN) and identifies the zero page, from which untouched
// memory is read and which is not the process's memory. The system's headers may be older.
struct scan_region {
    uint64_t start, end, categories;
};
struct scan_request {
    uint64_t size, flags, start, end, walk_end, regions, region_count, most_pages, inverted, wanted, any, returned;
};
#define SCAN_PRESENT ((uint64_t)1 << 3)
#define SCAN_ZERO ((uint64_t)1 << 5)
#define SCAN _IOWR('f', 16, struct scan_request)

// Returns false if this kernel cannot scan.
static bool put_scanned(struct page_bits *bits, int pagemap, struct range range) {
    struct scan_region *regions = (void *)recorder_tables->pages;
    struct scan_request request = {
        .size = sizeof request, .start = range.start, .end = range.end, .regions = (uint64_t)(uintptr_t)regions,
        .region_count = BUFFER_SIZE / sizeof *regions, .inverted = SCAN_ZERO, .wanted = SCAN_PRESENT | SCAN_ZERO,
        .returned = SCAN_PRESENT,
    };
    while (request.start < range.end) {
        int count = ioctl(pagemap, SCAN, &request);
        // A later failure means that the mapping has gone: keep what was found.
        if (count < 0) return request.start != range.start;
        for (int i = 0; i < count; i++) {
            uint64_t first = (regions[i].start - bits->start) / bits->page_size;
            set_pages(bits, first, (regions[i].end - bits->start) / bits->page_size);
        }
        request.start = request.walk_end;
    }
    return true;
}

#define PRESENT ((uint64_t)1 << 63)
#define OF_A_FILE ((uint64_t)1 << 61)
#define MAPPED_ONCE ((uint64_t)1 << 56)

static bool has_forked;

void residency_after_fork(void) { has_forked = true; }

// An older kernel reports of each page whether it is mapped once, which is not so of the zero page, nor of pages shared
// with the other side of a fork: after one, all present pages count.
static bool is_resident(uint64_t entry) {
    return entry & PRESENT && (has_forked || entry & (OF_A_FILE | MAPPED_ONCE));
}

static void put_read(struct page_bits *bits, int pagemap, struct range range) {
    uint64_t *entries = recorder_tables->pages, first = range.start / bits->page_size;
    uint64_t count = (range.end - range.start) / bits->page_size;
    for (uint64_t done = 0; done < count;) {
        uint64_t wanted = count - done < BUFFER_SIZE / 8 ? count - done : BUFFER_SIZE / 8;
        long got = kernel_read_at(pagemap, entries, wanted * 8, (first + done) * 8);
        if (got <= 0) return;
        for (uint64_t i = 0; i < (uint64_t)got / 8; i++, done++) {
            if (is_resident(entries[i])) set_pages(bits, done, done + 1);
        }
    }
}

// Returns true if pages that were only read can be distinguished.
static bool put_pages(struct draft *draft, int pagemap, struct range range, uint64_t page_size) {
    static const uint64_t end[2] = {NO_WORD, 0};
    struct page_bits bits = {draft, range.start, page_size, 0, 0};
    draft_put(draft, &range, sizeof range);
    bool is_scanned = put_scanned(&bits, pagemap, range);
    if (!is_scanned) put_read(&bits, pagemap, range);
    end_word(&bits);
    draft_put(draft, end, sizeof end);
    return is_scanned || !has_forked;
}

bool residency_put(struct draft *draft, uint64_t range_count, uint64_t page_size) {
    int pagemap = kernel_open("/proc/self/pagemap", O_RDONLY, 0);
    bool tells_zeros = true;
    draft->good = draft->good && pagemap >= 0;
    for (uint64_t i = 0; draft->good && i < range_count; i++) {
        if (!put_pages(draft, pagemap, recorder_tables->ranges[i], page_size)) tells_zeros = false;
    }
    if (pagemap >= 0) kernel_close(pagemap);
    return tells_zeros;
}
