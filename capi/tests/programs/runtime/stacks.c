/* Hosts are alive on stacks of every kind while the table is full. Whatever the limits and the layout of the
   process are, no live host is mistaken for an abandoned one, and abandoned hosts on the thread's own stack are
   recognised. `stacks [thread | blocked]`: in another thread, or with a signal blocked. The last argument is
   `nothing-comes-back` if the location of the stack cannot be determined. */

#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>

#include "runtime.h"

enum { SIZE = 100 * 1024, OF_A_THREAD = 2 << 20 }; /* ThreadSanitizer needs this much for a thread */
static int comes_back = 1;
static size_t deepest;
static ucontext_t owner, fiber;

static void on_fiber(void)
{
    volatile long variable = 99;
    void *handle = init((void *)the_long, (void *)&variable);
    for (;;) {
        swapcontext(&fiber, &owner);
        CHECK(call(handle) == 99);
        expect_all_alive(); /* including this one */
        CHECK(call(handle) == 99);
    }
}

__attribute__((noinline)) static void with_fiber_on(void *stack)
{
    volatile long variable = 1;
    void *mine = init((void *)the_long, (void *)&variable);
    CHECK(stack && stack != MAP_FAILED);
    getcontext(&fiber);
    fiber.uc_stack.ss_sp = stack;
    fiber.uc_stack.ss_size = SIZE;
    makecontext(&fiber, on_fiber, 0);
    size_t before = statictramp_live();
    swapcontext(&owner, &fiber);
    for (int i = 0; i < 3; i++) {
        CHECK(statictramp_live() == before + 1);
        if (comes_back)
            expect_left_to_come_back();
        expect_all_alive();
        swapcontext(&owner, &fiber);
        CHECK(call(mine) == 1);
    }
    /* The fiber never runs again; its slots stay. */
    _FortranATrampolineFree(mine);
}

static pthread_barrier_t together;

static void *other(void *unused)
{
    (void)unused;
    volatile long variable = 77;
    void *handle = init((void *)the_long, (void *)&variable);
    pthread_barrier_wait(&together);
    pthread_barrier_wait(&together);
    CHECK(call(handle) == 77);
    _FortranATrampolineFree(handle);
    return NULL;
}

static void with_threads(void *stack)
{
    pthread_t threads[3];
    pthread_attr_t attributes;
    pthread_barrier_init(&together, NULL, 4);
    for (int i = 0; i < 3; i++) {
        CHECK(pthread_attr_init(&attributes) == 0);
        if (i == 1)
            CHECK(pthread_attr_setguardsize(&attributes, 0) == 0);
        if (i == 2)
            CHECK(pthread_attr_setstack(&attributes, stack, OF_A_THREAD) == 0);
        CHECK(pthread_create(&threads[i], &attributes, other, NULL) == 0);
    }
    pthread_barrier_wait(&together);
    if (comes_back)
        expect_left_to_come_back();
    expect_all_alive();
    pthread_barrier_wait(&together);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
}

static void *all(void *unused)
{
    static char statically[SIZE] __attribute__((aligned(64)));
    int rights = PROT_READ | PROT_WRITE, how = MAP_PRIVATE | MAP_ANONYMOUS;
    (void)unused;
    if (comes_back) /* before the other stacks exist */
        for (size_t depth = 8192; depth <= deepest; depth *= 4) /* the first thread's stack grows */
            expect_left_to_come_back_from(depth);
    with_threads(mmap(NULL, OF_A_THREAD, rights, how, -1, 0));
    for (int i = 0; i < 8; i++)
        with_fiber_on(malloc(SIZE)); /* in the heap, which grows */
    with_fiber_on(malloc(100 * SIZE)); /* in a separate mapping */
    with_fiber_on(mmap(NULL, SIZE, rights, how, -1, 0)); /* next to the last mapping */
    with_fiber_on(mmap(NULL, SIZE, rights, how | MAP_STACK | MAP_NORESERVE, -1, 0));
    with_fiber_on(mmap(NULL, SIZE, rights, how | MAP_GROWSDOWN, -1, 0));
    with_fiber_on(statically);
    return NULL;
}

int main(int argc, char **argv)
{
    struct rlimit limit;
    CHECK(getrlimit(RLIMIT_STACK, &limit) == 0);
    deepest = limit.rlim_cur < 8 << 20 ? limit.rlim_cur / 4 : 4 << 20;
    const char *where = argc > 1 ? argv[1] : "";
    statictramp_set_limit(statictramp_capacity());
    comes_back = strcmp(argv[argc - 1], "nothing-comes-back") != 0;
    if (strcmp(where, "blocked") == 0) {
        sigset_t set;
        sigemptyset(&set);
        sigaddset(&set, SIGUSR1);
        pthread_sigmask(SIG_BLOCK, &set, NULL);
    }
    if (strcmp(where, "thread") == 0) {
        pthread_t thread;
        deepest = 1 << 20;
        pthread_attr_t attributes;
        CHECK(pthread_attr_init(&attributes) == 0 && pthread_attr_setstacksize(&attributes, 2 << 20) == 0);
        CHECK(pthread_create(&thread, &attributes, all, NULL) == 0);
        pthread_join(thread, NULL);
    } else
        all(NULL);
    puts("stacks.c: ok");
    return 0;
}
