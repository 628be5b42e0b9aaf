/* The costs of the C functions, with lower bounds from the same program: `functions CASE COUNT` prints the nanoseconds that COUNT
   operations took. Linked with the archive; with DLOPENED, the library named in STATICTRAMP_LIBRARY is loaded
   instead. */

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "statictramp.h"

#ifdef DLOPENED
static __typeof__(statictramp_alloc) *alloc_;
static __typeof__(statictramp_free) *free_;
static __typeof__(statictramp_capacity) *capacity_;
#define statictramp_alloc alloc_
#define statictramp_free free_
#define statictramp_capacity capacity_
#endif

#define OPAQUE(x) __asm__ volatile("" : "+r"(x))
#define TARGETS 1024
#define LITERAL(x) #x
#define TEXT(x) LITERAL(x)

/* A callee that gets its context in the static-chain register, and TARGETS further such callees. */
long by_chain(long x);
extern const char chain_targets[], plain_targets[];
__asm__(".pushsection .text\n.p2align 4\n.type by_chain, @function\n"
        "by_chain: endbr64\nmov (%r10), %rax\nadd %rdi, %rax\nret\n"
        ".p2align 6\nchain_targets:\n"
        ".rept " TEXT(TARGETS) "\n.p2align 4, 0xcc\nendbr64\nmov (%r10), %rax\nadd %rdi, %rax\nret\n.endr\n"
        ".p2align 6\nplain_targets:\n"
        ".rept " TEXT(TARGETS) "\n.p2align 4, 0xcc\nendbr64\nmov (%rsi), %rax\nadd %rdi, %rax\nret\n.endr\n"
        ".popsection");

/* A callee with a normal argument. */
__attribute__((noinline)) static long by_argument(long x, const long *context)
{
    return x + *context;
}

typedef long (*plain)(long, const long *);
typedef long (*bound)(long);

static long context = 3;
static long sum;
static uint64_t seed = 1;

static size_t below(size_t limit)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(seed >> 33) % limit;
}

static statictramp_fn make(const void *callee)
{
    statictramp_fn f = statictramp_alloc((statictramp_fn)(uintptr_t)callee, &context);
    if (!f) {
        fputs("the table is full\n", stderr);
        exit(1);
    }
    return f;
}

static double start_time;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Starts the clock. The code before this call is preparation. */
static void start(void) { start_time = now(); }

static void two_rmws(long count)
{
    static atomic_uint one, other;
    start();
    for (long i = 0; i < count; i++) {
        atomic_fetch_add_explicit(&one, 1, memory_order_acq_rel);
        atomic_fetch_sub_explicit(&other, 1, memory_order_acq_rel);
    }
}

static void indirect_call(long count)
{
    start();
    for (long i = 0; i < count; i++) {
        plain f = by_argument;
        OPAQUE(f);
        sum += f(i, &context);
    }
}

static void hot_call(long count)
{
    bound fixed = (bound)make((void *)by_chain);
    start();
    for (long i = 0; i < count; i++) {
        bound f = fixed;
        OPAQUE(f);
        sum += f(i);
    }
}

/* The length of the random order in which the targets are called. A processor cannot learn an order of this length. */
#define ORDER (1 << 16)
static uint16_t order[ORDER];

static void choose_order(void)
{
    for (size_t i = 0; i < ORDER; i++)
        order[i] = (uint16_t)below(TARGETS);
}

static void plain_targets_at_random(long count)
{
    choose_order();
    static void *all[TARGETS];
    for (size_t i = 0; i < TARGETS; i++)
        all[i] = (void *)(uintptr_t)(plain_targets + 16 * i);
    start();
    for (long i = 0; i < count; i++)
        sum += ((plain)all[order[i % ORDER]])(i, &context);
}

static void stubs_at_random(long count)
{
    choose_order();
    static void *all[TARGETS];
    for (size_t i = 0; i < TARGETS; i++)
        all[i] = (void *)make(chain_targets + 16 * i);
    start();
    for (long i = 0; i < count; i++)
        sum += ((bound)all[order[i % ORDER]])(i);
}

