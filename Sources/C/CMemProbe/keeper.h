// SPDX-License-Identifier: Apache-2.0

#ifndef CMEMPROBE_KEEPER_H
#define CMEMPROBE_KEEPER_H

#include "CMemProbe.h"

// Calls `use` with each name of an open folder until that returns false; without `readdir`, which allocates.
void cmemprobe_each_name(int folder, bool (*use)(const char *name, void *context), void *context);

// What the living descendants of this process are: how many, what they hold, and their names, one a line.
void cmemprobe_describe_descendants(struct cmemprobe_keeper_event *event);

// Kills the children of this process, the only ones whose numbers cannot have gone to others.
void cmemprobe_kill_children(void);

#endif
