// SPDX-License-Identifier: Apache-2.0
// The memory that the program has mapped itself, by address: spans of pages that do not overlap, each with its caller.
//
// Mapping, unmapping or moving a part of a span cuts it; the rest is kept.
#include <string.h>

#include "recorder.h"

static atomic_flag lock = ATOMIC_FLAG_INIT;
static _Atomic uint32_t count;
static _Atomic uint32_t changes; // odd while the spans change

static uint64_t start_of(uint32_t place) { return __atomic_load_n(&recorder_tables->spans[place].start, __ATOMIC_RELAXED); }
static uint64_t end_of(uint32_t place) { return __atomic_load_n(&recorder_tables->spans[place].end, __ATOMIC_RELAXED); }

void spans_lock(void) { acquire(&lock); }

void spans_unlock(void) { release(&lock); }

uint32_t spans_count(void) { return count; }

// Returns the index of the first span that ends after an address.
static uint32_t first_behind(uint64_t address) {
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (end_of(middle) > address) high = middle;
        else low = middle + 1;
    }
    return low;
}

// Returns true if anything in a range is or may be recorded; without the lock, since most returned memory is not. What
// the caller may return was recorded before the caller got it.
bool spans_touch(uint64_t start, uint64_t end) {
    uint32_t before = atomic_load_explicit(&changes, memory_order_acquire);
    if (before & 1) return true;
    uint32_t place = first_behind(start);
    bool touches = place < count && start_of(place) < end;
    atomic_thread_fence(memory_order_acquire);
    return touches || atomic_load_explicit(&changes, memory_order_relaxed) != before;
}

static void begin_change(void) {
    atomic_fetch_add_explicit(&changes, 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
}

static void end_change(void) { atomic_fetch_add_explicit(&changes, 1, memory_order_release); }

// Replaces some spans by others; if there is no room, the last ones are lost.
static void replace(uint32_t first, uint32_t last, const struct span *with, uint32_t wanted) {
    uint32_t room = SPAN_CAPACITY - (count - (last - first)), number = wanted < room ? wanted : room;
    struct span *spans = recorder_tables->spans;
    if (number < wanted) atomic_fetch_add_explicit(&recorder_counters.lost, wanted - number, memory_order_relaxed);
    begin_change();
    memmove(spans + first + number, spans + last, (count - last) * sizeof *spans);
    memcpy(spans + first, with, number * sizeof *spans);
    count = count - (last - first) + number;
    end_change();
}

// Removes a range, and adds the span `with` unless that is NULL; locked.
static void put(uint64_t start, uint64_t end, const struct span *with) {
    struct span pieces[3], *spans = recorder_tables->spans;
    uint32_t first = first_behind(start), last = first, number = 0;
    while (last < count && spans[last].start < end) last++;
    if (first < last && spans[first].start < start) {
        pieces[number++] = (struct span){spans[first].start, start, spans[first].stack};
    }
    if (with) pieces[number++] = *with;
    if (first < last && spans[last - 1].end > end) {
        pieces[number++] = (struct span){end, spans[last - 1].end, spans[last - 1].stack};
    }
    if (first < last || number) replace(first, last, pieces, number);
}

void spans_cut(uint64_t start, uint64_t end) {
    if (start < end) put(start, end, NULL);
}

void spans_put(struct span span) {
    if (span.start < span.end) put(span.start, span.end, &span);
}

// Moves the spans of a range; if they stay as well, copies them.
void spans_move(uint64_t from, uint64_t end, uint64_t to, bool stays) {
    for (uint64_t place = from; place < end;) {
        uint32_t found = first_behind(place);
        if (found == count || recorder_tables->spans[found].start >= end) return;
        struct span span = recorder_tables->spans[found];
        if (span.start < from) span.start = from;
        if (span.end > end) span.end = end;
        place = span.end;
        if (!stays) spans_cut(span.start, span.end);
        spans_put((struct span){span.start - from + to, span.end - from + to, span.stack});
    }
}

// In the child of a fork: another thread may have been moving spans, so those out of order are dropped.
void spans_reset(void) {
    struct span *spans = recorder_tables->spans;
    spans_unlock();
    if (!(changes & 1)) return;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool follows = !kept || spans[i].start >= spans[kept - 1].end;
        if (follows && spans[i].start < spans[i].end) spans[kept++] = spans[i];
    }
    count = kept;
    changes++;
}
