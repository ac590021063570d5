// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE

#include "CTestSupport.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

static int add_actions(posix_spawn_file_actions_t *actions, const char *directory, int input, int output,
                       int complaint) {
    int status = input < 0 ? posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
                           : posix_spawn_file_actions_adddup2(actions, input, STDIN_FILENO);
    if (status == 0) status = posix_spawn_file_actions_adddup2(actions, output, STDOUT_FILENO);
    if (status == 0) status = posix_spawn_file_actions_adddup2(actions, complaint, STDERR_FILENO);
    // A file that another test is writing must not stay open here: no program could be started from it.
    if (status == 0) status = posix_spawn_file_actions_addclosefrom_np(actions, STDERR_FILENO + 1);
    if (status == 0 && directory != NULL) status = posix_spawn_file_actions_addchdir_np(actions, directory);
    return status;
}

static int set_attributes(posix_spawnattr_t *attributes) {
    sigset_t none, all;
    sigemptyset(&none);
    // A shell has the tests that it starts in the background ignore SIGINT, which would be inherited.
    sigfillset(&all);
    int status = posix_spawnattr_setsigmask(attributes, &none);
    if (status == 0) status = posix_spawnattr_setsigdefault(attributes, &all);
    if (status == 0)
        status = posix_spawnattr_setflags(
            attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    return status;
}

int ctestsupport_spawn(const char *path, char *const arguments[], char *const environment[], const char *directory,
                       int input, int output, int complaint, pid_t *identifier) {
    posix_spawn_file_actions_t actions;
    int status = posix_spawn_file_actions_init(&actions);
    if (status != 0) return status;
    posix_spawnattr_t attributes;
    status = posix_spawnattr_init(&attributes);
    if (status == 0) {
        status = add_actions(&actions, directory, input, output, complaint);
        if (status == 0) status = set_attributes(&attributes);
        if (status == 0) status = posix_spawn(identifier, path, &actions, &attributes, arguments, environment);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return status;
}
