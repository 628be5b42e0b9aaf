/* Measures costs as functions of one quantity. `curves CURVE X` prints the nanoseconds that each operation
   takes, one after the other.
     live X     with X live trampolines: create, call, free, look up (calls and lookups at random)
     threads X  X concurrent threads, each of which creates, calls and frees: for one operation, over all threads
     alone X    X threads, of which only one at a time creates, calls and frees: the time of the slowest thread
     callees X  X callees in turn
     both X     X callees in turn, with 1,025 live trampolines of another
     sixty-four X   X callees in turn on each of 64 concurrent threads: processor time of one operation
     full X     a table of 1,024 slots, X of them live: frees one at random and creates one
     depth X    a recursion of depth X, each level of which creates, calls and frees: for one level  */

#include "implementations.h"
#include <pthread.h>
#include <stdatomic.h>

static long sum;
static uint64_t seed = 1;

static size_t below(size_t limit)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(seed >> 33) % limit;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, ascending);
    return values[count / 2];
}

/* Returns the time that a read of the clock takes. */
static double clock_cost(void)
{
    double all[101];
    for (size_t i = 0; i < 101; i++) {
        double start = now();
        all[i] = now() - start;
    }
    return median(all, 101);
}

#define BATCH 64
#define ROUNDS 301

static void live(size_t count)
{
    static struct made batch[BATCH];
    static double took[4][ROUNDS];
    if (count > (1 << 20) - BATCH)
        count = (1 << 20) - BATCH; /* the limit to which the table may grow */
    struct made *held = malloc(count * sizeof *held);
    for (size_t i = 0; i < count; i++)
        held[i] = make(0);
    double empty = clock_cost();
    for (size_t round = 0; round < ROUNDS; round++) {
        size_t chosen[BATCH];
        for (size_t i = 0; i < BATCH; i++)
            chosen[i] = below(count);
        double start = now();
        for (size_t i = 0; i < BATCH; i++)
            batch[i] = make(0);
        double made = now();
        for (size_t i = 0; i < BATCH; i++)
            sum += held[chosen[i]].call(1);
        double called = now();
        for (size_t i = BATCH; i-- > 0;)
            end(batch[i]);
        double freed = now();
#ifdef STATICTRAMP
        for (size_t i = 0; i < BATCH; i++)
            sum += statictramp_lookup((statictramp_fn)held[chosen[i]].call, NULL, NULL);
#endif
        double looked_up = now();
        double all[4] = {made - start, called - made, freed - called, looked_up - freed};
        for (size_t i = 0; i < 4; i++)
            took[i][round] = (all[i] - empty) / BATCH;
    }
    for (size_t i = 0; i < 4; i++)
        printf("%.2f ", median(took[i], ROUNDS));
}

static atomic_int running;
static pthread_barrier_t all_there;

static inline void once(size_t number)
{
    struct made it = make(number);
    OPAQUE(it.call);
    sum += it.call(1);
    end(it);
}

static void *work(void *done)
{
    long count = 0;
    end(make(0));
    pthread_barrier_wait(&all_there);
    while (atomic_load_explicit(&running, memory_order_relaxed)) {
        for (int i = 0; i < 64; i++) {
            struct made it = make(0);
            OPAQUE(it.call);
            it.call(1);
            end(it);
        }
        count += 64;
    }
    *(long *)done = count;
    return NULL;
}

static void threads(size_t count)
{
    pthread_t all[64];
    static struct { long done, apart[15]; } of[64];
    atomic_store(&running, 1);
    pthread_barrier_init(&all_there, NULL, (unsigned)count + 1);
    for (size_t i = 0; i < count; i++)
        pthread_create(&all[i], NULL, work, &of[i].done);
    pthread_barrier_wait(&all_there);
    double start = now();
    nanosleep(&(struct timespec){0, 40000000}, NULL);
    atomic_store(&running, 0);
    double took = now() - start;
    long total = 0;
    for (size_t i = 0; i < count; i++) {
        pthread_join(all[i], NULL);
        total += of[i].done;
    }
    printf("%.2f ", took / (double)total);
}

static size_t callees_in_turn;

/* Stores the CPU time of one operation. */
static void *work_in_turn(void *took)
{
    enum { TIMES = 100000 };
    struct timespec start, stop;
    for (size_t i = 0; i < 4 * callees_in_turn; i++)
        end(make(i % callees_in_turn));
    pthread_barrier_wait(&all_there);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
    for (size_t i = 0, number = 0; i < TIMES; i++) {
        end(make(number));
        number = number + 1 < callees_in_turn ? number + 1 : 0;
    }
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &stop);
    *(double *)took = ((double)(stop.tv_sec - start.tv_sec) * 1e9 + (double)(stop.tv_nsec - start.tv_nsec)) / TIMES;
    return NULL;
}

