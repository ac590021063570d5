// SPDX-License-Identifier: Apache-2.0
// What the kernel says of this process, read by system calls alone: stdio would allocate.
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "recorder.h"

long kernel_read_all(const char *path, char *buffer, size_t size) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return -1;
    size_t used = 0;
    long count;
    while (used + 1 < size && (count = read(file, buffer + used, size - 1 - used)) > 0) used += (size_t)count;
    close(file);
    buffer[used] = 0;
    return (long)used;
}

static uint64_t number(const char *text) {
    while (*text == ' ' || *text == '\t') text++;
    uint64_t value = 0;
    for (; *text >= '0' && *text <= '9'; text++) value = value * 10 + (uint64_t)(*text - '0');
    return value;
}

// The second field of statm, in bytes; 0 where it cannot be read.
uint64_t kernel_resident(void) {
    char text[128];
    if (kernel_read_all("/proc/self/statm", text, sizeof text) <= 0) return 0;
    const char *space = strchr(text, ' ');
    return space ? number(space) * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

uint64_t kernel_high_water(void) {
    char text[4096];
    if (kernel_read_all("/proc/self/status", text, sizeof text) <= 0) return 0;
    const char *line = strstr(text, "VmHWM:");
    return line ? number(line + 6) << 10 : 0;
}

uint64_t kernel_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
