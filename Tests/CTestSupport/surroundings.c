// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE

#include "CTestSupport.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int refuse(long number) {
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned int)number, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0 ? 0 : errno;
}

int ctestsupport_refuse(unsigned int refusals) {
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
    int status = 0;
    if (refusals & CTESTSUPPORT_REFUSE_KCMP) status = refuse(SYS_kcmp);
    if (status == 0 && refusals & CTESTSUPPORT_REFUSE_VM) status = refuse(SYS_process_vm_readv);
    if (status == 0 && refusals & CTESTSUPPORT_REFUSE_VM) status = refuse(SYS_process_vm_writev);
    if (status == 0 && refusals & CTESTSUPPORT_REFUSE_PTRACE) status = refuse(SYS_ptrace);
    return status;
}

int ctestsupport_become_user(uid_t user) {
    if (setgroups(0, NULL) != 0 || setgid(user) != 0 || setuid(user) != 0) return errno;
    return 0;
}

int ctestsupport_wait(pid_t identifier) {
    int status = 0;
    while (waitpid(identifier, &status, __WALL) < 0 && errno == EINTR) {
    }
    return status;
}

// The child's side; its parent stays the leader of the session whose terminal this is.
static void become_in_terminal(int terminal, char *const program[]) {
    const char *name = ptsname(terminal);
    setsid();
    int own = name == NULL ? -1 : open(name, O_RDWR);
    if (own < 0 || ioctl(own, TIOCSCTTY, 0) != 0) _exit(125);
    close(terminal);
    close(own);
    execv(program[0], program);
    _exit(127);
}

int ctestsupport_run_in_terminal(char *const program[]) {
    int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0) return -errno;
    pid_t child = fork();
    if (child == 0) become_in_terminal(terminal, program);
    int status = child < 0 ? -errno : ctestsupport_wait(child);
    close(terminal);
    return status;
}
