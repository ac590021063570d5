// SPDX-License-Identifier: Apache-2.0
#include "CTrialKit.h"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

bool ctrialkit_end_with_parent(void) {
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return false;
    // The parent may have ended before the request: then the process belongs to init already.
    return getppid() != 1;
}
