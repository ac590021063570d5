// SPDX-License-Identifier: Apache-2.0
#ifndef CTRIALKIT_H
#define CTRIALKIT_H

#include <stdbool.h>

/// Asks the kernel to kill this process when the thread that spawned it ends, so that a trial never outlives a harness
/// that was killed. False where the kernel refuses, or where the parent is gone already.
/// In C because prctl(2) is variadic, which Swift cannot call.
bool ctrialkit_end_with_parent(void);

#endif
