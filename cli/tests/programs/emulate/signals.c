/* The program's own SIGSEGV handling, masks and alternate stacks, while trampolines on the stack are called. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static sigjmp_buf back;
static volatile int caught, last_code, on_alternate;
static char alternate[65536];

__attribute__((noipa)) static int apply(int (*f)(int), int x) { return f(x); }

/* Calls through a trampoline; a wrong result ends the program. */
__attribute__((noipa)) static void emulate(int y)
{
    int nested(int x) { return x + y; }
    if (apply(nested, 1) != y + 1)
        abort();
}

static void handler(int number, siginfo_t *info, void *context)
{
    char here;
    caught++;
    last_code = info->si_code;
    on_alternate = &here >= alternate && &here < alternate + sizeof alternate;
    if (!on_alternate) /* an alternate stack is not executable */
        emulate(number);
    if (info->si_code > 0)
        siglongjmp(back, 1);
}

static void jumping(int number) { caught += 100; siglongjmp(back, 1); }

static void show(const char *what) { printf("%s: caught %d, code %d, alternate %d\n", what, caught, last_code, on_alternate); fflush(stdout); }

static void set(int flags, int fill)
{
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags};
    if (fill)
        sigfillset(&action.sa_mask);
    sigaction(SIGSEGV, &action, 0);
}

__attribute__((noipa)) static int overflow(int depth)
{
    volatile char room[4096];
    room[0] = depth;
    emulate(depth);
    return depth < 1000000 ? overflow(depth + 1) + room[0] : 0;
}

/* Runs a function in a child and prints how the child ended. */
static void in_child(const char *what, void (*body)(void))
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        body();
        fflush(stdout);
        _exit(77);
    }
    int status;
    waitpid(child, &status, 0);
    printf("%s: %s %d\n", what, WIFSIGNALED(status) ? "signal" : "exit", WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

static void fault(void) { emulate(1); *(volatile int *)8 = 1; }
static void fault_default(void) { signal(SIGSEGV, SIG_DFL); fault(); }
static void fault_ignored(void) { signal(SIGSEGV, SIG_IGN); raise(SIGSEGV); emulate(2); fault(); }
static void sent(void) { signal(SIGSEGV, SIG_DFL); emulate(1); raise(SIGSEGV); }
static void block(void)
{
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, 0);
}
static void fault_blocked(void) { set(0, 0); block(); emulate(3); fault(); }
static void fault_in_handler(void)
{
    void twice(int number) { emulate(4); fault(); }
    signal(SIGSEGV, twice);
    fault();
}
static void jump_to_data(void)
{
    static char data[64];
    ((void (*)(void))(void *)data)();
}
static void jump_to_stack(void)
{
    volatile char data[64] = {0x49, (char)0xbb, 1, 2, 3};
    ((void (*)(void))(void *)data)();
}
static void jump_nowhere(void) { ((void (*)(void))(void *)0x123456)(); }
static void reset_by_flag(void) { set(SA_RESETHAND, 0); if (!sigsetjmp(back, 1)) fault(); emulate(1); show("reset"); fault(); }

