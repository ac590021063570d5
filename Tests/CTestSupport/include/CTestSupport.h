// SPDX-License-Identifier: Apache-2.0

#ifndef CTESTSUPPORT_H
#define CTESTSUPPORT_H

#include <sys/types.h>

/// Starts a program in a group of its own, with three streams and no other descriptor, and no signal blocked.
///
/// Swift's Glibc has no file actions for a folder and for all further descriptors.
/// `directory` may be null, for that of this process; `input` negative, for `/dev/null`.
/// Returns 0, or the `errno` of what stood in the way.
int ctestsupport_spawn(const char *path, char *const arguments[], char *const environment[], const char *directory,
                       int input, int output, int complaint, pid_t *identifier);

#endif
