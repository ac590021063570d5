// SPDX-License-Identifier: Apache-2.0
// What a program that has been loaded together with the recorder may call, and the document that the recorder writes.
//
// It is in C because it takes the place of malloc: it runs before Swift's runtime, inside of it, and must not allocate.
#ifndef C_ALLOCATION_RECORDER_H
#define C_ALLOCATION_RECORDER_H

#include <stdint.h>

// The folder that recordings are written to; where it is not set the recorder does nothing.
#define ALLOCATION_RECORDER_FOLDER "FETCHBENCH_RECORDER_FOLDER"

// Instants of a process that knows them; one that does not is recorded as a whole.
enum allocation_recorder_instant {
    // What is there now is what growth counts from: the search for the peak begins.
    ALLOCATION_RECORDER_BASELINE = 1,
    // The kernel's mark has been read, and nothing may be given back yet: a peak that has just been reached is looked at.
    ALLOCATION_RECORDER_MARK = 2,
    // The search is over.
    ALLOCATION_RECORDER_END = 3,
};

// Found by name, so that nothing has to be linked: `allocation_recorder_note`.
__attribute__((visibility("default"))) void allocation_recorder_note(int instant);

// The malloc that is called behind the recorder: who asks which allocator a process runs on means that one.
__attribute__((visibility("default"))) const void *allocation_recorder_malloc(void);

#endif
