// SPDX-License-Identifier: Apache-2.0
#ifndef CSIGNALS_H
#define CSIGNALS_H

/// Catches SIGINT, SIGTERM and SIGHUP, unless they are ignored; returns a descriptor that yields a byte for each, always
/// the same one, or -1 if the kernel refuses.
///
/// A second signal, at least 0.3 s after the first, ends the process as if it were not caught. In C because a signal
/// handler may call next to nothing, and not Swift's runtime.
int csignals_catch(void);

/// Keeps the signals caught until the next `csignals_catch`, whose descriptor yields a byte if one has come meanwhile.
void csignals_hold(void);

/// Gives the signals back the effect that they had before.
void csignals_release(void);

#endif
