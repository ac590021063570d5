// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

// This runs in a keeper, which was forked from a process with threads: it must not allocate or take locks.

// The kernel's `struct linux_dirent64`, which the C library does not declare.
struct entry {
    uint64_t number;
    int64_t offset;
    unsigned short length;
    unsigned char type;
    char name[];
};

void cmemprobe_each_name(int folder, bool (*use)(const char *name, void *context), void *context) {
    _Alignas(struct entry) char buffer[1024];
    for (;;) {
        long count = syscall(SYS_getdents64, folder, buffer, sizeof buffer);
        if (count <= 0) return;
        for (long offset = 0; offset < count;) {
            const struct entry *entry = (const struct entry *)(buffer + offset);
            offset += entry->length;
            if (!use(entry->name, context)) return;
        }
    }
}

// Parses a decimal number; returns -1 for anything else.
static pid_t number_of(const char *name) {
    long value = 0;
    for (const char *digit = name; *digit != 0; digit++) {
        if (*digit < '0' || *digit > '9' || value > INT32_MAX / 10) return -1;
        value = value * 10 + (*digit - '0');
    }
    return *name == 0 ? -1 : (pid_t)value;
}

// Reads `/proc/NUMBER/FILE` as text; returns its length, or -1.
static ssize_t read_of(pid_t number, const char *file, char *text, size_t capacity) {
    char path[64] = "/proc/";
    char digits[16];
    size_t count = 0;
    do {
        digits[count++] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    size_t length = strlen(path);
    while (count > 0) path[length++] = digits[--count];
    path[length++] = '/';
    strcpy(path + length, file);
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return -1;
    ssize_t size = read(descriptor, text, capacity - 1);
    close(descriptor);
    text[size > 0 ? size : 0] = 0;
    return size;
}

struct process {
    pid_t parent;
    bool is_dead;
    char name[64];
};

static bool read_process(pid_t number, struct process *process) {
    char text[512];
    if (read_of(number, "stat", text, sizeof text) <= 0) return false;
    // A name may contain anything, including parentheses and spaces.
    char *first = strchr(text, '(');
    char *last = strrchr(text, ')');
    if (first == NULL || last == NULL || last < first || strlen(last) < 4) return false;
    *last = 0;
    strncpy(process->name, first + 1, sizeof process->name - 1);
    process->name[sizeof process->name - 1] = 0;
    for (char *letter = process->name; *letter != 0; letter++) {
        if ((unsigned char)*letter < ' ') *letter = '?';
    }
    char state = last[2];
    process->is_dead = state == 'Z' || state == 'X' || state == 'x';
    process->parent = (pid_t)strtol(last + 3, NULL, 10);
    return true;
}

static bool kill_child(const char *name, void *context) {
    pid_t own = *(pid_t *)context;
    pid_t number = number_of(name);
    struct process process;
    if (number > 0 && read_process(number, &process) && process.parent == own && !process.is_dead) {
        kill(number, SIGKILL);
    }
    return true;
}

int cmemprobe_check_proc(void) {
    char number[16] = "";
    ssize_t count = readlink("/proc/self", number, sizeof number - 1);
    if (count < 0) return errno;
    return number_of(number) == getpid() ? 0 : ESRCH;
}

static void each_process(bool (*use)(const char *name, void *context), void *context) {
    // Of another PID namespace, the numbers are those of other processes, which must not be killed.
    if (cmemprobe_check_proc() != 0) return;
    int folder = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0) {
        cmemprobe_each_name(folder, use, context);
        close(folder);
    }
}

void cmemprobe_kill_children(void) {
    pid_t own = getpid();
    each_process(kill_child, &own);
}

static bool descends(struct process process, pid_t ancestor) {
    // Limited to the number of processes on a machine: a list that changes meanwhile must not lead in circles.
    for (int generation = 0; generation < 4096 && process.parent > 1; generation++) {
        if (process.parent == ancestor) return true;
        if (!read_process(process.parent, &process)) return false;
    }
    return false;
}

static long long resident_bytes(pid_t number) {
    char text[256];
    if (read_of(number, "statm", text, sizeof text) <= 0) return 0;
    char *second = strchr(text, ' ');
    return second == NULL ? 0 : strtoll(second, NULL, 10) * sysconf(_SC_PAGESIZE);
}

static bool describe(const char *name, void *context) {
    struct cmemprobe_keeper_event *event = context;
    pid_t number = number_of(name);
    pid_t own = getpid();
    struct process process;
    if (number <= 0 || number == own || !read_process(number, &process) || process.is_dead || !descends(process, own)) {
        return true;
    }
    event->left_count++;
    event->left_bytes += resident_bytes(number);
    size_t used = strlen(event->left_names);
    if (used + strlen(process.name) + 2 <= sizeof event->left_names) {
        strcat(event->left_names, process.name);
        strcat(event->left_names, "\n");
    }
    return true;
}

void cmemprobe_describe_descendants(struct cmemprobe_keeper_event *event) {
    event->left_count = 0;
    event->left_bytes = 0;
    event->left_names[0] = 0;
    each_process(describe, event);
}
