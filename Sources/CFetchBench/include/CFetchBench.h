// SPDX-License-Identifier: Apache-2.0
#ifndef CFETCHBENCH_H
#define CFETCHBENCH_H

#include <stdbool.h>

/// Asks the kernel to kill this process when the thread that spawned it ends, so that a trial never outlives a harness
/// that was killed. False where the kernel refuses, or where the parent is gone already.
/// In C because prctl(2) is variadic, which Swift cannot call.
bool cfetchbench_end_with_parent(void);

#endif
