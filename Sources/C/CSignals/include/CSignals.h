// SPDX-License-Identifier: Apache-2.0
#ifndef CSIGNALS_H
#define CSIGNALS_H

/// Catches SIGINT, SIGTERM and SIGHUP from now on, and gives the descriptor on which a byte can be read for each that
/// came, the same one every time; -1 where the kernel refuses.
/// In C because a signal handler may call next to nothing: Swift's runtime is no part of that.
int csignals_descriptor(void);

#endif
