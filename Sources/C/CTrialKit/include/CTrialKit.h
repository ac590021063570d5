// SPDX-License-Identifier: Apache-2.0
#ifndef CTRIALKIT_H
#define CTRIALKIT_H

#include <stdbool.h>

/// Asks the kernel to kill this process when the thread that spawned it ends, so that a trial never outlives a harness
/// that was killed. False where the kernel refuses, or where the parent is gone already.
/// In C because prctl(2) is variadic, which Swift cannot call.
bool ctrialkit_end_with_parent(void);

/// Starts this program again, with arguments that begin with its name and end with NULL, an input and an output.
/// The process, or an errno less than 0.
/// In C because its environment is a global variable, which Swift cannot read safely.
int ctrialkit_spawn_self(char *const arguments[], int input, int output);

/// Tells the recorder of allocations, where one is loaded, which instant of the trial this is: see its
/// `allocation_recorder_instant`.
/// In C because a function that may be missing is a weak symbol, which Swift has none of.
void ctrialkit_note(int instant);

#endif
