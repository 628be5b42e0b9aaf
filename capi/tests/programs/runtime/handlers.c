/* Tests signal handlers that create trampolines on every kind of stack, with any flags, while the table is full,
   and in the middle of malloc. No handler allocates, and no handler frees trampolines of the interrupted code. The
   program may be linked statically or dynamically. malloc is this program's own. */

#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdalign.h>
#include <stdatomic.h>

#include "runtime.h"

#ifndef SS_AUTODISARM
#define SS_AUTODISARM (1U << 31)
#endif

static _Thread_local volatile sig_atomic_t handling, in_malloc, raise_in_malloc;
static volatile sig_atomic_t handled;

/* Memory comes from a heap that only grows. Handlers must not request memory. */
static alignas(64) char heap[1 << 24];
static atomic_size_t used;

static void *take(size_t size)
{
    if (handling || in_malloc) {
        static const char text[] = "a signal handler has called malloc\n";
        (void)!write(2, text, sizeof text - 1);
        _exit(3);
    }
    in_malloc = 1;
    if (raise_in_malloc) {
        raise_in_malloc = 0;
        raise(SIGUSR1);
    }
    size_t at = atomic_fetch_add(&used, (size + 79) & ~(size_t)63) + 64;
    CHECK(at + size <= sizeof heap);
    memcpy(heap + at - sizeof size, &size, sizeof size);
    in_malloc = 0;
    return heap + at;
}

void free(void *memory) { CHECK(!handling || !memory); }
#include "heap.h"

enum { UNBLOCK = 1 };
static int what;
static void *interrupted_handle;

__attribute__((noinline)) static void make_two(void)
{
    volatile long variable = 5, other = 6;
    void *first = init((void *)the_long, (void *)&variable);
    expect_all_alive();
    void *second = init((void *)the_long, (void *)&other);
    CHECK(call(first) == 5 && call(second) == 6 && call(interrupted_handle) == 42);
    _FortranATrampolineFree(second);
    _FortranATrampolineFree(first);
}

static void handler(int signal)
{
    if (what & UNBLOCK) {
        sigset_t set;
        sigemptyset(&set);
        sigaddset(&set, signal);
        pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    }
    handling = 1;
    make_two();
    handling = 0;
    handled++;
}

/* A host whose frame is further down than an alternate stack in a frame of main. */
__attribute__((noinline)) static void interrupted(int in_the_middle_of_malloc)
{
    volatile long variable = 42;
    void *handle = init((void *)the_long, (void *)&variable);
    interrupted_handle = handle;
    int before = handled;
    if (in_the_middle_of_malloc) {
        raise_in_malloc = 1;
        void *volatile memory = malloc(100);
        free(memory);
    } else
        raise(SIGUSR1);
    CHECK(handled == before + 1 && call(handle) == 42);
    _FortranATrampolineFree(handle);
}

struct turn {
    int flags, what, on; /* on: no alternate stack, one in a frame, one elsewhere */
    unsigned alternate_flags;
};

static void *take_turn(void *pointer)
{
    const struct turn *turn = pointer;
    alignas(64) char in_a_frame[64 * 1024];
    static alignas(64) char elsewhere[64 * 1024];
    what = turn->what;
    if (turn->on) {
        stack_t stack = {.ss_sp = turn->on == 1 ? in_a_frame : elsewhere, .ss_size = sizeof elsewhere, .ss_flags = (int)turn->alternate_flags};
        CHECK(sigaltstack(&stack, NULL) == 0);
    }
    CHECK(sigaction(SIGUSR1, &(struct sigaction){.sa_handler = handler, .sa_flags = turn->flags}, NULL) == 0);
    interrupted(0);
    CHECK(sigaction(SIGUSR1, &(struct sigaction){.sa_handler = handler, .sa_flags = turn->flags}, NULL) == 0);
    interrupted(1);
    if (turn->on)
        CHECK(sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, NULL) == 0);
    CHECK(in_a_frame != NULL);
    return NULL;
}

int main(void)
{
    statictramp_set_limit(statictramp_capacity());
    static const int flags[] = {0, SA_ONSTACK, SA_ONSTACK | SA_NODEFER, SA_ONSTACK | SA_NODEFER | SA_RESETHAND};
    int turns = 0;
    for (int flag = 0; flag < 4; flag++)
        for (int unblock = 0; unblock < 2; unblock++)
            for (int on = 0; on < 3; on++)
                for (int disarms = 0; disarms < 2; disarms++)
                    for (int in_a_thread = 0; in_a_thread < 2; in_a_thread++) {
                        /* A self-disarming alternate stack in a frame of the thread's own stack acts like a fiber's
                           there, unless the handler blocks its signal: the only case that docs/platforms.md
                           excludes. */
                        if (disarms && on == 1 && (flags[flag] & SA_NODEFER || unblock))
                            continue;
                        struct turn turn = {flags[flag], unblock, on, disarms ? SS_AUTODISARM : 0};
                        if (in_a_thread) {
                            pthread_t thread;
                            CHECK(pthread_create(&thread, NULL, take_turn, &turn) == 0);
                            pthread_join(thread, NULL);
                        } else
                            take_turn(&turn);
                        turns++;
                    }
    /* Abandoned slots are reclaimed, even if the alternate stack is in a frame. */
    char in_a_frame[32 * 1024];
    CHECK(sigaltstack(&(stack_t){.ss_sp = in_a_frame, .ss_size = sizeof in_a_frame}, NULL) == 0);
    expect_left_to_come_back();
    printf("handlers.c: ok, %d turns\n", turns);
    return 0;
}
