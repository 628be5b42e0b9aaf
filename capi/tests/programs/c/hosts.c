/* Tests hosts that are abandoned without freeing. Their slots, and no others, are reclaimed when no slot is free.
   `hosts COUNT` makes COUNT jumps. The table may grow only in those tests that state this. */

#define _GNU_SOURCE
#include <alloca.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include "../../../../tests/common/check.h"
#include "statictramp.h"

void *_FortranATrampolineInit(void *scratch, const void *callee, const void *chain);
void *_FortranATrampolineAdjust(void *handle);
void _FortranATrampolineFree(void *handle);

static void *init(const void *callee, const void *chain) { return _FortranATrampolineInit(NULL, callee, chain); }
static long call(void *handle) { return ((long (*)(void))_FortranATrampolineAdjust(handle))(); }

static jmp_buf out;
static long jumps;
static size_t capacity;

/* A host as compilers generate it: its variable is the chain. It never reaches its end. */
__attribute__((noinline)) static void host_that_jumps(long value, int depth)
{
    volatile long variable = value;
    if (depth > 0) {
        host_that_jumps(value, depth - 1);
        return;
    }
    void *handle = init((void *)the_long, (void *)&variable);
    CHECK(call(handle) == value);
    longjmp(out, 1);
}

/* The frames of one loop are all at the same address, at three addresses, or at many addresses. */
__attribute__((noinline)) static void jump_often(int depth_of(long))
{
    size_t before = statictramp_capacity();
    for (volatile long i = 0; i < jumps; i++)
        if (setjmp(out) == 0)
            host_that_jumps(i, depth_of(i));
    CHECK(statictramp_capacity() == before);
}

static int same_depth(long i) { (void)i; return 0; }
static int three_depths(long i) { return (int)(i % 3); }
static int many_depths(long i) { return (int)(i * 7 % 50); }

/* A host with an array of varying size. The trampoline is created after the array. Some of these hosts reach their end. */
__attribute__((noinline)) static void host_with_room(long value)
{
    volatile long variable = value;
    volatile char *room = alloca(64 * (size_t)(1 + value % 3));
    room[0] = 1;
    void *handle = init((void *)the_long, (void *)&variable);
    CHECK(call(handle) == value);
    if (value % 3 > 0)
        longjmp(out, 1);
    _FortranATrampolineFree(handle);
}

static void test_frames_that_grow(void)
{
    for (volatile long i = 0; i < jumps; i++)
        if (setjmp(out) == 0)
            host_with_room(i);
}

/* The program's own trampolines are never reclaimed, wherever their chains point. */
static void test_own_stay(void)
{
    long below;
    volatile uintptr_t address = (uintptr_t)&below - 20000; /* no frame is there now */
    while (init((void *)the_long, (void *)(address -= 64)) && statictramp_live() < capacity)
        ; /* like the frame of an abandoned host */
    statictramp_fn own = statictramp_alloc(FN(the_chain), (void *)address);
    CHECK(own && statictramp_live() < capacity);
    statictramp_fn bound = statictramp_bind(FN(abs), (void *)(intptr_t)-5, 0);
    jump_often(same_depth);
    CHECK(((void *(*)(void))own)() == (void *)address && ((int (*)(int))bound)(0) == 5);
    CHECK(statictramp_free(own) == 0 && statictramp_free(bound) == 0);
}

/* A live host requests the same trampoline twice and frees it twice. Between the two frees, the trampoline stays valid. */
__attribute__((noinline)) static void test_equal_content(void)
{
    volatile long variable = 42;
    void *first = init((void *)the_long, (void *)&variable);
    /* Fills the table; every other slot is taken by the program's own trampolines. */
    size_t count = 0;
    statictramp_fn *all = calloc(capacity, sizeof *all);
    while ((all[count] = statictramp_alloc(FN(the_chain), NULL)))
        count++;
    void *second = init((void *)the_long, (void *)&variable);
    void *third = init((void *)the_long, (void *)&variable);
    CHECK(second == first && third == first && statictramp_live() == count + 1);
    _FortranATrampolineFree(second);
    CHECK(call(first) == 42);
    _FortranATrampolineFree(first);
    CHECK(call(third) == 42);
    _FortranATrampolineFree(third);
    CHECK(statictramp_lookup(FN(third), NULL, NULL) == 0);
    while (count > 0)
        CHECK(statictramp_free(all[--count]) == 0);
    free(all);
}

/* Threads of a region request equal content at the same time, in a table full of an abandoned host's trampolines:
   the table grows, because a thread cannot identify abandoned frames on another thread's stack. Each thread gets
   its own trampoline. */
enum { TEAM = 4 };
static pthread_barrier_t together;
static void *shared_host;

static void *member(void *unused)
{
    (void)unused;
    for (int i = 0; i < 20000; i++) {
        void *handle = init((void *)the_long, shared_host);
        CHECK(call(handle) == 7);
        if (i % 100 == 0)
            pthread_barrier_wait(&together);
        CHECK(call(handle) == 7);
        _FortranATrampolineFree(handle);
    }
    return NULL;
}

