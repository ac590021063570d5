// SPDX-License-Identifier: Apache-2.0

#ifndef CMEMPROBE_KEEPER_H
#define CMEMPROBE_KEEPER_H

#include "CMemProbe.h"

// Calls `use` with each name of an open folder until that returns false; avoids `readdir`, which allocates.
void cmemprobe_each_name(int folder, bool (*use)(const char *name, void *context), void *context);

// Counts the living descendants of this process with their memory, and lists their names, one per line.
void cmemprobe_describe_descendants(struct cmemprobe_keeper_event *event);

// Kills the children of this process, whose numbers, unlike those of others, cannot have been reused.
void cmemprobe_kill_children(void);

#endif
