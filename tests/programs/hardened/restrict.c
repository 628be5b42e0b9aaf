/* restrict RESTRICTION... -- COMMAND...: runs a command to which the kernel denies an operation. No library is loaded
   into the command or linked to it.

     mdwe            PR_SET_MDWE, from the start
     address=MIB     RLIMIT_AS
     hide=DIRECTORY  the directory is empty, as on a system without /proc
     read-only       every file system is mounted read-only
     no-exec=kill    making memory executable kills the process
     no-exec=eperm   making memory executable fails with EPERM
     refuse=NAME     this system call fails with ENOSYS

   hide and read-only must be applied before a chroot. The last three are filters that the program itself installs at
   its entry point, where ptrace has stopped it: its shared libraries, which need executable memory, are loaded by then.
   Programs that it executes inherit the filters, so a program that runs others must be linked statically.

   Exit status: that of the command, or 128 + N if signal N ended it; 2 if an argument is invalid; 3 if the kernel
   does not support the restriction. x86-64. */

#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef PR_SET_MDWE
#define PR_SET_MDWE 65
#define PR_MDWE_REFUSE_EXEC_GAIN 1
#endif
#define READ_IMPLIES_EXEC 0x0400000

static _Noreturn void give_up(int status, const char *what)
{
    fprintf(stderr, "restrict: %s: %s\n", what, errno ? strerror(errno) : "no meaning");
    exit(status);
}

/* A filter under construction. */
static struct sock_filter filter[64];
static unsigned short filled;

static void add(struct sock_filter instruction)
{
    filter[filled++] = instruction;
}

static const size_t ARGUMENT = offsetof(struct seccomp_data, args);

/* For system call `number`, the filter returns `verdict` if `bits` is 0, or if one of `bits` is set in argument `argument`. */
static void deny(unsigned number, unsigned argument, unsigned bits, unsigned verdict)
{
    add((struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)));
    if (bits == 0) {
        add((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1));
    } else {
        add((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 3));
        add((struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)(ARGUMENT + 8 * argument)));
        add((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1));
    }
    add((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, verdict));
}

static void begin_filter(void)
{
    if (filled != 0)
        return;
    add((struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)));
    add((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0));
    add((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS));
}

static void deny_executable_memory(unsigned verdict)
{
    begin_filter();
    deny(SYS_mmap, 2, PROT_EXEC, verdict);
    deny(SYS_mprotect, 2, PROT_EXEC, verdict);
    deny(SYS_pkey_mprotect, 2, PROT_EXEC, verdict);
    deny(SYS_shmat, 2, SHM_EXEC, verdict);
    deny(SYS_mremap, 0, 0, verdict); /* the memory's permissions are not in the arguments */
    deny(SYS_personality, 0, READ_IMPLIES_EXEC, verdict);
}

static const struct { const char *name; unsigned number; } calls[] = {
    {"open", SYS_open}, {"openat", SYS_openat}, {"read", SYS_read}, {"pread64", SYS_pread64}, {"write", SYS_write},
    {"close", SYS_close}, {"pipe2", SYS_pipe2}, {"mmap", SYS_mmap}, {"munmap", SYS_munmap}, {"gettid", SYS_gettid},
    {"getpid", SYS_getpid}, {"sigaltstack", SYS_sigaltstack}, {"rt_sigprocmask", SYS_rt_sigprocmask},
    {"rt_sigaction", SYS_rt_sigaction}, {"sched_getaffinity", SYS_sched_getaffinity}, {"madvise", SYS_madvise},
    {"mprotect", SYS_mprotect}, {"membarrier", SYS_membarrier}, {"prlimit64", SYS_prlimit64}, {"futex", SYS_futex},
    {"getrandom", SYS_getrandom}, {"brk", SYS_brk}, {"prctl", SYS_prctl}, {"mseal", 462}, {"process_vm_readv", SYS_process_vm_readv}, {"memfd_create", SYS_memfd_create},
    {"fstat", SYS_fstat}, {"newfstatat", SYS_newfstatat}, {"fcntl", SYS_fcntl}, {"pkey_alloc", SYS_pkey_alloc},
};

static void deny_by_name(const char *name)
{
    begin_filter();
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        if (strcmp(calls[i].name, name) == 0) {
            deny(calls[i].number, 0, 0, SECCOMP_RET_ERRNO | ENOSYS);
            return;
        }
    }
    errno = 0;
    give_up(2, name);
}

/* A new mount namespace. */
static void leave_mounts(void)
{
    if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
        give_up(3, "a mount namespace");
}

static void apply(const char *word)
{
    if (strcmp(word, "mdwe") == 0) {
        if (prctl(PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN, 0, 0, 0) != 0)
            give_up(3, "PR_SET_MDWE");
    } else if (strncmp(word, "address=", 8) == 0) {
        const rlim_t bytes = strtoul(word + 8, NULL, 10) << 20;
        if (bytes == 0 || setrlimit(RLIMIT_AS, &(struct rlimit){bytes, bytes}) != 0)
            give_up(3, "RLIMIT_AS");
    } else if (strncmp(word, "hide=", 5) == 0) {
        leave_mounts();
        if (mount("none", word + 5, "tmpfs", MS_RDONLY, NULL) != 0)
            give_up(3, word + 5);
    } else if (strcmp(word, "read-only") == 0) {
        leave_mounts();
        /* A copy of the whole mount tree, whose changes need not be undone. */
        struct mount_attr read_only = {.attr_set = MOUNT_ATTR_RDONLY};
        const int copy = (int)syscall(SYS_open_tree, AT_FDCWD, "/", OPEN_TREE_CLONE | AT_RECURSIVE | OPEN_TREE_CLOEXEC);
        char *here = getcwd(NULL, 0);
        if (copy < 0 || syscall(SYS_mount_setattr, copy, "", AT_EMPTY_PATH | AT_RECURSIVE, &read_only, sizeof read_only) != 0 ||
            fchdir(copy) != 0 || chroot(".") != 0 || chdir(here) != 0)
            give_up(3, "mounting read-only");
    } else if (strcmp(word, "no-exec=kill") == 0) {
        deny_executable_memory(SECCOMP_RET_KILL_PROCESS);
    } else if (strcmp(word, "no-exec=eperm") == 0) {
        deny_executable_memory(SECCOMP_RET_ERRNO | EPERM);
    } else if (strncmp(word, "refuse=", 7) == 0) {
        deny_by_name(word + 7);
    } else {
        errno = 0;
        give_up(2, word);
    }
}

