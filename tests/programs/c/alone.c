/* Threads one after the other lose no slot, and of 64 that are alive each pays alone what the first does.
   `alone COUNT`: so many one after the other. */

#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

#include "check.h"
#include "statictramp.h"

#define ALIVE 64

static statictramp_fn make(uintptr_t chain)
{
    statictramp_fn f = statictramp_alloc((statictramp_fn)the_long, (void *)chain);
    CHECK(f != NULL);
    return f;
}

/* Some free in order, some against it, some leave one to the thread that waits for them. */
static void *short_life(void *argument)
{
    uintptr_t number = (uintptr_t)argument;
    statictramp_fn held[3];
    for (size_t i = 0; i < 3; i++)
        held[i] = make(number + i);
    for (size_t i = 0; i < 2; i++)
        CHECK(statictramp_free(held[number % 2 ? i : 1 - i]) == 0);
    if (number % 3 == 0)
        return (void *)held[2];
    CHECK(statictramp_free(held[2]) == 0);
    return NULL;
}

static void one_after_the_other(long count)
{
    size_t capacity = statictramp_capacity();
    for (long i = 0; i < count; i++) {
        pthread_t thread;
        void *left;
        CHECK(pthread_create(&thread, NULL, short_life, (void *)i) == 0);
        CHECK(pthread_join(thread, &left) == 0);
        if (left)
            CHECK(statictramp_free((statictramp_fn)left) == 0);
    }
    CHECK(statictramp_live() == 0);
    CHECK(statictramp_capacity() == capacity);
    statictramp_set_limit(capacity);
    statictramp_fn *all = malloc(capacity * sizeof *all);
    for (size_t i = 0; i < capacity; i++)
        all[i] = make(i);
    CHECK(statictramp_alloc((statictramp_fn)the_long, NULL) == NULL);
    for (size_t i = 0; i < capacity; i++)
        CHECK(statictramp_free(all[i]) == 0);
    free(all);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* The shortest of many short times, which nobody has interrupted. */
static double shortest(void)
{
    double least = 1e9;
    for (int round = 0; round < 2000; round++) {
        double start = now();
        for (int i = 0; i < 64; i++)
            statictramp_free(make(1));
        double took = now() - start;
        least = took < least ? took : least;
    }
    return least / 64;
}

static atomic_int turn;
static double of_thread[ALIVE];
static pthread_barrier_t all_there;

static void *take_turns(void *number)
{
    statictramp_free(make(1));
    pthread_barrier_wait(&all_there);
    while (atomic_load(&turn) != (int)(intptr_t)number)
        nanosleep(&(struct timespec){0, 100000}, NULL);
    of_thread[(intptr_t)number] = shortest();
    atomic_fetch_add(&turn, 1);
    pthread_barrier_wait(&all_there);
    return NULL;
}

/* How much longer than the first thread the slowest takes. */
static double slowest_by_first(void)
{
    pthread_t all[ALIVE];
    atomic_store(&turn, 0);
    for (intptr_t i = 0; i < ALIVE; i++)
        CHECK(pthread_create(&all[i], NULL, take_turns, (void *)i) == 0);
    double most = 0;
    for (size_t i = 0; i < ALIVE; i++)
        pthread_join(all[i], NULL);
    for (size_t i = 0; i < ALIVE; i++)
        most = of_thread[i] > most ? of_thread[i] : most;
    printf("%d threads alive, each alone: the first %.1f ns, the slowest %.1f ns\n", ALIVE, of_thread[0], most);
    return most / of_thread[0];
}

int main(int argc, char **argv)
{
    CHECK(argc == 2);
    one_after_the_other(atol(argv[1]));
    printf("%s threads one after the other: no slot lost\n", argv[1]);
    pthread_barrier_init(&all_there, NULL, ALIVE);
    /* A machine that changes its pace meanwhile is tried again. */
    int tries = 1;
    while (slowest_by_first() > 1.2)
        CHECK(tries++ < 5);
    puts("alone.c: ok");
    return 0;
}
