// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CSignals.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

enum { COUNT = 3 };
// A wrapper may pass on the signal that a terminal has sent to both.
static const long long SECOND_NANOSECONDS = 300000000;

static const int numbers[COUNT] = {SIGINT, SIGTERM, SIGHUP};
static struct sigaction before[COUNT];
static int ends[2] = {-1, -1};
static long long first;
static int is_held;

static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void note(int number) {
    int error = errno;
    long long time = now();
    if (first == 0) {
        first = time;
    } else if (time - first > SECOND_NANOSECONDS) {
        // Delivered when the handler returns.
        signal(number, SIG_DFL);
        raise(number);
    }
    char byte = (char)number;
    // If the pipe is full, the wake-up is already pending.
    ssize_t written = write(ends[1], &byte, 1);
    (void)written;
    errno = error;
}

int csignals_catch(void) {
    if (is_held) {
        is_held = 0;
        // The byte of a signal since then may have been read by the one who listened before.
        if (first != 0 && write(ends[1], "", 1) != 1 && errno != EAGAIN) return -1;
        return ends[0];
    }
    if (ends[0] < 0 && pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return -1;
    first = 0;
    struct sigaction action = {.sa_handler = note, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    for (int index = 0; index < COUNT; index++) {
        if (sigaction(numbers[index], NULL, &before[index]) != 0) return -1;
        // Of nohup, or of a shell for a job in the background.
        if (before[index].sa_handler == SIG_IGN) continue;
        if (sigaction(numbers[index], &action, NULL) != 0) return -1;
    }
    return ends[0];
}

void csignals_hold(void) { is_held = 1; }

void csignals_release(void) {
    for (int index = 0; index < COUNT; index++) sigaction(numbers[index], &before[index], NULL);
    char rest[64];
    while (read(ends[0], rest, sizeof rest) > 0) {}
}
