// SPDX-License-Identifier: Apache-2.0

#include "CMemProbeTesting.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/// Reports why a test run without /proc stops before its first test.
///
/// Swift reads a program's arguments from /proc/self/cmdline. Without it, the runner of Swift Testing gets no
/// arguments, not even its own name, and ends with an illegal instruction (Swift 6.3) before any trait could record an
/// issue. In C because no Swift code runs that early.
__attribute__((constructor)) static void say_that_proc_is_missing(void) {
    if (access("/proc/self/cmdline", R_OK) == 0) return;
    dprintf(STDERR_FILENO,
            "error: cannot read /proc/self/cmdline: %s. Swift Testing reads its arguments from it and may crash without it, and "
            "limits of memory (MemProbeTesting) cannot be measured. Mount /proc: mount -t proc proc /proc\n",
            strerror(errno));
}
