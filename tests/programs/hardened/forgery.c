/* Forged slots on AArch64: each child has keys of its own, makes a trampoline, writes to the words from which its stub or
   its adapter loads a code pointer, and calls it.

   forgery faults ROUNDS: at least 95 of 100 children must fault at each forgery. For a library with signed slots, on a
   processor with pointer authentication. Linux leaves seven bits for a signature, so one guess of 128 is right. ROUNDS is
   the number of children for each forgery of a trampoline that statictramp_alloc has not made.
   forgery runs ROUNDS: each forgery must succeed. For any other library or processor.

   In both cases, a trampoline whose words were not changed must work in each child. */

#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include "statictramp.h"
#include "../../common/check.h"

#ifndef PR_PAC_RESET_KEYS
#define PR_PAC_RESET_KEYS 54
#endif
#define WITH_KEYS (1 << 30) /* HWCAP_PACA */

void __gcc_nested_func_ptr_created(void *chain, void *callee, void **destination);
void __gcc_nested_func_ptr_deleted(void);
void *_FortranATrampolineInit(void *scratch, void *callee, void *chain);
void *_FortranATrampolineAdjust(void *handle);

enum { REACHED = 42 };

/* The words {chain, entry} of a slot, and the extra words {context, callee} of a bound trampoline. */
typedef struct {
    uintptr_t context, code;
} pair;

/* The address of a trampoline's slot, which its stub computes by `adrp` and `add`. */
static volatile pair *slot_of(statictramp_fn trampoline)
{
    const uint32_t *code = (const uint32_t *)trampoline;
    code += *code == 0xd503245f; /* bti c */
    int64_t pages = (int64_t)((uint64_t)((code[0] >> 5 & 0x7ffff) << 2 | (code[0] >> 29 & 3)) << 43) >> 43;
    return (volatile pair *)(((uintptr_t)code & ~(uintptr_t)0xfff) + (uintptr_t)(pages << 12) + (code[1] >> 10 & 0xfff));
}
static volatile pair *words_of(statictramp_fn bound) { return (volatile pair *)slot_of(bound)->context; }

/* A trampoline is taken over if it calls this function, or passes a wrong context. */
static void reached(void) { _exit(REACHED); }

static int data[4];
__attribute__((used)) static long chain_seen(void *chain)
{
    if (chain != data)
        _exit(REACHED);
    return 7;
}
/* A callee that gets its context in the static chain, in x15 or x18. */
long by_chain(void), by_other_chain(void);
__asm__(".pushsection .text\n.globl by_chain, by_other_chain\n"
        ".type by_chain, %function\nby_chain: mov x0, x15\nb chain_seen\n"
        ".type by_other_chain, %function\nby_other_chain: mov x0, x18\nb chain_seen\n.popsection");
static long by_argument(void *context) { return chain_seen(context); }
/* The last arguments are on the stack, so that a plan of moves is needed. */
static long by_moved_arguments(void *context, long a, long b, long c, long d, long e, long f, long g, long h)
{
    CHECK(a + 10 * b + 100 * c + 1000 * d + 10000 * e + 100000 * f + 1000000 * g + 10000000 * h == 87654321);
    return chain_seen(context);
}
static void by_block(void *context, statictramp_raw_call *call)
{
    chain_seen(context);
    statictramp_raw_return(call, STATICTRAMP_KIND_INT64, &(long){7});
}

