/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * System calls by their names, on all architectures: 32-bit ones have several of a kind. A
 * call that only reads, or acts on what the process has open, needs no reason of its own.
 */
#include "lib/confine.h"

#include <stddef.h>

const char *const confine_common[] = {
    /* files, as far as Landlock permits them */
    "access", "close", "close_range", "dup", "dup2", "dup3", "faccessat", "faccessat2", "fcntl",
    "fcntl64", "fstat", "fstat64", "fstatat64", "fstatfs", "fstatfs64", "ftruncate", "ftruncate64",
    "getcwd", "getdents", "getdents64", "ioctl", "_llseek", "lseek", "lstat", "lstat64",
    "newfstatat", "open", "openat", "openat2", "pread64", "preadv", "pwrite64", "pwritev", "read",
    "readlink", "readlinkat", "readv", "stat", "stat64", "statfs", "statfs64", "statx", "umask",
    "write", "writev",
    /* memory */
    "brk", "cacheflush", "madvise", "membarrier", "mmap", "mmap2", "mprotect", "mremap", "munmap",
    /* threads and signals */
    "arch_prctl", "exit", "exit_group", "futex", "futex_time64", "get_robust_list", "getcpu",
    "getegid", "getegid32", "geteuid", "geteuid32", "getgid", "getgid32", "getgroups",
    "getgroups32", "getpgrp", "getpid", "getppid", "getpriority", "getresgid", "getresgid32",
    "getresuid", "getresuid32", "getrlimit", "getrusage", "gettid", "getuid", "getuid32", "kill",
    "prctl", "prlimit64", "restart_syscall", "riscv_flush_icache", "rseq", "rt_sigaction",
    "rt_sigpending", "rt_sigprocmask", "rt_sigreturn", "rt_sigsuspend", "rt_sigtimedwait",
    "rt_sigtimedwait_time64", "sched_getaffinity", "sched_getparam", "sched_getscheduler",
    "sched_yield", "set_robust_list", "set_tid_address", "set_tls", "sigaltstack", "sigreturn",
    "tgkill", "tkill", "ugetrlimit", "wait4", "waitid", "waitpid",
    /* time and numbers */
    "clock_getres", "clock_getres_time64", "clock_gettime", "clock_gettime64", "clock_nanosleep",
    "clock_nanosleep_time64", "getrandom", "gettimeofday", "nanosleep", "sysinfo", "time", "times",
    "uname",
    /* event loops */
    "epoll_create", "epoll_create1", "epoll_ctl", "epoll_pwait", "epoll_pwait2", "epoll_wait",
    "eventfd", "eventfd2", "_newselect", "pipe", "pipe2", "poll", "ppoll", "ppoll_time64",
    "pselect6", "pselect6_time64", "select", "timerfd_create", "timerfd_gettime",
    "timerfd_gettime64", "timerfd_settime", "timerfd_settime64",
    /* sockets; socket() itself has a rule for each family */
    "accept", "accept4", "bind", "connect", "getpeername", "getsockname", "getsockopt", "listen",
    "recv", "recvfrom", "recvmmsg", "recvmmsg_time64", "recvmsg", "send", "sendmmsg", "sendmsg",
    "sendto", "setsockopt", "shutdown", "socketpair", NULL};

const char *const confine_start[] = {"capget",
				     "capset",
				     "execve",
				     "landlock_add_rule",
				     "landlock_create_ruleset",
				     "landlock_restrict_self",
				     "seccomp",
				     "setrlimit",
				     "vfork",
				     NULL};
