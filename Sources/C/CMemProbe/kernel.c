// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "CMemProbe.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

// The number is the same on every architecture; headers before kernel 6.5 lack it.
#ifndef SYS_cachestat
#define SYS_cachestat 451
#endif

// The number is the same on every architecture; headers before kernel 5.1 lack it.
#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif

// The kernel's `struct cachestat_range` and `struct cachestat` of linux/mman.h.
struct range {
    uint64_t offset, length;
};
struct cached {
    uint64_t cache, dirty, writeback, evicted, recently_evicted;
};

int cmemprobe_cached_pages(int descriptor, uint64_t *pages) {
    struct range whole = {0, 0};  // a length of 0 means to the end of the file
    struct cached counts = {0};
    if (syscall(SYS_cachestat, descriptor, &whole, &counts, 0) != 0) return errno;
    *pages = counts.cache;
    return 0;
}

int cmemprobe_disable_thp(void) {
    return prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) == 0 ? 0 : errno;
}

int cmemprobe_memory_file(const void *content, size_t count) {
    int file = (int)syscall(SYS_memfd_create, "request", 1 /* MFD_CLOEXEC */);
    const char *next = content;
    while (file >= 0 && count > 0) {
        ssize_t written = write(file, next, count);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) {
            int error = errno;
            close(file);
            errno = error;
            return -1;
        }
        next += written;
        count -= (size_t)written;
    }
    if (file >= 0) lseek(file, 0, SEEK_SET);
    return file;
}

void cmemprobe_make_urgent(void) {
    // Real-time threads have exact timers anyway; others would be woken up to 50 microseconds late.
    if (prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0) != 0) return;
    struct sched_param lowest = {.sched_priority = 1};
    if (sched_setscheduler(0, SCHED_RR | SCHED_RESET_ON_FORK, &lowest) == 0) return;
    // On Linux this sets the priority of the thread with this number, not of its process.
    setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), -10);
}

int cmemprobe_kill_behind(int folder) {
    return syscall(SYS_pidfd_send_signal, folder, SIGKILL, NULL, 0) == 0 ? 0 : errno;
}

const char *cmemprobe_variable(long index) {
    return environ[index];
}

// Reads the beginning of a file as a string; its length, or 0.
static size_t read_text(const char *path, char *text, size_t size) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    ssize_t count = read(file, text, size - 1);
    close(file);
    text[count > 0 ? count : 0] = 0;
    return count > 0 ? (size_t)count : 0;
}

bool cmemprobe_has_huge_page_pool(void) {
    char text[4096];
    if (read_text("/proc/meminfo", text, sizeof text) > 0) {
        const char *line = strstr(text, "\nHugetlb:");
        // Kernels before 4.20 have no such line, and this one for the pages of the usual size.
        if (!line) line = strstr(text, "\nHugePages_Total:");
        if (line && strtoull(strchr(line, ':') + 1, NULL, 10) > 0) return true;
    }
    return read_text("/proc/sys/vm/nr_overcommit_hugepages", text, sizeof text) > 0 && strtoull(text, NULL, 10) > 0;
}
