/* Tests nested functions whose hosts end out of order: fibers, jumps, and threads that end early.
   Compiled with -ftrampoline-impl=heap and linked with the library. `hosts COUNT` makes COUNT
   jumps. */

#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>
#include <unistd.h>

size_t statictramp_live(void), statictramp_capacity(void);

#define CHECK(condition) \
    ((condition) ? (void)0 : (fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition), exit(1)))

typedef long (*function)(long);

static __attribute__((noinline)) long apply(function f, long x)
{
    __asm__ volatile("" : "+r"(f));
    return f(x);
}

/* Hosts that GCC inlines into each other, with several nested functions each. */
static inline long inner(long y)
{
    long one(long x) { return x + y; }
    long two(long x) { return x * y; }
    return apply(one, 1) + apply(two, 2);
}

static __attribute__((noinline)) long outer(long y)
{
    long three(long x) { return x - y; }
    long before = apply(three, 10);
    long middle = inner(y) + inner(y + 1);
    return before + middle + apply(three, 20);
}

/* Recursion, and a host that moves its stack pointer before it ends. */
static __attribute__((noinline)) long deep(long depth)
{
    long mine(long x) { return x + depth; }
    volatile char *room = __builtin_alloca((size_t)(depth % 7 + 1) * 40);
    room[0] = 1;
    long below = depth > 0 ? deep(depth - 1) : 0;
    return below + apply(mine, room[0]);
}

/* A host that its nested function abandons with longjmp, and one that is abandoned with a non-local goto. */
static jmp_buf out;

static __attribute__((noinline)) void jumped_out_of(long y)
{
    long jump(long x)
    {
        if (x + y > 0)
            longjmp(out, 1);
        return 0;
    }
    apply(jump, 1);
}

static __attribute__((noinline)) long goes_out(long y)
{
    __label__ done;
    long result = 0;
    long leave(long x)
    {
        result = x + y;
        goto done;
    }
    long through(long x)
    {
        long again(long z) { return apply(leave, z); }
        return apply(again, x);
    }
    apply(through, 5);
    return -1;
done:
    return result;
}

/* Fibers: each is a host that is suspended while others create and delete trampolines. */
enum { FIBERS = 8 };
static ucontext_t scheduler, fibers[FIBERS];

static void fiber(int number)
{
    for (int round = 0; round < 50; round++) {
        long mine(long x) { return x + number * 1000 + round; }
        function f = mine;
        CHECK(apply(f, 1) == 1 + number * 1000 + round);
        swapcontext(&fibers[number], &scheduler);
        CHECK(apply(f, 2) == 2 + number * 1000 + round);
        CHECK(outer(number) == outer(number));
        if (round % 3 == number % 3)
            swapcontext(&fibers[number], &scheduler);
        CHECK(apply(f, 3) == 3 + number * 1000 + round);
    }
}

static void fiber_start(int number)
{
    fiber(number);
    for (;;)
        swapcontext(&fibers[number], &scheduler);
}

static void run_fibers(void)
{
    char *stacks[FIBERS];
    for (int i = 0; i < FIBERS; i++) {
        stacks[i] = malloc(65536);
        getcontext(&fibers[i]);
        fibers[i].uc_stack.ss_sp = stacks[i];
        fibers[i].uc_stack.ss_size = 65536;
        makecontext(&fibers[i], (void (*)(void))fiber_start, 1, i);
    }
    unsigned random = 1;
    for (int step = 0; step < 4000; step++) {
        random = random * 1103515245 + 12345;
        long between(long x) { return x + step; }
        CHECK(apply(between, 1) == 1 + step);
        swapcontext(&scheduler, &fibers[(random >> 16) % FIBERS]);
        CHECK(apply(between, 2) == 2 + step);
    }
    for (int i = 0; i < FIBERS; i++)
        free(stacks[i]);
}

static void *ends_early(void *unused)
{
    (void)unused;
    long y = 5;
    long leave(long x)
    {
        if (x == y)
            pthread_exit(NULL);
        return 0;
    }
    apply(leave, 5);
    return NULL;
}

int main(int argc, char **argv)
{
    volatile long count = argc > 1 ? atol(argv[1]) : 100000;
    size_t capacity = statictramp_capacity(), live = statictramp_live();
    for (int i = 0; i < 1000; i++)
        CHECK(outer(3) == 7 - 0 + (1 + 3 + 2 * 3) + (1 + 4 + 2 * 4) + 17);
    CHECK(deep(2000) == 2000L * 2001 / 2 + 2001);
    CHECK(statictramp_live() == live);

    for (volatile long i = 0; i < count; i++)
        if (setjmp(out) == 0)
            jumped_out_of(i);
    CHECK(outer(3) == 47);
    for (long i = 0; i < count; i++)
        CHECK(goes_out(i) == 5 + i);
    CHECK(statictramp_live() <= live + 8);

    run_fibers();
    CHECK(statictramp_live() <= live + 8);
    for (int i = 0; i < 3000; i++) {
        pthread_t thread;
        CHECK(pthread_create(&thread, NULL, ends_early, NULL) == 0);
        pthread_join(thread, NULL);
    }
    CHECK(statictramp_live() <= live + 24);
    printf("%ld jumps, gotos, fibers, threads that end early: %zu live, capacity %zu -> %zu\n", count,
           statictramp_live(), capacity, statictramp_capacity());
    return 0;
}
