// SPDX-License-Identifier: Apache-2.0
#ifndef CFETCHBENCH_H
#define CFETCHBENCH_H

#include <stdbool.h>

/// Asks the kernel to kill this process when the thread that spawned it ends, so that a trial never outlives a harness
/// that was killed. False where the kernel refuses, or where the parent is gone already.
/// In C because prctl(2) is variadic, which Swift cannot call.
bool cfetchbench_end_with_parent(void);

/// Catches SIGINT, SIGTERM and SIGHUP from now on, and gives the descriptor on which a byte can be read for each that
/// came, the same one every time; -1 where the kernel refuses.
/// In C because a signal handler may call next to nothing: Swift's runtime is no part of that.
int cfetchbench_signals(void);

/// Makes every handle of libcurl that this process makes trust the authority in this PEM file; false where the path is
/// too long. URLSession has no way to name one on Linux: its handles are made of libcurl, and only there it can be told.
/// In C because curl_easy_setopt(3) is variadic, and because the linker has to find a function of libcurl's name.
bool cfetchbench_trust(const char *path);

#endif
