// SPDX-License-Identifier: Apache-2.0
#include "CTrialKit.h"

#include <stddef.h>

// Defined by the recorder of allocations where that is loaded in front of everything, and else by nobody.
extern void allocation_recorder_note(int instant) __attribute__((weak));

void ctrialkit_note(int instant) {
    if (allocation_recorder_note) allocation_recorder_note(instant);
}
