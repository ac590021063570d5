// SPDX-License-Identifier: Apache-2.0

#ifndef CREADLOOP_H
#define CREADLOOP_H

/// Reads `/proc/self/statm` this many times through one descriptor and returns the nanoseconds that all took;
/// -1 where it cannot be read. In C because it is the measure that the Swift reading is held against.
long creadloop_nanoseconds(long times);

#endif
