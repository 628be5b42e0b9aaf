/* A host that creates, calls once and frees a trampoline: `host CASE COUNT` prints the nanoseconds that COUNT calls to the host
   took. There is only one case, which may have any name. */

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
    long count = argc == 3 ? atol(argv[2]) : 1, sum = 0;
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (long i = 0; i < count; i++)
        sum += host(i);
    clock_gettime(CLOCK_MONOTONIC, &end);
    printf("%.0f\n", (double)(end.tv_sec - start.tv_sec) * 1e9 + (double)(end.tv_nsec - start.tv_nsec));
    return sum == 42;
}
