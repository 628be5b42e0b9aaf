/* The slowest creations:
     `pauses mix COUNT`   COUNT creations, at least 3,000,000, of five kinds: steady, with a sweep, with reclaims, with growth, and with sweeps of a large table. Prints the median, the 99.9th percentile and the longest time for each kind and for all together
     `pauses full`        a failed creation, and a creation in the only free slot, in a table that may not grow
     `pauses growth`      the creation that makes the table grow for the first time
   Times are in nanoseconds. Creations during which the system preempted the program are counted separately. */

#include "implementations.h"
#include <sys/resource.h>

void *_FortranATrampolineInit(void *scratch, const void *callee, const void *chain);

static long interrupted, switches;

static int ascending(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static long switches_now(void)
{
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nivcsw;
}

static float *samples, *next_sample;

static void sample(double took)
{
    if (took > 5000) {
        long now = switches_now();
        if (now != switches) {
            switches = now;
            interrupted++;
            return;
        }
    }
    *next_sample++ = (float)took;
}

static void report(const char *what, float *first)
{
    size_t count = (size_t)(next_sample - first);
    qsort(first, count, sizeof *first, ascending);
    printf("%s\t%zu\t%.0f\t%.0f\t%.0f\n", what, count, first[count / 2], first[count - 1 - count / 1000], first[count - 1]);
}

static uint64_t seed = 1;
static size_t below(size_t limit)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(seed >> 33) % limit;
}

static struct made *held;

static struct made timed(size_t number)
{
    double start = now();
    struct made it = make(number);
    sample(now() - start);
    return it;
}

/* Frees a random held trampoline, and creates another one for a random one of `callees_used` callees. */
static void churn(size_t live, size_t callees_used, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t index = below(live);
        end(held[index]);
        held[index] = timed(below(callees_used));
    }
}

/* A host that is abandoned without freeing its trampolines. Their slots are reclaimed when the table is full. */
static __attribute__((noinline)) void leave(size_t depth)
{
    volatile char frame[64];
    frame[0] = (char)depth;
    if (depth > 0) {
        leave(depth - 1);
        frame[1] = 1;
        return;
    }
    double start = now();
    _FortranATrampolineInit(NULL, callee(0), (void *)frame);
    sample(now() - start);
}

static void mix(size_t count)
{
    size_t most = 1 << 20, small = 1024, one_kind = count / 5;
    held = malloc(most * sizeof *held);
    samples = next_sample = malloc((count + most) * sizeof *samples);
    switches = switches_now();
    statictramp_set_limit(small);

    float *first = next_sample;
    for (size_t i = 0; i < 500; i++)
        held[i] = make(0);
    churn(500, 1, one_kind);
    report("steady", first);

    first = next_sample;
    churn(500, 64, one_kind);
    report("64 callees: swept", first);
    for (size_t i = 0; i < 500; i++)
        end(held[i]);

    first = next_sample;
    for (size_t i = 0; i < one_kind; i++)
        leave(i * 7 % 500);
    report("hosts that are left: reclaimed", first);

    first = next_sample;
    statictramp_set_limit(most);
    size_t live = most - 2048;
    for (size_t i = 0; i < live; i++)
        held[i] = timed(0);
    report("from 1,024 to 1,048,576: grown", first);

    first = next_sample;
    churn(live, 64, 2 * one_kind - live);
    report("64 callees, 1,048,576 slots: swept", first);

    report("all", samples);
    printf("interrupted\t%ld\n", interrupted);
}

static void full(void)
{
    enum { TIMES = 1001 };
    samples = next_sample = malloc(2 * TIMES * sizeof *samples);
    switches = switches_now();
    statictramp_set_limit(statictramp_capacity());
    statictramp_fn last = NULL, f;
    while ((f = statictramp_alloc((statictramp_fn)callee(0), &context)))
        last = f;
    for (size_t i = 0; i < TIMES; i++) {
        double start = now();
        f = statictramp_alloc((statictramp_fn)callee(i % 2), &context);
        sample(now() - start);
        if (f)
            no_more();
    }
    report("refused", samples);
    float *first = next_sample;
    for (size_t i = 0; i < TIMES; i++) {
        statictramp_free(last);
        double start = now();
        last = statictramp_alloc((statictramp_fn)callee(i % 64), &context);
        sample(now() - start);
    }
    report("the only free slot, for another callee", first);
}

static void growth(void)
{
    samples = next_sample = malloc(sizeof *samples);
    switches = switches_now();
    size_t before = statictramp_capacity();
    for (size_t i = 0; i < before; i++)
        make(0);
    double start = now();
    make(0);
    printf("growth\t1\t%.0f\n", now() - start);
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "mix") == 0 && atol(argv[2]) >= 3000000)
        mix((size_t)atol(argv[2]));
    else if (argc == 2 && strcmp(argv[1], "full") == 0)
        full();
    else if (argc == 2 && strcmp(argv[1], "growth") == 0)
        growth();
    else
        return 2;
    return 0;
}
