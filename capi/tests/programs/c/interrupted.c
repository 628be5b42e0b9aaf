/* Frees a slot of a full table, and abandons the free after each of its instructions in turn: a signal handler leaves it by
   siglongjmp, or another thread forks, so that the child does not contain the freeing thread. If the slot is then dead, another
   callee gets it after a limited number of attempts. */

#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "../../../../tests/common/check.h"
#include "statictramp.h"

enum { SLOTS = 2048, ATTEMPTS = 10000, TRAP_FLAG = 0x100, ENDED = 9 };

static statictramp_fn all[SLOTS + 1], freed;
static volatile long stop_at, instructions;
static atomic_bool stopped;
static int forks;
static sigjmp_buf out;

static void first(void) {}
static void second(void) {}

static void on_trap(int signal, siginfo_t *info, void *context)
{
    (void)signal, (void)info;
    if (++instructions != stop_at)
        return;
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
    if (!forks)
        siglongjmp(out, 1);
    stopped = 1;
    for (;;)
        pause();
}

static void free_in_steps(void)
{
    __asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq" ::: "memory", "cc");
    statictramp_free(freed);
    __asm__ volatile("pushfq; andq $~0x100, (%%rsp); popfq" ::: "memory", "cc");
    _exit(ENDED);
}

static void *in_thread(void *unused)
{
    free_in_steps();
    return unused;
}

/* 0: the slot is live, or another callee gets it. 1: neither is the case, because the free was abandoned between two of its
   instructions, so the slot is lost. */
static int after(void)
{
    if (statictramp_lookup(freed, NULL, NULL) == 1 || statictramp_live() == SLOTS)
        return 0;
    for (int i = 0; i < ATTEMPTS; i++)
        if (statictramp_alloc(FN(second), NULL))
            return 0;
    return 1;
}

static int child(void)
{
    int status;
    pthread_t thread;
    if (!forks) {
        if (!sigsetjmp(out, 1))
            free_in_steps();
        return after();
    }
    CHECK(pthread_create(&thread, NULL, in_thread, NULL) == 0);
    while (!stopped)
        usleep(20);
    pid_t grandchild = fork();
    if (grandchild == 0)
        _exit(after());
    CHECK(waitpid(grandchild, &status, 0) == grandchild && WIFEXITED(status));
    return WEXITSTATUS(status);
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO};
    sigaction(SIGTRAP, &action, NULL);
    statictramp_set_limit(SLOTS);
    int made = 0;
    while ((all[made] = statictramp_alloc(FN(first), NULL)))
        made++;
    CHECK(made == SLOTS);
    /* The free that follows takes the fast path: in the static table, then in a slot that growth has added. */
    for (int slot = 10; slot < SLOTS; slot += 1490) {
        freed = all[slot];
        for (int i = 0; i < 2; i++) {
            CHECK(statictramp_free(freed) == 0);
            CHECK((freed = statictramp_alloc(FN(first), NULL)));
        }
        CHECK(!statictramp_alloc(FN(first), NULL));
        for (forks = 0; forks < 2; forks++) {
            int status = 0;
            for (stop_at = 1; status != ENDED; stop_at++) {
                pid_t pid = fork();
                if (pid == 0)
                    _exit(child());
                CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
                status = WEXITSTATUS(status);
                CHECK(status == 0 || status == ENDED);
            }
            CHECK(stop_at > 50);
            printf("slot %d, %s: %ld instructions\n", slot, forks ? "fork" : "siglongjmp", stop_at - 2);
        }
    }
    return 0;
}
