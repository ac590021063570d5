// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "gate.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

// `cmemprobe_become` and its helpers run between fork and exec: only async-signal-safe calls are allowed.

// The child's descriptor for its report, next to the three standard streams.
enum { REPORT = 3 };

static void fail(int report, int stage) {
    struct cmemprobe_start_failure failure = {stage, errno};
    ssize_t written = write(report, &failure, sizeof failure);
    _exit(written == (ssize_t)sizeof failure ? 127 : 126);
}

static void reset_signals(void) {
    struct sigaction standard = {0};
    standard.sa_handler = SIG_DFL;
    for (int number = 1; number < NSIG; number++) {
        sigaction(number, &standard, NULL);  // SIGKILL, SIGSTOP and the C library's own refuse
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static void wait_for_gate(int gate) {
    char byte;
    ssize_t count;
    do {
        count = read(gate, &byte, 1);
    } while (count < 0 && errno == EINTR);
    if (count != 1) _exit(126);  // the parent gave up
}

// Moves the streams and the report to their places, first above all of them, because one may occupy another's place.
static void place_descriptors(const struct cmemprobe_command *command, int report) {
    int streams[3] = {command->standard_input, command->standard_output, command->standard_error};
    for (int index = 0; index < 3; index++) {
        streams[index] = fcntl(streams[index], F_DUPFD_CLOEXEC, REPORT + 1);
        if (streams[index] < 0) fail(report, 1);
    }
    for (int index = 0; index < 3; index++) {
        if (dup2(streams[index], index) < 0) fail(report, 1);
    }
    if (report != REPORT && dup3(report, REPORT, O_CLOEXEC) < 0) fail(report, 1);
}

void cmemprobe_close_from(int first) {
#ifdef SYS_close_range
    if (syscall(SYS_close_range, first, ~0U, 0) == 0) return;
#endif
    long limit = sysconf(_SC_OPEN_MAX);
    for (int number = first; number < limit; number++) close(number);
}

// Moves this process into its control group, which is charged for everything from now on.
static void enter_group(const char *processes, int report) {
    int file = open(processes, O_WRONLY | O_CLOEXEC);
    if (file < 0 || write(file, "0", 1) != 1) fail(report, 5);
    close(file);
}

void cmemprobe_become(const struct cmemprobe_command *command, int gate, int report, pid_t parent) {
    // In a session of its own it has no terminal: reading one fails (ENXIO), while a background process of this session
    // would be stopped (SIGTTIN) and hang. Ctrl-C reaches only the harness.
    setsid();
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (getppid() != parent) _exit(126);  // it was gone before the line above
    reset_signals();
    // Before the gate, which is where the time of a command begins.
    if (command->control_group != NULL) enter_group(command->control_group, report);
    if (gate >= 0) wait_for_gate(gate);
    place_descriptors(command, report);
    cmemprobe_close_from(REPORT + 1);
    if (chdir(command->working_directory) != 0) fail(REPORT, 2);
    execve(command->executable, command->arguments, command->environment);
    fail(REPORT, 3);
}

int cmemprobe_make_pipe(int ends[2]) {
    int low[2];
    if (pipe2(low, O_CLOEXEC) != 0) return errno;
    ends[0] = fcntl(low[0], F_DUPFD_CLOEXEC, REPORT + 1);
    ends[1] = fcntl(low[1], F_DUPFD_CLOEXEC, REPORT + 1);
    int error = errno;
    close(low[0]);
    close(low[1]);
    if (ends[0] >= 0 && ends[1] >= 0) return 0;
    close(ends[0]);
    close(ends[1]);
    return error;
}

void cmemprobe_close_pipe(const int ends[2]) {
    close(ends[0]);
    close(ends[1]);
}

pid_t cmemprobe_fork_blocked(void) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t identifier = fork();
    int error = errno;
    if (identifier != 0) pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return identifier;
}

int cmemprobe_fork_gated(const struct cmemprobe_command *command, struct cmemprobe_gated_child *child) {
    int gate[2];
    int report[2];
    int error = cmemprobe_make_pipe(gate);
    if (error != 0) return error;
    error = cmemprobe_make_pipe(report);
    if (error != 0) {
        cmemprobe_close_pipe(gate);
        return error;
    }
    pid_t parent = getpid();
    pid_t identifier = cmemprobe_fork_blocked();
    error = errno;
    if (identifier == 0) {
        close(gate[1]);
        close(report[0]);
        cmemprobe_become(command, gate[0], report[1], parent);
    }
    if (identifier < 0) {
        cmemprobe_close_pipe(gate);
        cmemprobe_close_pipe(report);
        return error;
    }
    close(gate[0]);
    close(report[1]);
    child->identifier = identifier;
    child->gate = gate[1];
    child->report = report[0];
    return 0;
}
