// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CSignals.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

static int ends[2] = {-1, -1};

static void note(int number) {
    int error = errno;
    char byte = (char)number;
    // If the pipe is full, the wake-up is already pending.
    ssize_t written = write(ends[1], &byte, 1);
    (void)written;
    errno = error;
}

int csignals_descriptor(void) {
    if (ends[0] >= 0) return ends[0];
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return -1;
    struct sigaction action = {.sa_handler = note, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (unsigned index = 0; index < sizeof numbers / sizeof numbers[0]; index++)
        if (sigaction(numbers[index], &action, NULL) != 0) return -1;
    return ends[0];
}
