// SPDX-License-Identifier: Apache-2.0
// The functions for programs that are loaded together with the recorder.
//
// It is in C because it replaces malloc: it runs before and inside Swift's runtime, and must not allocate.
#ifndef C_ALLOCATION_RECORDER_H
#define C_ALLOCATION_RECORDER_H

#include <stdint.h>

// The folder for recordings; without it the recorder does nothing.
#define ALLOCATION_RECORDER_FOLDER "FETCHBENCH_RECORDER_FOLDER"

// A file of that folder whose first four bytes are an instant: by it another process tells those of this one.
#define ALLOCATION_RECORDER_INSTANT "/instant"

// The instants of a process that reports them, or of which they are told; another process is recorded as a whole.
enum allocation_recorder_instant {
    // Growth starts here: the search for the peak begins.
    ALLOCATION_RECORDER_BASELINE = 1,
    // The kernel's mark has been read and nothing returned yet: looks if a peak has just been reached.
    ALLOCATION_RECORDER_MARK = 2,
    // The search is over.
    ALLOCATION_RECORDER_END = 3,
};

// Looked up by name, so that nothing has to link it: `allocation_recorder_note`.
__attribute__((visibility("default"))) void allocation_recorder_note(int instant);

// The malloc behind the recorder, for code that identifies the process's allocator.
__attribute__((visibility("default"))) const void *allocation_recorder_malloc(void);

#endif
