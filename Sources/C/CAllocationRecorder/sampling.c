// SPDX-License-Identifier: Apache-2.0
// Small blocks are too many to look at each: bytes are drawn at random, one in MEAN_BETWEEN_SAMPLES, and the block that
// a drawn byte is in is recorded for all that were not. Small and large blocks are so drawn with equal right.
#include "recorder.h"

static uint64_t draw(struct thread_state *thread) {
    // xorshift64*: good enough to be independent of what programs do, and 2 ns.
    thread->random ^= thread->random >> 12;
    thread->random ^= thread->random << 25;
    thread->random ^= thread->random >> 27;
    return thread->random * 2685821657736338717u;
}

// The natural logarithm of a number in (0, 1], by its series: libm would be one more library in every process.
static double logarithm(double number) {
    int twos = 0;
    for (; number < 0.5; twos++) number *= 2;
    double term = (number - 1) / (number + 1), square = term * term, sum = 0;
    for (int odd = 1; odd <= 21; odd += 2, term *= square) sum += term / odd;
    return 2 * sum - twos * 0.6931471805599453;
}

// The distance to the next byte that is drawn: exponential, so that no pattern of sizes can keep in step with it.
static int64_t distance(struct thread_state *thread) {
    double uniform = (double)((draw(thread) >> 11) + 1) * 0x1p-53;
    return (int64_t)(-logarithm(uniform) * (double)MEAN_BETWEEN_SAMPLES) + 1;
}

// Whether a block is recorded, and how many bytes it stands for: without bias, its size by its chance to be drawn.
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
    // 1 - exp(-x), where x is less than a quarter: the series is off by less than a millionth.
    double x = (double)size / (double)MEAN_BETWEEN_SAMPLES;
    double share = x * (1 - x / 2 * (1 - x / 3 * (1 - x / 4 * (1 - x / 5))));
    *weight = size ? (uint64_t)((double)size / share) : 0;
    return true;
}
