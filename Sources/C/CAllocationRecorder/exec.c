// SPDX-License-Identifier: Apache-2.0
// Records a program before `exec` replaces it, since nothing of it is left afterwards. The new program has its own
// recording with the same process number.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "hooks.h"

static int (*next_execvpe)(const char *, char *const[], char *const[]);
static int (*next_fexecve)(int, char *const[], char *const[]);

void exec_start(void) {
    next_execvpe = dlsym(RTLD_NEXT, "execvpe");
    next_fexecve = dlsym(RTLD_NEXT, "fexecve");
}

static void pause_recording(void) {
    struct visit visit;
    if (!visit_begin(&visit)) return;
    peak_pause();
    visit_end(&visit);
}

static int recorder_execve(const char *path, char *const arguments[], char *const environment[]) {
    pause_recording();
    return (int)syscall(SYS_execve, path, arguments, environment);
}

static int recorder_execv(const char *path, char *const arguments[]) { return recorder_execve(path, arguments, environ); }

static int recorder_execvpe(const char *file, char *const arguments[], char *const environment[]) {
    if (!next_execvpe) exec_start();
    if (!next_execvpe) {
        errno = ENOSYS;
        return -1;
    }
    pause_recording();
    return next_execvpe(file, arguments, environment);
}

static int recorder_execvp(const char *file, char *const arguments[]) { return recorder_execvpe(file, arguments, environ); }

static int recorder_fexecve(int file, char *const arguments[], char *const environment[]) {
    if (!next_fexecve) exec_start();
    if (!next_fexecve) {
        errno = ENOSYS;
        return -1;
    }
    pause_recording();
    return next_fexecve(file, arguments, environment);
}

static int recorder_execveat(int folder, const char *path, char *const arguments[], char *const environment[], int flags) {
    pause_recording();
    return (int)syscall(SYS_execveat, folder, path, arguments, environment, flags);
}

int execve(const char *, char *const[], char *const[]) REPLACES(recorder_execve);
int execv(const char *, char *const[]) REPLACES(recorder_execv);
int execvpe(const char *, char *const[], char *const[]) REPLACES(recorder_execvpe);
int execvp(const char *, char *const[]) REPLACES(recorder_execvp);
int fexecve(int, char *const[], char *const[]) REPLACES(recorder_fexecve);
int execveat(int, const char *, char *const[], char *const[], int) REPLACES(recorder_execveat);

static size_t count_of(va_list arguments) {
    size_t count = 1;
    while (va_arg(arguments, char *)) count++;
    return count;
}

// Lists the arguments of a variadic call, the first of which is named, on the stack with room for the end.
#define LISTED(list, first)                                                                                            \
    va_list counted, taken;                                                                                            \
    va_start(counted, first);                                                                                          \
    size_t count = (first) ? count_of(counted) : 0;                                                                    \
    va_end(counted);                                                                                                   \
    char *list[count + 1];                                                                                             \
    va_start(taken, first);                                                                                            \
    list[0] = (char *)(first);                                                                                         \
    for (size_t place = 1; place <= count; place++) list[place] = va_arg(taken, char *)

int execl(const char *, const char *, ...) __attribute__((visibility("default")));
int execl(const char *path, const char *first, ...) {
    LISTED(list, first);
    va_end(taken);
    return recorder_execve(path, list, environ);
}

int execlp(const char *, const char *, ...) __attribute__((visibility("default")));
int execlp(const char *file, const char *first, ...) {
    LISTED(list, first);
    va_end(taken);
    return recorder_execvpe(file, list, environ);
}

int execle(const char *, const char *, ...) __attribute__((visibility("default")));
int execle(const char *path, const char *first, ...) {
    LISTED(list, first);
    char *const *environment = va_arg(taken, char *const *);
    va_end(taken);
    return recorder_execve(path, list, environment);
}
