/* 64 threads that call through trampolines on their own stacks and on one another's. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 64, ROUNDS = 300 };
static int (*shared)(int);
static long sums[THREADS];

__attribute__((noipa)) static int apply(int (*f)(int), int x) { return f(x); }

static void *work(void *word)
{
    long own = (long)word, sum = 0;
    int nested(int x) { return x + own; }
    int compare(const void *a, const void *b) { sum++; return *(int *)a - *(int *)b; }
    for (int i = 0; i < ROUNDS; i++) {
        int v[4] = {3, 1, (int)own, i};
        sum += apply(nested, i) + apply(shared, i);
        qsort(v, 4, sizeof *v, compare);
        sum += v[0];
    }
    sums[own] = sum;
    return 0;
}

int main(void)
{
    int base = 1000;
    int from_main(int x) { return x * 2 + base; }
    shared = from_main;
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], 0, work, (void *)i);
    long sum = 0;
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], 0);
        sum = sum * 31 + sums[i];
    }
    printf("%ld\n", sum);
    return sum & 63;
}
