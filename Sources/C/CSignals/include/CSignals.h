// SPDX-License-Identifier: Apache-2.0
#ifndef CSIGNALS_H
#define CSIGNALS_H

/// Catches SIGINT, SIGTERM and SIGHUP; returns a descriptor that yields a byte for each, always the same one, or -1 if
/// the kernel refuses. In C because a signal handler may call next to nothing, and not Swift's runtime.
int csignals_descriptor(void);

#endif
