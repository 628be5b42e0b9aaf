/* Tests GCC's functions for nested functions, which are called by hand: hosts that are abandoned by longjmp from
   any depth, that are inlined into each other, that are interrupted, or whose stack is later reused. `nested JUMPS
   [TEST]`. */

#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>

#include "runtime.h"

#if defined __SANITIZE_ADDRESS__
#define ADDRESS_SANITIZED
#elif defined __has_feature
#if __has_feature(address_sanitizer)
#define ADDRESS_SANITIZED
#endif
#endif

void __gcc_nested_func_ptr_created(void *chain, const void *function, void **destination);
void __gcc_nested_func_ptr_deleted(void);

#define MAKE(variable, trampoline) __gcc_nested_func_ptr_created((void *)&(variable), (void *)the_long, &(trampoline))
#define DELETE() __gcc_nested_func_ptr_deleted()
#define RESULT(trampoline) ((long (*)(void))(trampoline))()

/* A million jumps from depths of 1 to 31, with 300 trampolines of other code. The cost of a jump does not depend
   on the number of abandoned hosts. */
__attribute__((noinline)) static long jump_from(long depth)
{
    volatile long variable = depth;
    if (depth > 0)
        return jump_from(depth - 1) + variable;
    void *trampoline;
    MAKE(variable, trampoline);
    CHECK(RESULT(trampoline) == depth);
    longjmp(out, 1);
}

__attribute__((noinline)) static double seconds_for(long count)
{
    struct timespec start, end;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
    for (volatile long i = 0; i < count; i++)
        if (setjmp(out) == 0)
            jump_from(1 + i * 7 % 31);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
    return (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) * 1e-9;
}

static void *jump_often(void *count)
{
    long jumps = (long)(intptr_t)count;
    size_t before = statictramp_live();
    double few = seconds_for(jumps / 10), many = seconds_for(jumps);
    size_t left = statictramp_live() - before;
    printf("%ld jumps in %.3f s, ten times as many in %.3f s; %zu hosts are left\n", jumps / 10, few, many, left);
    CHECK(many < 40 * few + 0.2);
    CHECK(left <= 64);
    return NULL;
}

static void in_a_thread(void *(*function)(void *), void *argument, void *stack, size_t size)
{
    pthread_t thread;
    pthread_attr_t attributes;
    CHECK(pthread_attr_init(&attributes) == 0);
    if (stack)
        CHECK(pthread_attr_setstack(&attributes, stack, size) == 0);
    CHECK(pthread_create(&thread, &attributes, function, argument) == 0);
    pthread_join(thread, NULL);
}

static void ignore(int signal) { (void)signal; }

static void test_jumps(long count)
{
    static statictramp_fn others[300];
    for (int i = 0; i < 300; i++)
        CHECK((others[i] = statictramp_alloc(FN(the_chain), NULL)));
    jump_often((void *)count);
    in_a_thread(jump_often, (void *)count, NULL, 0);
    signal(SIGUSR2, ignore); /* even so, a thread's bounds are known */
    in_a_thread(jump_often, (void *)count, NULL, 0);
    signal(SIGUSR2, SIG_DFL);
    for (int i = 0; i < 300; i++)
        statictramp_free(others[i]);
}

/* Two hosts inlined into one function. One is abandoned by longjmp. When it is called again in that frame, inside
   the other host, it finds the slots of its predecessor below those of the other host. */
__attribute__((noinline)) static void inlined(int into_another)
{
    volatile long inner = 1, outer = 2;
    void *of_inner = NULL, *of_outer = NULL;
    if (into_another)
        MAKE(outer, of_outer);
    MAKE(inner, of_inner);
    CHECK(RESULT(of_inner) == 1);
    if (!into_another)
        longjmp(out, 1);
    DELETE();
    CHECK(RESULT(of_outer) == 2);
    DELETE();
}

static void test_inlined(void)
{
    size_t before = statictramp_live();
    for (int i = 0; i < 10; i++) {
        if (setjmp(out) == 0)
            inlined(0);
        inlined(1);
    }
    CHECK(statictramp_live() <= before + 2);
}

/* A fiber is abandoned in a host, and its stack becomes that of a thread. The host's slots are still on the
   list of the thread that ran it, so the new thread must not reclaim them. */
enum { SIZE = 2 << 20 }; /* ThreadSanitizer needs this much */
static ucontext_t owner, fiber;

__attribute__((noinline)) static void given_up(int depth)
{
    volatile long variable = 3;
    volatile char room[1024];
    room[0] = (char)depth;
    if (depth > 0)
        given_up(depth - 1);
    else {
        void *trampoline;
        MAKE(variable, trampoline);
        CHECK(RESULT(trampoline) == 3 && room[0] == 0);
        swapcontext(&fiber, &owner);
    }
    CHECK(room[0] == depth);
}

static void on_fiber(void) { given_up(100); }