/* A fixed slot without an allocator, which needs only the stores of creating and freeing, and a call. */
static struct { void *volatile chain, *volatile callee; uint64_t volatile claim; void *volatile procedure; } slot
    __attribute__((aligned(64)));
void fixed_stub(void);
__asm__(".pushsection .text\n.p2align 5\n.type fixed_stub, @function\n"
        "fixed_stub: endbr64\nmov slot(%rip), %r10\njmp *slot+8(%rip)\n.popsection");

static void fixed_slot(long count)
{
    start();
    for (long i = 0; i < count; i++) {
        slot.claim = 1;
        slot.chain = &context;
        slot.callee = (void *)by_chain;
        bound f = (bound)fixed_stub;
        OPAQUE(f);
        sum += f(i);
        slot.callee = (void *)fixed_stub;
        slot.chain = (void *)&slot;
        slot.procedure = (void *)by_chain;
        slot.claim = 0;
    }
}

static void create_free(long count)
{
    start();
    for (long i = 0; i < count; i++) {
        statictramp_fn f = statictramp_alloc((statictramp_fn)by_chain, &context);
        OPAQUE(f);
        statictramp_free(f);
    }
}

static void create_call_free(long count)
{
    start();
    for (long i = 0; i < count; i++) {
        statictramp_fn f = statictramp_alloc((statictramp_fn)by_chain, &context);
        OPAQUE(f);
        sum += ((bound)f)(i);
        statictramp_free(f);
    }
}

static void malloc_free(long count)
{
    start();
    for (long i = 0; i < count; i++) {
        void *p = malloc(32);
        OPAQUE(p);
        free(p);
    }
}

/* Frees a random held trampoline, and creates one. */
static void replace_some(statictramp_fn *held, size_t live, long count)
{
    for (long i = 0; i < count; i++) {
        size_t index = below(live);
        statictramp_free(held[index]);
        held[index] = statictramp_alloc((statictramp_fn)by_chain, &context);
    }
}

/* Measures `replace_some` with `spare` of a thousand slots free, after each slot has been used a few times. */
static void churn(long count, size_t spare)
{
    size_t live = statictramp_capacity() - (statictramp_capacity() * spare + 999) / 1000;
    statictramp_fn *held = malloc(live * sizeof *held);
    for (size_t i = 0; i < live; i++)
        held[i] = make((void *)by_chain);
    replace_some(held, live, 4 * (long)live);
    start();
    replace_some(held, live, count);
}

static void churn_50(long count) { churn(count, 500); }
static void churn_99(long count) { churn(count, 10); }
static void churn_999(long count) { churn(count, 1); }

static const struct { const char *name; void (*run)(long); } cases[] = {
    {"two RMWs", two_rmws},
    {"malloc + free", malloc_free},
    {"plain call", indirect_call},
    {"call", hot_call},
    {"1024 plain targets at random", plain_targets_at_random},
    {"1024 stubs at random", stubs_at_random},
    {"fixed slot", fixed_slot},
    {"create + free", create_free},
    {"create + call + free", create_call_free},
    {"churn, 50 % full", churn_50},
    {"churn, 99 % full", churn_99},
    {"churn, 99.9 % full", churn_999},
};

int main(int argc, char **argv)
{
#ifdef DLOPENED
    void *library = dlopen(getenv("STATICTRAMP_LIBRARY"), RTLD_NOW);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    alloc_ = (__typeof__(alloc_))dlsym(library, "statictramp_alloc");
    free_ = (__typeof__(free_))dlsym(library, "statictramp_free");
    capacity_ = (__typeof__(capacity_))dlsym(library, "statictramp_capacity");
#endif
    for (size_t i = 0; argc == 3 && i < sizeof cases / sizeof *cases; i++)
        if (strcmp(argv[1], cases[i].name) == 0) {
            cases[i].run(atol(argv[2]));
            printf("%.0f\n", now() - start_time);
            return sum == 42;
        }
    fprintf(stderr, "usage: %s CASE COUNT\n", argv[0]);
    return 2;
}
