// SPDX-License-Identifier: Apache-2.0
#include "CTrialKit.h"

#include <errno.h>
#include <spawn.h>
#include <unistd.h>

extern char **environ;

int ctrialkit_spawn_self(char *const arguments[], int input, int output) {
    posix_spawn_file_actions_t actions;
    int status = posix_spawn_file_actions_init(&actions);
    if (status != 0) return -status;
    status = posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    if (status == 0) status = posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    pid_t process = 0;
    if (status == 0) status = posix_spawn(&process, "/proc/self/exe", &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return status == 0 ? process : -status;
}
