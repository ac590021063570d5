// SPDX-License-Identifier: Apache-2.0

#ifndef CREADLOOP_H
#define CREADLOOP_H

/// Reads `/proc/self/statm` this many times through one descriptor and returns the total nanoseconds, or -1 on error.
/// In C because it is the reference for the reading in Swift.
long creadloop_nanoseconds(long times);

#endif
