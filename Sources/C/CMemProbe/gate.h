// SPDX-License-Identifier: Apache-2.0

#ifndef CMEMPROBE_GATE_H
#define CMEMPROBE_GATE_H

#include "CMemProbe.h"

#include <sys/types.h>

// Executes the program in a child of `parent` that was just forked; does not return. `gate` is read from first, or -1;
// `report` receives a `cmemprobe_start_failure`, and is closed on success.
void cmemprobe_become(const struct cmemprobe_command *command, int gate, int report, pid_t parent);

void cmemprobe_close_pipe(const int ends[2]);

// Closes all descriptors from this number on, with async-signal-safe calls alone.
void cmemprobe_close_from(int first);

// Forks with all signals blocked, which they stay in the child: no handler of this process runs there.
// Returns as fork does, with its errno.
pid_t cmemprobe_fork_blocked(void);

#endif
