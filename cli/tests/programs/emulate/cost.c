/* The cost of a call under emulation: a callback of qsort that is a trampoline on the stack, compared with a plain one, and a
 * jump to the stack, compared with `raise` and an empty handler. The result is the lowest of several interleaved
 * measurements. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 1000, CALLS = 20, ELEMENTS = 256 };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e9 + time.tv_nsec;
}

static long compared;
static int plain(const void *a, const void *b) { compared++; return *(int *)a - *(int *)b; }
static void empty(int number) {}
__attribute__((noipa)) static int apply(int (*f)(int), int x) { return f(x); }

static double sort(int (*compare)(const void *, const void *))
{
    static int v[ELEMENTS];
    for (int i = 0; i < ELEMENTS; i++)
        v[i] = i * 7919L % 10007;
    compared = 0;
    double before = now();
    qsort(v, ELEMENTS, sizeof *v, compare);
    return (now() - before) / compared;
}

int main(void)
{
    double least[4] = {1e9, 1e9, 1e9, 1e9};
    int y = 0;
    int nested(int x) { return x + y; }
    int compare(const void *a, const void *b) { compared++; return *(int *)a - *(int *)b + y; }
    signal(SIGUSR1, empty);
    for (int round = 0; round < ROUNDS; round++) {
        double took[4], before = now();
        for (int i = 0; i < CALLS; i++)
            raise(SIGUSR1);
        took[0] = (now() - before) / CALLS;
        before = now();
        for (int i = 0; i < CALLS; i++)
            apply(nested, i);
        took[1] = (now() - before) / CALLS;
        took[2] = sort(plain);
        took[3] = sort(compare);
        for (int i = 0; i < 4; i++)
            if (took[i] < least[i])
                least[i] = took[i];
    }
    printf("a jump to the stack %.0f ns, %.2f times raise with an empty handler (%.0f ns)\n", least[1], least[1] / least[0], least[0]);
    printf("a comparison by a callback on the stack %.1f ns, by a plain one %.1f ns\n", least[3], least[2]);
    return (least[1] > 1.3 * least[0]) + 2 * (least[3] > least[2] + 30);
}
