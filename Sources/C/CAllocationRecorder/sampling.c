// SPDX-License-Identifier: Apache-2.0
// Small blocks are too many to record each: one byte in MEAN_BETWEEN_SAMPLES is drawn at random, and the block that
// contains it represents the others. Thus small and large blocks have the same weight per byte.
#include "recorder.h"

static uint64_t draw(struct thread_state *thread) {
    // xorshift64*: independent enough of program behaviour, and 2 ns.
    thread->random ^= thread->random >> 12;
    thread->random ^= thread->random << 25;
    thread->random ^= thread->random >> 27;
    return thread->random * 2685821657736338717u;
}

// The natural logarithm of a number in (0, 1] as a series: libm would be an additional library in every process.
static double logarithm(double number) {
    int twos = 0;
    for (; number < 0.5; twos++) number *= 2;
    double term = (number - 1) / (number + 1), square = term * term, sum = 0;
    for (int odd = 1; odd <= 21; odd += 2, term *= square) sum += term / odd;
    return 2 * sum - twos * 0.6931471805599453;
}

// The distance to the next drawn byte: exponential, so that no pattern of sizes can synchronise with it.
static int64_t distance(struct thread_state *thread) {
    double uniform = (double)((draw(thread) >> 11) + 1) * 0x1p-53;
    return (int64_t)(-logarithm(uniform) * (double)MEAN_BETWEEN_SAMPLES) + 1;
}

// Returns true if a block is recorded, with the bytes that it represents: its size divided by its chance, without bias.
bool sample_weight(size_t size, uint64_t *weight) {
    struct thread_state *thread = &recorder_thread;
    if (!thread->seeded) {
        thread->seeded = true;
        thread->random = (uint64_t)(uintptr_t)thread * 0x9e3779b97f4a7c15u ^ kernel_now();
        thread->random += thread->random == 0;
        thread->until_sample = distance(thread);
    }
    thread->until_sample -= (int64_t)size;
    if (thread->until_sample >= 0) return false;
    thread->until_sample = distance(thread);
    // 1 - exp(-x) for x below a quarter, where the error of the series is below a millionth.
    double x = (double)size / (double)MEAN_BETWEEN_SAMPLES;
    double share = x * (1 - x / 2 * (1 - x / 3 * (1 - x / 4 * (1 - x / 5))));
    *weight = size ? (uint64_t)((double)size / share) : 0;
    return true;
}