static double sixty_four(size_t count)
{
    pthread_t all[64];
    double took[64];
    callees_in_turn = count;
    pthread_barrier_init(&all_there, NULL, 64);
    for (size_t i = 0; i < 64; i++)
        pthread_create(&all[i], NULL, work_in_turn, &took[i]);
    for (size_t i = 0; i < 64; i++)
        pthread_join(all[i], NULL);
    return median(took, 64);
}

static atomic_size_t turn;

/* Returns the shortest of many short times, because the shortest includes no interruption. */
static double shortest(void)
{
    double least = 1e9;
    for (int round = 0; round < 400; round++) {
        double start = now();
        for (int i = 0; i < 64; i++)
            once(0);
        double took = now() - start;
        least = took < least ? took : least;
    }
    return least / 64;
}

struct alone {
    size_t number;
    double least;
};

/* Waits for this thread's turn, and stays alive until all threads have had their turns. */
static void *take_turns(void *argument)
{
    struct alone *me = argument;
    once(0);
    pthread_barrier_wait(&all_there);
    while (atomic_load(&turn) != me->number)
        nanosleep(&(struct timespec){0, 50000}, NULL);
    me->least = shortest();
    atomic_fetch_add(&turn, 1);
    pthread_barrier_wait(&all_there);
    return NULL;
}

static void alone(size_t count)
{
    pthread_t all[64];
    struct alone of[64];
    pthread_barrier_init(&all_there, NULL, (unsigned)count);
    for (size_t i = 0; i < count; i++) {
        of[i].number = i;
        pthread_create(&all[i], NULL, take_turns, &of[i]);
    }
    double most = 0;
    for (size_t i = 0; i < count; i++) {
        pthread_join(all[i], NULL);
        most = of[i].least > most ? of[i].least : most;
    }
    printf("%.2f ", most);
}

/* Repeats an operation until 20 ms have passed. Returns the nanoseconds of one operation. */
static double time_of(void (*something)(size_t), size_t argument)
{
    something(argument);
    double took[9];
    for (size_t i = 0; i < 9; i++) {
        long count = 0;
        double start = now();
        do {
            something(argument);
            count++;
        } while (now() - start < 2e6);
        took[i] = (now() - start) / (double)count;
    }
    return median(took, 9);
}

static void in_turn(size_t count)
{
    for (size_t i = 0; i < 1024; i++)
        once(i % count);
}

static __attribute__((noinline)) void descend(size_t depth)
{
    long own = (long)depth;
    struct made it = make_with(0, &own);
    OPAQUE(it.call);
    sum += it.call(1);
    if (depth > 1)
        descend(depth - 1);
    end(it);
}

/* Returns a number of repetitions that makes the cost of reading the clock negligible. */
static size_t times_of_depth(size_t depth) { return depth < 1024 ? 1024 / depth : 1; }

static void descend_often(size_t depth)
{
    for (size_t i = times_of_depth(depth); i > 0; i--)
        descend(depth);
}

#ifndef NESTED
static struct made held[1024];
static size_t held_count;

static void churn(size_t times)
{
    for (size_t i = 0; i < times; i++) {
        size_t index = below(held_count);
        end(held[index]);
        held[index] = make(0);
    }
}

static double full(size_t count)
{
    held_count = count;
    for (size_t i = 0; i < count; i++)
        held[i] = make(0);
    churn(4096);
    return time_of(churn, 1024) / 1024;
}
#endif

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    const char *curve = argv[1];
    size_t x = (size_t)atol(argv[2]);
    if (strcmp(curve, "full") == 0)
        setenv("STATICTRAMP_LIMIT", "1024", 1);
    else
        setenv("FLANG_TRAMPOLINE_POOL_SIZE", "1048640", 1);
    if (strcmp(curve, "live") == 0)
        live(x);
    else if (strcmp(curve, "threads") == 0)
        threads(x);
    else if (strcmp(curve, "alone") == 0)
        alone(x);
    else if (strcmp(curve, "callees") == 0)
        printf("%.2f ", time_of(in_turn, x) / 1024);
    else if (strcmp(curve, "sixty-four") == 0)
        printf("%.2f ", sixty_four(x));
    else if (strcmp(curve, "both") == 0) {
        for (size_t i = 0; i < 1025; i++)
            make(CALLEES - 1);
        printf("%.2f ", time_of(in_turn, x) / 1024);
    } else if (strcmp(curve, "depth") == 0)
        printf("%.2f ", time_of(descend_often, x) / (double)(x * times_of_depth(x)));
#ifndef NESTED
    else if (strcmp(curve, "full") == 0)
        printf("%.2f ", full(x));
#endif
    else
        return 2;
    printf("\n");
    return sum == 42;
}