static statictramp_fn made(void) { return statictramp_alloc(FN(by_chain), data); }
static statictramp_fn bound(void) { return statictramp_bind(FN(by_argument), data, 0); }
static statictramp_fn bound_first(void) { return statictramp_bind_first(FN(by_argument), data, 0); }
static statictramp_fn bound_raw(void) { return statictramp_bind_raw(by_block, data); }
static statictramp_fn bound_types(void)
{
    statictramp_type types[8], *last = types + 8;
    for (statictramp_type *type = types; type != last; type++)
        *type = (statictramp_type){STATICTRAMP_KIND_INT64, NULL};
    return statictramp_bind_types(FN(by_moved_arguments), data, types, types, 8);
}
static statictramp_fn of_gcc(void)
{
    void *made;
    __gcc_nested_func_ptr_created(data, (void *)by_other_chain, &made);
    return FN(made);
}
static statictramp_fn of_flang(void)
{
    return FN(_FortranATrampolineAdjust(_FortranATrampolineInit(NULL, (void *)by_chain, data)));
}
static statictramp_fn grown(void)
{
    size_t slots = statictramp_capacity();
    for (size_t i = 0; i < slots; i++)
        CHECK(made() != NULL);
    statictramp_fn last = made();
    CHECK(statictramp_capacity() > slots);
    return last;
}

static statictramp_fn (*const makers[])(void) = {made, bound, bound_first, bound_raw, bound_types, of_gcc, of_flang, grown};
static const char *const names[] = {"alloc", "bind", "bind_first", "bind_raw", "bind_types", "GCC's", "flang's", "added slot"};
enum { MAKERS = sizeof makers / sizeof *makers };

static void call(statictramp_fn trampoline)
{
    CHECK(((long (*)(long, long, long, long, long, long, long, long))trampoline)(1, 2, 3, 4, 5, 6, 7, 8) == 7);
}

/* The forgeries of the pair `at`, which is in use; `other` is the pair of another trampoline of the same kind. */
static void overwrite_context(volatile pair *at, volatile pair *other)
{
    (void)other;
    at->context = (uintptr_t)(data + 1);
}
static void overwrite_code(volatile pair *at, volatile pair *other)
{
    (void)other;
    at->code = (uintptr_t)reached;
}
static void overwrite_both(volatile pair *at, volatile pair *other)
{
    overwrite_context(at, other);
    overwrite_code(at, other);
}
static void copy_both(volatile pair *at, volatile pair *other)
{
    at->context = other->context;
    at->code = other->code;
}
/* Valid if the modifier were a plain exclusive or of context and address. */
static void copy_and_adjust(volatile pair *at, volatile pair *other)
{
    at->context = other->context ^ (uintptr_t)at ^ (uintptr_t)other;
    at->code = other->code;
}

typedef void forge(volatile pair *at, volatile pair *other);
static forge *const forgeries[] = {overwrite_context, overwrite_code, overwrite_both, copy_both, copy_and_adjust};
static const char *const titles[] = {"context overwritten", "code pointer overwritten", "both overwritten",
    "both words of another pair", "another pair's code pointer, context adjusted"};
enum { FORGERIES = sizeof forgeries / sizeof *forgeries };

/* What a child does. */
static statictramp_fn (*make)(void);
static forge *forged;
static int in_extra_words;

static void call_forged(void)
{
    statictramp_fn victim = make(), other = make();
    int extra = in_extra_words;
    /* The other trampoline has a different context, because with the same context, copied words would be of no use. */
    if (extra)
        CHECK(statictramp_rebind(other, data + 1) == 0);
    else if (make == made)
        CHECK(statictramp_free(other) == 0 && (other = statictramp_alloc(FN(by_chain), data + 1)) != NULL);
    call(victim);
    forged(extra ? words_of(victim) : slot_of(victim), extra ? words_of(other) : slot_of(other));
    call(victim);
    _exit(0);
}
static void call_freed(void)
{
    statictramp_fn victim = made();
    CHECK(statictramp_free(victim) == 0);
    slot_of(victim)->code = (uintptr_t)reached;
    call(victim);
    _exit(0);
}
/* Slots of added segments whose addresses differ only in bits 20 to 27. A rotation by 28 moves these bits to the top byte, which
   Linux lets programs ignore in the address of a context. Each child forges another of PAIRS such pairs. */
