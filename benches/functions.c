/* What the C functions cost, beside floors measured in the same run: prints nanoseconds, the least of
   interleaved rounds, as "name<TAB>ns". Linked with the archive, or with the shared library. */

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "statictramp.h"

#define ROUNDS 15
#define CALLS 2000000L
#define OPAQUE(x) __asm__ volatile("" : "+r"(x))

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* A callee that takes its context in the static-chain register, and one that takes it as an argument. */
long by_chain(long x);
__asm__(".pushsection .text\n.p2align 4\n.type by_chain, @function\n"
        "by_chain: endbr64\nmov (%r10), %rax\nadd %rdi, %rax\nret\n.popsection");

__attribute__((noinline)) static long by_argument(long x, const long *context)
{
    return x + *context;
}

typedef long (*plain)(long, const long *);
typedef long (*bound)(long);

static long context = 3;
static atomic_uint one, other;
static long sum;

static void two_rmws(void)
{
    for (long i = 0; i < CALLS; i++) {
        atomic_fetch_add_explicit(&one, 1, memory_order_acq_rel);
        atomic_fetch_sub_explicit(&other, 1, memory_order_acq_rel);
    }
}

static void indirect_call(void)
{
    for (long i = 0; i < CALLS; i++) {
        plain f = by_argument;
        OPAQUE(f);
        sum += f(i, &context);
    }
}

static bound fixed;

static void hot_call(void)
{
    for (long i = 0; i < CALLS; i++) {
        bound f = fixed;
        OPAQUE(f);
        sum += f(i);
    }
}

/* A slot that is always the same, without an allocator: the same six stores, and a call. */
static struct { void *volatile chain, *volatile callee; uint64_t volatile claim; void *volatile procedure; } slot
    __attribute__((aligned(64)));
void fixed_stub(void);
__asm__(".pushsection .text\n.p2align 5\n.type fixed_stub, @function\n"
        "fixed_stub: endbr64\nmov slot(%rip), %r10\njmp *slot+8(%rip)\n.popsection");

static void fixed_slot(void)
{
    for (long i = 0; i < CALLS; i++) {
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

static void create_free(void)
{
    for (long i = 0; i < CALLS; i++) {
        statictramp_fn f = statictramp_alloc((statictramp_fn)by_chain, &context);
        OPAQUE(f);
        statictramp_free(f);
    }
}

static void create_call_free(void)
{
    for (long i = 0; i < CALLS; i++) {
        statictramp_fn f = statictramp_alloc((statictramp_fn)by_chain, &context);
        OPAQUE(f);
        sum += ((bound)f)(i);
        statictramp_free(f);
    }
}

static void malloc_free(void)
{
    for (long i = 0; i < CALLS; i++) {
        void *p = malloc(32);
        OPAQUE(p);
        free(p);
    }
}

static const struct { const char *name; void (*run)(void); } benches[] = {
    {"two uncontended RMWs", two_rmws},
    {"malloc + free", malloc_free},
    {"plain indirect call with a context", indirect_call},
    {"call through a stub", hot_call},
    {"fixed slot without an allocator: fill + call + clear", fixed_slot},
    {"create + free", create_free},
    {"create + call + free", create_call_free},
};

int main(void)
{
    enum { COUNT = sizeof benches / sizeof *benches };
    double least[COUNT];
    fixed = (bound)statictramp_alloc((statictramp_fn)by_chain, &context);
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < COUNT; i++) {
            double start = now();
            benches[i].run();
            double took = (now() - start) / CALLS;
            if (round == 0 || took < least[i])
                least[i] = took;
        }
    for (int i = 0; i < COUNT; i++)
        printf("%s\t%.2f\n", benches[i].name, least[i]);
    return sum == 42;
}
