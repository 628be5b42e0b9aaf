/* A host that makes, calls once and frees a trampoline: the time of one, in nanoseconds, least of 5 rounds. */

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

__attribute__((noinline)) static long apply(long (*f)(long), long x)
{
    __asm__ volatile("" : "+r"(f));
    return f(x);
}

__attribute__((noinline)) static long host(long seed)
{
    long nested(long x) { return x + seed; }
    return apply(nested, 1);
}

int main(int argc, char **argv)
{
    long count = argc > 1 ? atol(argv[1]) : 2000000, sum = 0;
    double least = 1e9;
    for (int round = 0; round < 5; round++) {
        struct timespec start, end;
        clock_gettime(CLOCK_MONOTONIC, &start);
        for (long i = 0; i < count; i++)
            sum += host(i);
        clock_gettime(CLOCK_MONOTONIC, &end);
        double ns = ((double)(end.tv_sec - start.tv_sec) * 1e9 + (double)(end.tv_nsec - start.tv_nsec)) / (double)count;
        least = ns < least ? ns : least;
    }
    printf("%.2f\n", least);
    return sum == 42;
}