static void *on_its_stack(void *unused)
{
    (void)unused;
    volatile long variables[8];
    void *trampolines[8];
#ifndef SANITIZED /* frames may be on the heap, and those cannot be recognised as abandoned */
    expect_left_to_come_back();
#endif
    fill_up();
    for (int i = 0; i < 8; i++) /* slots that were freed by mistake would be reused here */
        CHECK(statictramp_alloc(FN(the_chain), NULL) == NULL);
    empty();
    for (int i = 0; i < 8; i++) {
        variables[i] = i;
        MAKE(variables[i], trampolines[i]);
    }
    for (int i = 8; i-- > 0;) {
        CHECK(RESULT(trampolines[i]) == i);
        DELETE();
    }
    return NULL;
}

__attribute__((noinline)) static void test_given_up(void)
{
    volatile long first = 10, second = 20;
    void *of_first, *of_second;
    void *stack = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    MAKE(first, of_first);
    getcontext(&fiber);
    fiber.uc_stack.ss_sp = stack;
    fiber.uc_stack.ss_size = SIZE;
    makecontext(&fiber, on_fiber, 0);
    swapcontext(&owner, &fiber);
    MAKE(second, of_second);
    size_t before = statictramp_live();
    in_a_thread(on_its_stack, NULL, stack, SIZE);
    CHECK(statictramp_live() == before);
    CHECK(RESULT(of_second) == 20);
    DELETE();
    CHECK(RESULT(of_first) == 10);
    DELETE();
}

/* A handler runs between any two steps and abandons its own hosts. AddressSanitizer's longjmp must not be called in a
   handler: it takes the allocator's lock, and reads /proc/self/maps for longer than the timer's period. */
static volatile long handled;

__attribute__((noinline, unused)) static void leave_in_handler(int depth, jmp_buf *out_of_handler)
{
    volatile long variable = depth;
    void *trampoline;
    MAKE(variable, trampoline);
    CHECK(RESULT(trampoline) == depth);
    if (depth > 0)
        leave_in_handler(depth - 1, out_of_handler);
    else
        longjmp(*out_of_handler, 1);
    DELETE();
}

static void handler(int signal)
{
    (void)signal;
    volatile long variable = 7;
    void *trampoline;
    MAKE(variable, trampoline);
#ifndef ADDRESS_SANITIZED
    jmp_buf out_of_handler; /* one for each level: a handler may be interrupted by itself */
    if (setjmp(out_of_handler) == 0)
        leave_in_handler(handled % 4, &out_of_handler);
#endif
    CHECK(RESULT(trampoline) == 7);
    DELETE();
    handled++;
}

__attribute__((noinline)) static long deep(long depth)
{
    volatile long variable = depth;
    void *trampoline;
    MAKE(variable, trampoline);
    long below = depth > 0 ? deep(depth - 1) : 0;
    if (depth % 5 == 0 && setjmp(out) == 0)
        jump_from(1 + depth % 7);
    CHECK(RESULT(trampoline) == depth);
    DELETE();
    return below + depth;
}

static void mask_alarm(int how)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    CHECK(pthread_sigmask(how, &set, NULL) == 0);
}

static void *be_interrupted(void *rounds)
{
    for (volatile long i = 0; i < (long)(intptr_t)rounds; i++) {
        long depth = i * 13 % 60;
        CHECK(deep(depth) == depth * (depth + 1) / 2);
        if (setjmp(out) == 0)
            jump_from(1 + i % 31);
    }
    return NULL;
}

static void *be_interrupted_alone(void *rounds)
{
    mask_alarm(SIG_UNBLOCK);
    return be_interrupted(rounds);
}

static void test_interrupted(long rounds)
{
    static const int flags[] = {0, SA_NODEFER, SA_ONSTACK};
#ifdef SANITIZED /* frames may be on the heap, so on an alternate stack no host is recognised again */
    enum { KINDS = 2 };
#else
    enum { KINDS = 3 };
#endif
    static char alternate[256 * 1024];
    size_t before = statictramp_live();
    CHECK(sigaltstack(&(stack_t){.ss_sp = alternate, .ss_size = sizeof alternate}, NULL) == 0);
    for (int i = 0; i < KINDS; i++) {
        CHECK(sigaction(SIGALRM, &(struct sigaction){.sa_handler = handler, .sa_flags = flags[i]}, NULL) == 0);
        struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
        CHECK(setitimer(ITIMER_REAL, &often, NULL) == 0);
        be_interrupted((void *)rounds);
        mask_alarm(SIG_BLOCK);
        in_a_thread(be_interrupted_alone, (void *)rounds, NULL, 0);
        CHECK(setitimer(ITIMER_REAL, &never, NULL) == 0);
        mask_alarm(SIG_UNBLOCK);
    }
    printf("interrupted %ld times: %zu hosts are left\n", handled, statictramp_live() - before);
#ifndef SANITIZED /* frames may be on the heap, so no two hosts are the same */
    CHECK(statictramp_live() - before < 400);
#endif
}

int main(int argc, char **argv)
{
    long count = argc > 1 ? atol(argv[1]) : 100000;
    statictramp_set_limit(statictramp_capacity());
    const char *only = argc > 2 ? argv[2] : "";
    if (!*only || !strcmp(only, "inlined"))
        test_inlined();
    if (!*only || !strcmp(only, "given-up"))
        test_given_up();
    if (!*only || !strcmp(only, "jumps"))
        test_jumps(count);
    if (!*only || !strcmp(only, "interrupted"))
        test_interrupted(count / 50);
    puts("nested.c: ok");
    return 0;
}