enum { PAIRS = 100, MOST = 1 << 16 };
static statictramp_fn added[MOST];
static int chosen_pair, to_other;
static uintptr_t difference(int one, int other)
{
    return (uintptr_t)slot_of(added[one]) ^ (uintptr_t)slot_of(added[other]);
}
static void make_added(void)
{
    int count = 1;
    added[0] = grown();
    while (count < MOST && (to_other == 0 || count < to_other + PAIRS)) {
        CHECK((added[count] = made()) != NULL);
        if (to_other == 0 && difference(0, count) % (1 << 20) == 0 && difference(0, count) < 1 << 28)
            to_other = count;
        count++;
    }
    CHECK(to_other != 0);
}
static uintptr_t rotated(uintptr_t bits) { return bits >> 28 | bits << 36; }
static void call_added(void)
{
    volatile pair *at = slot_of(added[to_other + chosen_pair]), *other = slot_of(added[chosen_pair]);
    at->context = other->context ^ rotated(difference(chosen_pair, to_other + chosen_pair));
    at->code = other->code;
    call(added[to_other + chosen_pair]);
    _exit(0);
}
/* The library must not make a forged code pointer valid when it signs for another context. */
static void rebind_forged(void)
{
    statictramp_fn victim = bound();
    words_of(victim)->code = (uintptr_t)reached;
    CHECK(statictramp_rebind(victim, data + 2) == 0);
    call(victim);
    _exit(0);
}
/* Nor may it sign the words of another slot because a bound trampoline's chain was overwritten with their address. */
static void rebind_elsewhere(void)
{
    statictramp_fn victim = made(), rebound = bound();
    slot_of(rebound)->context = (uintptr_t)slot_of(victim);
    CHECK(statictramp_rebind(rebound, data + 2) == 0);
    call(victim);
    call(rebound);
    _exit(0);
}

