/* Hosts of nested functions that are left by longjmp a million times, from depths of 1 to 31, while 300 trampolines are
   others': what a jump costs does not depend on how many were left. Compiled with -ftrampoline-impl=heap.
   `jumps COUNT [thread]`. */

#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <time.h>

#include "check.h"
#include "statictramp.h"

static _Thread_local jmp_buf out;

__attribute__((noinline)) static long apply(long (*f)(long), long x)
{
    __asm__ volatile("" : "+r"(f));
    return f(x);
}

__attribute__((noinline)) static long jumps_out(long depth)
{
    volatile char room[64];
    room[0] = (char)depth;
    if (depth > 0)
        return jumps_out(depth - 1) + room[0];
    long jump(long x)
    {
        if (x >= depth)
            longjmp(out, 1);
        return 0;
    }
    return apply(jump, 1);
}

__attribute__((noinline)) static double seconds_for(long count)
{
    struct timespec start, end;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
    for (volatile long i = 0; i < count; i++)
        if (setjmp(out) == 0)
            jumps_out(1 + i * 7 % 31);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
    return (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) * 1e-9;
}

static void *run(void *count)
{
    long jumps = (long)(intptr_t)count;
    size_t before = statictramp_live();
    double warm = seconds_for(1000), few = seconds_for(jumps / 10), many = seconds_for(jumps);
    printf("%ld jumps in %.3f s, ten times as many in %.3f s; %zu were left\n", jumps / 10, few, many,
           statictramp_live() - before);
    CHECK(warm >= 0 && many < 40 * few + 0.2);
    CHECK(statictramp_live() - before <= 64);
    return NULL;
}

static void nothing(int signal) { (void)signal; }

int main(int argc, char **argv)
{
    void *count = (void *)(intptr_t)(argc > 1 ? atol(argv[1]) : 100000);
    for (int i = 0; i < 300; i++)
        CHECK(statictramp_alloc(FN(the_chain), NULL));
    statictramp_set_limit(statictramp_capacity());
    if (argc > 2) {
        pthread_t thread;
        if (argc > 3) /* a thread's stack is not asked for where there are handlers */
            signal(SIGUSR1, nothing);
        CHECK(pthread_create(&thread, NULL, run, count) == 0);
        pthread_join(thread, NULL);
    } else
        run(count);
    return 0;
}