int main(void)
{
    emulate(1);
    set(0, 0);
    for (int i = 0; i < 3; i++)
        if (!sigsetjmp(back, 1))
            fault();
    show("faults");
    if (!sigsetjmp(back, 1))
        jump_to_data();
    show("data");
    if (!sigsetjmp(back, 1))
        jump_nowhere();
    show("nowhere");
    raise(SIGSEGV);
    show("raised");

    /* Without a saved mask, the signal stays blocked after the jump. */
    signal(SIGSEGV, jumping);
    if (!sigsetjmp(back, 0))
        fault();
    sigset_t now;
    sigprocmask(SIG_BLOCK, 0, &now);
    printf("after a jump without mask: blocked %d\n", sigismember(&now, SIGSEGV));
    emulate(5);
    sigemptyset(&now);
    sigaddset(&now, SIGSEGV);
    sigprocmask(SIG_UNBLOCK, &now, 0);

    stack_t stack = {.ss_sp = alternate, .ss_size = sizeof alternate};
    sigaltstack(&stack, 0);
    set(SA_ONSTACK, 1);
    struct rlimit limit = {1 << 20, RLIM_INFINITY};
    setrlimit(RLIMIT_STACK, &limit);
    if (!sigsetjmp(back, 1))
        overflow(0);
    show("overflow");
    emulate(6);
    set(0, 1);
    if (!sigsetjmp(back, 1))
        fault();
    show("own stack");

    /* A signal that is blocked stays pending, and is delivered when it is unblocked. */
    sigset_t old, pending;
    set(0, 0);
    caught = 0;
    block();
    emulate(7);
    raise(SIGSEGV);
    show("blocked");
    sigpending(&pending);
    sigprocmask(SIG_SETMASK, &(sigset_t){0}, &old);
    printf("blocked before: %d, pending: %d\n", sigismember(&old, SIGSEGV), sigismember(&pending, SIGSEGV));
    show("unblocked");

    /* Handlers that run inside functions that set a full mask. */
    void on_alarm(int number) { emulate(number); caught++; }
    struct sigaction action = {.sa_handler = on_alarm};
    sigfillset(&action.sa_mask);
    sigaction(SIGALRM, &action, 0);
    sigset_t only;
    sigfillset(&only);
    sigdelset(&only, SIGALRM);
    sigset_t alarm_only;
    sigemptyset(&alarm_only);
    sigaddset(&alarm_only, SIGALRM);
    sigprocmask(SIG_BLOCK, &alarm_only, 0);
    struct timespec limit_time = {5, 0};
    ualarm(2000, 0);
    printf("sigsuspend %d %d\n", sigsuspend(&only), errno == EINTR);
    ualarm(2000, 0);
    printf("ppoll %d %d\n", ppoll(0, 0, &limit_time, &only), errno == EINTR);
    ualarm(2000, 0);
    printf("pselect %d %d\n", pselect(0, 0, 0, 0, &limit_time, &only), errno == EINTR);
    struct epoll_event event;
    int epoll = epoll_create1(0);
    ualarm(2000, 0);
    printf("epoll_pwait %d %d\n", epoll_pwait(epoll, &event, 1, 5000, &only), errno == EINTR);
    show("alarms");
    pthread_sigmask(SIG_SETMASK, &only, &old);
    emulate(8);
    void *in_thread(void *word)
    {
        sigset_t mine;
        pthread_sigmask(SIG_SETMASK, 0, &mine);
        emulate(9);
        return (void *)(long)sigismember(&mine, SIGSEGV);
    }
    pthread_t thread;
    void *inherited;
    pthread_create(&thread, 0, in_thread, 0);
    pthread_join(thread, &inherited);
    printf("a thread inherits the mask: %ld\n", (long)inherited);
    unsigned long raw = ~0ul;
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &raw, 0, 8);
    emulate(10);
    raw = 0;
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &raw, 0, 8);

    in_child("default", fault_default);
    in_child("ignored", fault_ignored);
    in_child("sent", sent);
    in_child("blocked", fault_blocked);
    in_child("in the handler", fault_in_handler);
    signal(SIGSEGV, SIG_DFL);
    in_child("data", jump_to_data);
    in_child("nowhere", jump_nowhere);
    in_child("reset", reset_by_flag);
    struct sigaction query;
    void on_stack(int number) { query.sa_flags = number; }
    signal(SIGSEGV, on_stack);
    sigaction(SIGSEGV, 0, &query);
    printf("read back: %d\n", query.sa_handler == on_stack);
    printf("blocked: %d\n", sigismember(&query.sa_mask, SIGSEGV));
    printf("replaced: %d\n", signal(SIGSEGV, SIG_DFL) == on_stack);
    sigaction(SIGSEGV, 0, &query);
    printf("default again: %d\n", query.sa_handler == SIG_DFL);
    fflush(stdout);
    raise(SIGSEGV);
}