/* Everything that a program may do with trampolines whose words it leaves alone. */
static sigjmp_buf back;
static statictramp_fn shared;
static void in_handler(int signal)
{
    (void)signal;
    call(shared);
    statictramp_fn own = made();
    call(own);
    CHECK(statictramp_free(own) == 0);
    siglongjmp(back, 1);
}
static void *in_thread(void *unused)
{
    (void)unused;
    call(shared);
    statictramp_fn own = bound();
    call(own);
    CHECK(statictramp_free(own) == 0);
    return shared;
}
static void host_left(jmp_buf to)
{
    call(of_gcc());
    call(of_flang());
    longjmp(to, 1);
}
static void untouched(void)
{
    for (int i = 0; i < MAKERS; i++) {
        statictramp_fn trampoline = makers[i](), callee;
        void *chain;
        call(trampoline);
        CHECK(statictramp_lookup(trampoline, &callee, &chain) == 1 && chain == data);
        CHECK(callee == FN(by_chain) || callee == FN(by_other_chain) || callee == FN(by_argument) ||
              callee == FN(by_block) || callee == FN(by_moved_arguments));
        if (makers[i] == bound || makers[i] == bound_first || makers[i] == bound_raw || makers[i] == bound_types) {
            CHECK(statictramp_rebind(trampoline, data + 1) == 0);
            CHECK(statictramp_lookup(trampoline, &callee, &chain) == 1 && chain == data + 1);
            CHECK(statictramp_rebind(trampoline, data) == 0);
            call(trampoline);
        }
        if (makers[i] != of_gcc) {
            CHECK(statictramp_free(trampoline) == 0);
            CHECK(statictramp_lookup(trampoline, &callee, &chain) == 0 && callee != NULL && chain == NULL);
            CHECK(statictramp_free(trampoline) == -1 && errno == EINVAL);
        }
    }
    shared = made();
    pthread_t thread;
    void *result;
    CHECK(pthread_create(&thread, NULL, in_thread, NULL) == 0 && pthread_join(thread, &result) == 0 && result == shared);
    signal(SIGUSR1, in_handler);
    if (!sigsetjmp(back, 1))
        raise(SIGUSR1);
    jmp_buf to;
    if (!setjmp(to))
        host_left(to);
    int status;
    pid_t child = fork();
    if (child == 0) {
        call(shared);
        CHECK(statictramp_free(shared) == 0);
        _exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    call(shared);
    _exit(0);
}
static void dead_call(void)
{
    statictramp_fn victim = made();
    CHECK(statictramp_free(victim) == 0);
    call(victim);
}

static void (*chosen)(void);
static int keys_of_parent;
static void with_own_keys(void)
{
    if (getauxval(AT_HWCAP) & WITH_KEYS && !keys_of_parent)
        CHECK(prctl(PR_PAC_RESET_KEYS, 0, 0, 0, 0) == 0);
    chosen();
}

enum ending { FAULT, TAKEN_OVER, RIGHT, OTHER };
static enum ending run(void (*f)(void))
{
    static char output[4096];
    chosen = f;
    int status = in_child(with_own_keys, output, sizeof output);
    if (WIFSIGNALED(status))
        switch (WTERMSIG(status)) {
        case SIGSEGV:
        case SIGBUS:
        case SIGILL:
            return FAULT;
        case SIGABRT: /* the library has found the forgery */
            return strstr(output, "code outside the library has changed") != NULL ? FAULT : OTHER;
        }
    fputs(output, stderr);
    return !WIFEXITED(status) ? OTHER : WEXITSTATUS(status) == REACHED ? TAKEN_OVER : WEXITSTATUS(status) == 0 ? RIGHT : OTHER;
}

static int must_fault;
static void judge(const char *kind, const char *title, void (*f)(void), int rounds)
{
    int count[4] = {0}, ran = 0;
    /* If too many guesses were right, perhaps by chance, more children decide, up to 400. */
    do {
        for (int i = 0; i < rounds; i++, ran++) {
            chosen_pair = ran % PAIRS;
            count[run(f)]++;
        }
    } while (must_fault && count[FAULT] * 100 < ran * 95 && ran < 400);
    printf("%-22s %-42s %d faults, %d taken over\n", kind, title, count[FAULT], count[TAKEN_OVER]);
    CHECK(count[RIGHT] == 0 && count[OTHER] == 0);
    CHECK(must_fault ? count[FAULT] * 100 >= ran * 95 : count[TAKEN_OVER] == ran);
}

int main(int argc, char **argv)
{
    CHECK(argc == 3);
    must_fault = strcmp(argv[1], "faults") == 0;
    int rounds = atoi(argv[2]), main_rounds = must_fault ? 100 : rounds;
    CHECK(rounds > 0 && (must_fault || strcmp(argv[1], "runs") == 0));
    if (must_fault)
        CHECK(getauxval(AT_HWCAP) & WITH_KEYS);
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (int i = 0; i < main_rounds; i++)
        CHECK(run(untouched) == RIGHT);
    printf("untouched: %d of %d are right\n", main_rounds, main_rounds);
    static char output[4096];
    int status = in_child(dead_call, output, sizeof output);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT && strstr(output, "call through a freed trampoline: slot") != NULL);
    for (int i = 0; i < MAKERS; i++) {
        make = makers[i];
        int has_extra_words = make == bound || make == bound_first || make == bound_raw || make == bound_types;
        for (in_extra_words = 0; in_extra_words <= has_extra_words; in_extra_words++)
            for (int j = 0; j < FORGERIES; j++) {
                /* Slots of all kinds are signed by the same code, so only those made by alloc are forged in all ways. */
                if (make != made && !in_extra_words && forgeries[j] != overwrite_code)
                    continue;
                forged = forgeries[j];
                char kind[32];
                snprintf(kind, sizeof kind, "%s%s", names[i], in_extra_words ? ", its words" : "");
                judge(kind, titles[j], call_forged, make == made ? main_rounds : rounds);
            }
    }
    judge("alloc", "a freed slot's entry overwritten", call_freed, main_rounds);
    judge("bind", "code pointer overwritten before a rebind", rebind_forged, rounds);
    judge("bind", "chain overwritten before a rebind", rebind_elsewhere, rounds);
    make_added();
    keys_of_parent = 1; /* it has made the trampolines that its children forge */
    judge("added slot", "another pair's code pointer, 1 MiB apart", call_added, main_rounds);
    return 0;
}
