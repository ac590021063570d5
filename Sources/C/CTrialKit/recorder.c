// SPDX-License-Identifier: Apache-2.0
#include "CTrialKit.h"

#include <stddef.h>

// Defined only if the allocation recorder is loaded.
extern void allocation_recorder_note(int instant) __attribute__((weak));

void ctrialkit_note(int instant) {
    if (allocation_recorder_note) allocation_recorder_note(instant);
}
