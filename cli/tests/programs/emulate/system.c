/* Trampolines on the stack together with system functions: threads and contexts whose masks the C library sets, children with
 * and without the environment, a sandbox, and the path of the program's own file. With an argument, the program is one of its
 * children. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

extern char **environ;
static volatile int done;
static sigjmp_buf back;

__attribute__((noipa)) static int apply(int (*f)(int), int x) { return f(x); }

/* Calls through a trampoline. */
__attribute__((noipa)) static int emulate(int y)
{
    int nested(int x) { return x + y; }
    return apply(nested, 1);
}

static void expired(union sigval value) { done = emulate(value.sival_int); }
static void body(void) { printf("in a context with a full mask: %d\n", emulate(1)); }
static void jump(int number) { siglongjmp(back, 1); }

/* Waits for a child and prints how it ended. */
static void ended(const char *what, int error, pid_t child)
{
    int status = 0;
    if (error == 0)
        waitpid(child, &status, 0);
    printf("%s: error %d, status %d\n", what, error, status);
    fflush(stdout);
}

static void spawn(const char *what, const char *path, posix_spawn_file_actions_t *actions, char **environment)
{
    pid_t child = 0;
    int error = posix_spawn(&child, path, actions, 0, (char *[]){"child", (char *)what, 0}, environment);
    ended(what, error, child);
}

int main(int count, char **words)
{
    if (count > 1)
        return emulate(words[1][0]) != words[1][0] + 1;

    struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = expired, .sigev_value.sival_int = 41};
    timer_t timer;
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    timer_settime(timer, 0, &(struct itimerspec){.it_value.tv_nsec = 1000000}, 0);
    for (int i = 0; i < 1000 && !done; i++)
        usleep(10000);
    printf("a timer's thread: %d\n", done);

    static ucontext_t own, other;
    char stack[65536];
    getcontext(&other);
    other.uc_stack.ss_sp = stack;
    other.uc_stack.ss_size = sizeof stack;
    other.uc_link = &own;
    sigfillset(&other.uc_sigmask);
    makecontext(&other, body, 0);
    swapcontext(&own, &other);

    signal(SIGSEGV, jump);
    pid_t child = vfork();
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL);
        _exit(0);
    }
    waitpid(child, 0, 0);
    if (!sigsetjmp(back, 1))
        *(volatile int *)8 = 1;
    else
        puts("the handler is there after a vfork");

    char path[4096], *real = realpath("/proc/self/exe", 0), *name = canonicalize_file_name("/proc/self/exe");
    printf("%d", real && name && strcmp(real, name) == 0);
    int directory = open("/proc/self", O_RDONLY | O_DIRECTORY);
    memset(path, 0, sizeof path); /* so that a longer path that was overwritten shows */
    readlinkat(directory, "exe", path, sizeof path - 1);
    printf("%d", strcmp(real, path) == 0);
    memset(path, 0, sizeof path);
    readlink("/proc/self/exe", path, sizeof path - 1);
    printf("%d %s\n", strcmp(real, path) == 0, strrchr(path, '/'));
    fflush(stdout);

    char *none[] = {0};
    posix_spawn_file_actions_t actions;
    spawn("spawned", real, 0, environ);
    spawn("without an environment", real, 0, none);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addclosefrom_np(&actions, 3);
    spawn("all files closed", real, &actions, environ);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addchdir_np(&actions, "..");
    snprintf(path, sizeof path, "programs%s", strrchr(real, '/'));
    spawn("from another directory", path, &actions, environ);
    if ((child = fork()) == 0) {
        execle(real, "1", "2", 0, none);
        _exit(9);
    }
    ended("execle", 0, child);
    if ((child = fork()) == 0) {
        execl(real, "1", "2", "3", "4", "5", "6", "7", "8", (char *)0);
        _exit(9);
    }
    ended("execl", 0, child);
    if ((child = fork()) == 0) {
        execle(real, "1", "2", "3", "4", "5", "6", "7", "8", (char *)0, environ);
        _exit(9);
    }
    ended("execle with many words", 0, child);
    emulate(1);
    if ((child = fork()) == 0) {
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
        syscall(SYS_exit, emulate(4));
    }
    ended("in a sandbox", 0, child);
    printf("static: %d\n", system("./static-pie"));
    chmod("not-executable", 0644);
    execl("./not-executable", "not-executable", "2", (char *)0);
    printf("not executable: %d\n", errno == EACCES);
    return 0;
}
