/* The cost of the locked instruction that claims a slot. The program makes and frees one fixed slot, alternately with
   and without the prefix `lock`. x86-64 only.

   Without the prefix, the exchange is atomic only with respect to signal handlers that run on the same thread. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 401, PAIRS = 4096 };

static struct {
    void *volatile chain, *volatile entry;
    uint32_t state;
} slot __attribute__((aligned(64)));

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e9 + time.tv_nsec;
}

#define EXCHANGE(prefix, from, to, done)                                                                                       \
    __asm__ volatile(prefix "cmpxchgl %3, %1" : "=@cce"(done), "+m"(slot.state), "+a"(from) : "r"(to) : "memory")

/* Defines a function that measures the exchange when a slot is made, and the stores when it is made and freed. */
#define MEASURE(name, prefix)                                                                                                  \
    static __attribute__((noinline)) double name(void)                                                                         \
    {                                                                                                                          \
        double start = now();                                                                                                  \
        for (int i = 0; i < PAIRS; i++) {                                                                                      \
            uint32_t dead = *(volatile uint32_t *)&slot.state, live = dead | 1;                                              \
            int done;                                                                                                          \
            EXCHANGE(prefix, dead, live, done);                                                                               \
            if (!done)                                                                                                         \
                abort();                                                                                                       \
            slot.chain = &slot;                                                                                                \
            slot.entry = (void *)slot.entry;                                                                                   \
            slot.entry = 0;                                                                                                    \
            slot.chain = 0;                                                                                                    \
            *(volatile uint32_t *)&slot.state = (live + 4) & ~3u;                                                              \
        }                                                                                                                      \
        return (now() - start) / PAIRS;                                                                                        \
    }

MEASURE(locked, "lock ")
MEASURE(plain, "")

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(void)
{
    static double times[2][ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        times[0][round] = locked();
        times[1][round] = plain();
    }
    for (int kind = 0; kind < 2; kind++)
        qsort(times[kind], ROUNDS, sizeof *times[kind], by_value);
    printf("claim and free one fixed slot, ns (shortest, median): with lock %.2f, %.2f; without %.2f, %.2f\n", times[0][0],
           times[0][ROUNDS / 2], times[1][0], times[1][ROUNDS / 2]);
}
