// SPDX-License-Identifier: Apache-2.0
// Small blocks are too many to record each: of every SAMPLE_STRETCH bytes that a thread asks for, one is drawn at
// random, and the block that contains it represents them all. Thus small and large blocks have the same weight per byte,
// no pattern of sizes can synchronise with the draws, and blocks of one caller in a row are counted to one draw.
#include "recorder.h"

static uint64_t draw(struct thread_state *thread) {
    // xorshift64*: independent enough of program behaviour, and 2 ns.
    thread->random ^= thread->random >> 12;
    thread->random ^= thread->random << 25;
    thread->random ^= thread->random >> 27;
    return thread->random * 2685821657736338717u;
}

// Draws the byte of the next stretch; returns the distance to it.
static int64_t next_distance(struct thread_state *thread) {
    int64_t rest = (int64_t)SAMPLE_STRETCH - thread->drawn;
    thread->drawn = (int64_t)(draw(thread) >> 32) % (int64_t)SAMPLE_STRETCH;
    return rest + thread->drawn;
}

// Returns true if a block is recorded, with the bytes that it represents.
bool sample_weight(size_t size, uint64_t *weight) {
    struct thread_state *thread = &recorder_thread;
    if (!thread->seeded) {
        thread->seeded = true;
        thread->random = (uint64_t)(uintptr_t)thread * 0x9e3779b97f4a7c15u ^ kernel_now();
        thread->random += thread->random == 0;
        thread->drawn = (int64_t)SAMPLE_STRETCH;
        thread->until_sample = next_distance(thread);
    }
    thread->until_sample -= (int64_t)size;
    for (*weight = 0; thread->until_sample < 0; *weight += SAMPLE_STRETCH) {
        thread->until_sample += next_distance(thread);
    }
    return *weight > 0;
}
