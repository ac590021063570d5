// SPDX-License-Identifier: Apache-2.0
// Data about this process, read by system calls alone: stdio would allocate.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "recorder.h"

// Avoids the numbers of the standard streams, which the program may have closed.
int kernel_open(const char *path, int flags, int mode) {
    int file = (int)syscall(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, mode);
    if (file < 0 || file > STDERR_FILENO) return file;
    int moved = (int)syscall(SYS_fcntl, file, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    kernel_close(file);
    return moved;
}

long kernel_read(int file, void *buffer, size_t size) { return syscall(SYS_read, file, buffer, size); }
// A write beyond RLIMIT_FSIZE raises a signal that would end the program. It is blocked while the recorder works, and
// consumed here.
static long written(long count) {
    uint64_t signal = (uint64_t)1 << (SIGXFSZ - 1);
    struct timespec now = {0};
    int error = errno;
    if (count < 0 && error == EFBIG) syscall(SYS_rt_sigtimedwait, &signal, NULL, &now, sizeof signal);
    errno = error;
    return count;
}

long kernel_write(int file, const void *buffer, size_t size) { return written(syscall(SYS_write, file, buffer, size)); }
long kernel_read_at(int file, void *buffer, size_t size, uint64_t offset) {
    return syscall(SYS_pread64, file, buffer, size, offset);
}
long kernel_write_at(int file, const void *buffer, size_t size, uint64_t offset) {
    return written(syscall(SYS_pwrite64, file, buffer, size, offset));
}
void kernel_close(int file) { syscall(SYS_close, file); }
uint64_t kernel_process(void) { return (uint64_t)syscall(SYS_getpid); }
uint64_t kernel_parent(void) { return (uint64_t)syscall(SYS_getppid); }
uint64_t kernel_page_size(void) { return (uint64_t)sysconf(_SC_PAGESIZE); }

long kernel_read_all(const char *path, char *buffer, size_t size) {
    int file = kernel_open(path, O_RDONLY, 0);
    if (file < 0) return -1;
    size_t used = 0;
    long count;
    while (used + 1 < size && (count = kernel_read(file, buffer + used, size - 1 - used)) > 0) used += (size_t)count;
    kernel_close(file);
    buffer[used] = 0;
    return (long)used;
}

static uint64_t number(const char *text) {
    while (*text == ' ' || *text == '\t') text++;
    uint64_t value = 0;
    for (; *text >= '0' && *text <= '9'; text++) value = value * 10 + (uint64_t)(*text - '0');
    return value;
}

// Reads the second and third field of statm in bytes: the resident set, and its part that belongs to files.
static bool read_sizes(uint64_t sizes[2]) {
    char text[128];
    if (kernel_read_all("/proc/self/statm", text, sizeof text) <= 0) return false;
    const char *field = text;
    for (unsigned i = 0; i < 2; i++) {
        field = strchr(field + 1, ' ');
        if (!field) return false;
        sizes[i] = number(field) * kernel_page_size();
    }
    return true;
}

// Returns 0 if it cannot be read.
uint64_t kernel_resident(void) {
    uint64_t sizes[2];
    return read_sizes(sizes) ? sizes[0] : 0;
}

// Excludes pages of files, which the child of a fork has to load again.
uint64_t kernel_anonymous(void) {
    uint64_t sizes[2];
    return read_sizes(sizes) && sizes[0] > sizes[1] ? sizes[0] - sizes[1] : 0;
}

// Reads on until the line is found: the one with all groups of the user, which comes before it, may be very long.
uint64_t kernel_high_water(void) {
    static const char name[] = "\nVmHWM:";
    char text[1024];
    int file = kernel_open("/proc/self/status", O_RDONLY, 0);
    if (file < 0) return 0;
    uint64_t mark = 0;
    size_t used = 0;
    long count;
    while (!mark && (count = kernel_read(file, text + used, sizeof text - 1 - used)) > 0) {
        used += (size_t)count;
        text[used] = 0;
        const char *line = strstr(text, name);
        if (line && strchr(line + 1, '\n')) mark = number(line + sizeof name - 1) << 10;
        // The last bytes may be the beginning of the line: keep them.
        size_t kept = line ? used - (size_t)(line - text) : used < sizeof name ? used : sizeof name - 1;
        memmove(text, text + used - kept, kept);
        used = kept;
    }
    kernel_close(file);
    return mark;
}

uint64_t kernel_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
