// SPDX-License-Identifier: Apache-2.0
#ifndef CTRIALKIT_H
#define CTRIALKIT_H

#include <stdbool.h>

/// Makes the kernel kill this process when the thread that spawned it ends, so that a trial never outlives its harness;
/// false if the kernel refuses, or if the parent is gone already. In C because prctl(2) is variadic, which Swift cannot
/// call.
bool ctrialkit_end_with_parent(void);

/// Starts this program again with an input, an output, and arguments that begin with its name and end with NULL;
/// returns the process, or minus an errno. In C because the environment is a global variable, which Swift cannot read
/// safely.
int ctrialkit_spawn_self(char *const arguments[], int input, int output);

/// Reports an instant of the trial, one of `allocation_recorder_instant`, to the allocation recorder, if one is loaded.
/// In C because the function may be missing, and Swift has no weak symbols.
void ctrialkit_note(int instant);

#endif
