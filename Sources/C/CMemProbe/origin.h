// SPDX-License-Identifier: Apache-2.0

#ifndef CMEMPROBE_ORIGIN_H
#define CMEMPROBE_ORIGIN_H

#include <stdbool.h>

/// The address of the `malloc` that the process calls, or NULL if the linker cannot tell.
const void *cmemprobe_malloc_address(void);

/// True if two addresses lie in the same executable or library, or if the linker cannot tell.
bool cmemprobe_same_object(const void *first, const void *second);

#endif
