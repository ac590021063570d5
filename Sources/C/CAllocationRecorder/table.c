// SPDX-License-Identifier: Apache-2.0
// The blocks in use by address: buckets with chains, in a few stripes with a lock each.
//
// An address is added before the program gets it, and removed before the program frees it: two threads never look up
// the same one.
#include <string.h>

#include "recorder.h"

static atomic_flag stripes[STRIPE_COUNT];
static atomic_flag pool_lock = ATOMIC_FLAG_INIT;
static uint32_t free_head;  // a place plus one; 0 for none
static uint32_t used_count; // places that were ever used

// The weight of the blocks in use, by address: parts of the heap are fullest at different times, such as the arenas of
// threads. Parts with one remainder share a place.
#define PART_SIZE ((uint64_t)4 << 20)
#define PART_COUNT 4096u
static _Atomic int64_t live[PART_COUNT];
static int64_t most[PART_COUNT]; // the same when the part was remembered last

static uint32_t part_of(uint64_t address) { return (uint32_t)(address / PART_SIZE) & (PART_COUNT - 1); }

// Most frees are of unrecorded small blocks. The number of recorded ones with a hash is nearly always 0, and tells so
// without a lock and without blocking signals.
static uint16_t *filter_of(uint64_t address) {
    return &recorder_tables->filter[(uint32_t)((address >> 4) * 0xd6e8feb86659fd93u >> 40) & (FILTER_COUNT - 1)];
}

// Adds a block to all counts, or with the sign -1 takes it away.
static void weigh(const struct block *block, int64_t sign) {
    int64_t change = sign * (int64_t)block->weight;
    atomic_fetch_add_explicit(&live[part_of(block->address)], change, memory_order_relaxed);
    atomic_fetch_add_explicit(&recorder_counters.weight, change, memory_order_relaxed);
    __atomic_fetch_add(filter_of(block->address), (uint16_t)sign, __ATOMIC_RELAXED);
}

static uint32_t bucket_of(uint64_t address) {
    return (uint32_t)((address >> 4) * 0x9e3779b97f4a7c15u >> 40) & (BUCKET_COUNT - 1);
}

static atomic_flag *stripe_of(uint32_t bucket) { return &stripes[bucket & (STRIPE_COUNT - 1)]; }

static uint32_t take_place(void) {
    acquire(&pool_lock);
    uint32_t place = free_head;
    if (place) {
        free_head = recorder_tables->blocks[place - 1].next;
    } else if (used_count < BLOCK_CAPACITY) {
        place = ++used_count;
    }
    release(&pool_lock);
    return place;
}

static void give_place(uint32_t place) {
    acquire(&pool_lock);
    recorder_tables->blocks[place - 1].address = 0;
    recorder_tables->blocks[place - 1].next = free_head;
    free_head = place;
    release(&pool_lock);
}

// Returns the link to a block in its bucket; the stripe is locked.
static uint32_t *link_to(uint64_t address, uint32_t bucket) {
    uint32_t *link = &recorder_tables->buckets[bucket];
    while (*link && recorder_tables->blocks[*link - 1].address != address) {
        link = &recorder_tables->blocks[*link - 1].next;
    }
    return link;
}

// Blocks have unique addresses: an older one at this address was freed unnoticed.
static bool replaced(struct block block, uint32_t bucket) {
    uint32_t place = *link_to(block.address, bucket);
    if (!place) return false;
    block.next = recorder_tables->blocks[place - 1].next;
    weigh(&recorder_tables->blocks[place - 1], -1);
    recorder_tables->blocks[place - 1] = block;
    return true;
}

bool table_insert(struct block block) {
    uint32_t place = take_place();
    if (!place) {
        atomic_fetch_add_explicit(&recorder_counters.lost, 1, memory_order_relaxed);
        return false;
    }
    uint32_t bucket = bucket_of(block.address);
    acquire(stripe_of(bucket));
    weigh(&block, 1);
    if (replaced(block, bucket)) {
        release(stripe_of(bucket));
        give_place(place);
        return true;
    }
    block.next = recorder_tables->buckets[bucket];
    recorder_tables->blocks[place - 1] = block;
    recorder_tables->buckets[bucket] = place;
    release(stripe_of(bucket));
    return true;
}

bool table_may_have(uint64_t address) { return __atomic_load_n(filter_of(address), __ATOMIC_RELAXED) != 0; }

bool table_find(uint64_t address, struct block *found) {
    uint32_t bucket = bucket_of(address);
    if (!table_may_have(address)) return false;
    acquire(stripe_of(bucket));
    uint32_t place = *link_to(address, bucket);
    if (place) *found = recorder_tables->blocks[place - 1];
    release(stripe_of(bucket));
    return place != 0;
}

bool table_remove(uint64_t address, struct block *removed) {
    uint32_t bucket = bucket_of(address);
    if (!table_may_have(address)) return false;
    acquire(stripe_of(bucket));
    uint32_t *link = link_to(address, bucket);
    uint32_t place = *link;
    if (place) {
        *removed = recorder_tables->blocks[place - 1];
        *link = removed->next;
    }
    release(stripe_of(bucket));
    if (!place) return false;
    weigh(removed, -1);
    give_place(place);
    return true;
}

// Remembers the blocks of a part before one of them is freed, if they are more than ever: the allocator keeps what it had
// to get for them, and the process may be largest later. A copy is worth growth by a 256th of all blocks.
void history_consider(uint64_t address) {
    struct tables *tables = recorder_tables;
    uint32_t part = part_of(address), kept = 0;
    int64_t now = live[part], share = recorder_counters.weight / 256, step = share > LEAST_STEP ? share : LEAST_STEP;
    if (now <= most[part] + step) return;
    table_lock();
    most[part] = now;
    for (uint32_t i = 0; i < tables->history_count; i++) {
        if (part_of(tables->history[i].address) != part) tables->history[kept++] = tables->history[i];
    }
    for (uint32_t i = 0; i < used_count && kept < BLOCK_CAPACITY; i++) {
        bool belongs = tables->blocks[i].address && part_of(tables->blocks[i].address) == part;
        if (belongs) tables->history[kept++] = tables->blocks[i];
    }
    tables->history_count = kept;
    table_unlock();
}

// Forgets the blocks that were freed: those before a baseline, or of a fork's parent.
void history_clear(void) {
    acquire(&pool_lock);
    recorder_tables->history_count = 0;
    for (uint32_t part = 0; part < PART_COUNT; part++) most[part] = live[part];
    release(&pool_lock);
}

void table_lock(void) {
    for (unsigned i = 0; i < STRIPE_COUNT; i++) acquire(&stripes[i]);
    acquire(&pool_lock);
}

void table_unlock(void) {
    release(&pool_lock);
    for (unsigned i = 0; i < STRIPE_COUNT; i++) release(&stripes[i]);
}

// In the child of a fork: the holder of a lock does not exist. At most one link is unfinished.
void table_reset_locks(void) {
    for (unsigned i = 0; i < STRIPE_COUNT; i++) release(&stripes[i]);
    release(&pool_lock);
}