__attribute__((noinline)) static void test_team(void)
{
    volatile long variable = 7;
    pthread_t team[TEAM];
    shared_host = (void *)&variable;
    statictramp_set_limit(2 * capacity);
    pthread_barrier_init(&together, NULL, TEAM);
    for (int i = 0; i < TEAM; i++)
        CHECK(pthread_create(&team[i], NULL, member, NULL) == 0);
    for (int i = 0; i < TEAM; i++)
        pthread_join(team[i], NULL);
}

/* A host on a fiber is suspended while the thread's own stack is below or above the fiber's stack. The host's slots remain. */
static ucontext_t main_context, fiber_context;

static void fiber(void)
{
    volatile long variable = 99;
    void *handle = init((void *)the_long, (void *)&variable);
    swapcontext(&fiber_context, &main_context);
    CHECK(call(handle) == 99);
    /* The slots run out here, too. The thread's hosts keep their slots, although the hosts are not on the current stack. */
    size_t count = 0;
    statictramp_fn *all = calloc(capacity, sizeof *all);
    while ((all[count] = statictramp_alloc(FN(the_chain), NULL)))
        count++;
    volatile long other = 98;
    statictramp_set_limit(2 * capacity);
    void *grown = init((void *)the_long, (void *)&other);
    CHECK(statictramp_capacity() > capacity && call(grown) == 98 && call(handle) == 99);
    _FortranATrampolineFree(grown);
    while (count > 0)
        CHECK(statictramp_free(all[--count]) == 0);
    free(all);
    _FortranATrampolineFree(handle);
    swapcontext(&fiber_context, &main_context);
}

__attribute__((noinline)) static void test_fibers(void)
{
    char *stack = malloc(65536);
    volatile long variable = 1;
    void *mine = init((void *)the_long, (void *)&variable);
    getcontext(&fiber_context);
    fiber_context.uc_stack.ss_sp = stack;
    fiber_context.uc_stack.ss_size = 65536;
    fiber_context.uc_link = &main_context;
    makecontext(&fiber_context, fiber, 0);
    swapcontext(&main_context, &fiber_context);
    size_t live = statictramp_live();
    jump_often(same_depth);
    CHECK(call(mine) == 1);
    swapcontext(&main_context, &fiber_context);
    CHECK(call(mine) == 1 && live > 0);
    _FortranATrampolineFree(mine);
    free(stack);
}

/* Cancels threads in a host. The next thread gets the same stack. */
static void *cancelled(void *unused)
{
    (void)unused;
    volatile long variable = 3;
    CHECK(call(init((void *)the_long, (void *)&variable)) == 3);
    for (;;)
#if defined __powerpc__ && !defined __powerpc64__
        pthread_testcancel(); /* under QEMU, a thread that is cancelled in pause() aborts now and then, in any program */
#else
        pause();
#endif
}

static void test_cancelled_threads(void)
{
    long threads = jumps / 50 < 5000 ? jumps / 50 : 5000;
    for (long i = 0; i < threads; i++) {
        pthread_t thread;
        CHECK(pthread_create(&thread, NULL, cancelled, NULL) == 0);
        pthread_cancel(thread);
        pthread_join(thread, NULL);
    }
    CHECK(statictramp_capacity() == capacity);
}

/* The first trampoline of a thread is created in a signal handler, which must not query the stack's bounds. */
static volatile sig_atomic_t handled;

static void handler(int signal)
{
    (void)signal;
    volatile long variable = 5;
    void *handle = init((void *)the_long, (void *)&variable);
    CHECK(call(handle) == 5);
    _FortranATrampolineFree(handle);
    handled++;
}

static void *first_in_a_handler(void *alternate)
{
    if (alternate) {
        stack_t stack = {.ss_sp = alternate, .ss_size = 65536};
        CHECK(sigaltstack(&stack, NULL) == 0);
    }
    raise(SIGUSR1);
    if (alternate)
        CHECK(sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, NULL) == 0);
    volatile long variable = 6; /* then a normal one */
    void *handle = init((void *)the_long, (void *)&variable);
    CHECK(call(handle) == 6);
    _FortranATrampolineFree(handle);
    return NULL;
}

static void test_first_in_a_handler(void)
{
    CHECK(sigaction(SIGUSR1, &(struct sigaction){.sa_handler = handler, .sa_flags = SA_ONSTACK}, NULL) == 0);
    void *alternates[] = {NULL, malloc(65536)};
    for (int i = 0; i < 2; i++) {
        pthread_t thread;
        CHECK(pthread_create(&thread, NULL, first_in_a_handler, alternates[i]) == 0);
        pthread_join(thread, NULL);
    }
    CHECK(handled == 2);
    free(alternates[1]);
}

int main(int argc, char **argv)
{
    jumps = argc > 1 ? atol(argv[1]) : 100000;
    capacity = statictramp_capacity();
    statictramp_set_limit(capacity);
    test_equal_content();
    test_first_in_a_handler();
    jump_often(same_depth);
    printf("%ld jumps out of one host: %zu live of %zu\n", jumps, statictramp_live(), capacity);
    jump_often(three_depths);
    jump_often(many_depths);
    test_frames_that_grow();
    test_own_stay();
    test_cancelled_threads();
    test_fibers();
    test_team();
    puts("hosts.c: ok");
    return 0;
}