/* The stopped program. */
static pid_t program;

static unsigned long peek(unsigned long address)
{
    errno = 0;
    const unsigned long word = (unsigned long)ptrace(PTRACE_PEEKDATA, program, address, 0);
    if (errno != 0)
        give_up(3, "reading the program");
    return word;
}

static void poke(unsigned long address, unsigned long word)
{
    if (ptrace(PTRACE_POKEDATA, program, address, word) != 0)
        give_up(3, "writing the program");
}

static struct user_regs_struct registers(void)
{
    struct user_regs_struct got;
    if (ptrace(PTRACE_GETREGS, program, 0, &got) != 0)
        give_up(3, "the program's registers");
    return got;
}

static int exit_status(int status)
{
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Runs the program to the next int3. */
static void run_to_trap(void)
{
    int status, signal = 0;
    do {
        if (ptrace(PTRACE_CONT, program, 0, signal) != 0 || waitpid(program, &status, 0) != program)
            give_up(3, "running the program");
        if (!WIFSTOPPED(status))
            exit(exit_status(status));
        signal = WSTOPSIG(status);
    } while (signal != SIGTRAP);
}

/* AT_ENTRY, from the vector that the kernel has put on the stack. */
static unsigned long entry_point(unsigned long stack)
{
    unsigned long word = stack + 8 * (peek(stack) + 2); /* past argc, argv and its terminator */
    while (peek(word) != 0)
        word += 8;
    for (word += 8; peek(word) != AT_ENTRY; word += 16)
        if (peek(word) == AT_NULL)
            give_up(3, "the program's entry point");
    return peek(word + 8);
}

static void call(unsigned long entry, const struct user_regs_struct *before, unsigned long a, unsigned long b, unsigned long c)
{
    struct user_regs_struct now = *before;
    now.rip = entry, now.rax = SYS_prctl, now.orig_rax = -1UL;
    now.rdi = a, now.rsi = b, now.rdx = c, now.r10 = 0, now.r8 = 0;
    if (ptrace(PTRACE_SETREGS, program, 0, &now) != 0)
        give_up(3, "the program's registers");
    run_to_trap();
    now = registers();
    errno = -(int)now.rax;
    if (now.rax != 0)
        give_up(3, "the filter");
}

/* Makes the stopped program install the filter at its entry point. */
static void install(void)
{
    struct user_regs_struct before = registers();
    const unsigned long entry = entry_point(before.rsp);
    const unsigned long code = peek(entry);
    poke(entry, (code & ~0xffUL) | 0xcc); /* int3 */
    run_to_trap();
    before = registers();
    before.rip = entry;
    poke(entry, (code & ~0xffffffUL) | 0xcc050f); /* syscall; int3 */
    call(entry, &before, PR_SET_NO_NEW_PRIVS, 1, 0);
    unsigned long address = (before.rsp - 4096) & ~15UL; /* memory below the stack pointer is unused there */
    const unsigned long header = address - 16;
    poke(header, filled);
    poke(header + 8, address);
    for (unsigned i = 0; i < filled; i++, address += 8) {
        unsigned long instruction;
        memcpy(&instruction, &filter[i], 8);
        poke(address, instruction);
    }
    call(entry, &before, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, header);
    poke(entry, code);
    before.orig_rax = -1UL;
    if (ptrace(PTRACE_SETREGS, program, 0, &before) != 0 || ptrace(PTRACE_DETACH, program, 0, 0) != 0)
        give_up(3, "letting the program go");
}

int main(int argc, char **argv)
{
    int word = 1, status;
    while (word < argc && strcmp(argv[word], "--") != 0)
        word++;
    if (word >= argc - 1) {
        errno = 0;
        give_up(2, "restrict RESTRICTION... -- COMMAND...");
    }
    for (int i = 1; i < word; i++)
        if (strncmp(argv[i], "no-exec=", 8) == 0 || strncmp(argv[i], "refuse=", 7) == 0)
            apply(argv[i]);
    program = fork();
    if (program == 0) {
        if (filled != 0 && ptrace(PTRACE_TRACEME, 0, 0, 0) != 0)
            give_up(3, "ptrace");
        for (int i = 1; i < word; i++)
            if (strncmp(argv[i], "no-exec=", 8) != 0 && strncmp(argv[i], "refuse=", 7) != 0)
                apply(argv[i]);
        execvp(argv[word + 1], argv + word + 1);
        give_up(3, argv[word + 1]);
    }
    if (filled != 0) {
        add((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
        if (waitpid(program, &status, 0) != program)
            give_up(3, "the program");
        if (!WIFSTOPPED(status))
            return exit_status(status);
        install();
    }
    if (waitpid(program, &status, 0) != program)
        give_up(3, "the program");
    return exit_status(status);
}
