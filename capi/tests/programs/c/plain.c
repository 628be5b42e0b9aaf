/* Tests every function of statictramp.h with valid and invalid input. */

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../../tests/common/check.h"
#include "statictramp.h"

static long six(long a, long b, long c, long d, long e, long f)
{
    return a + 10 * b + 100 * c + 1000 * d + 10000 * e + 100000 * f;
}

struct big { long a[5]; };

static struct big in_memory(void *context, double x, int y)
{
    struct big result = {{(long)context, (long)(x * 4), y, 0, 7}};
    return result;
}

static double mixed(double x, const char *context, float y, long z)
{
    return x + y + (double)z + (double)strlen(context);
}

static void test_alloc(void)
{
    int context = 0;
    statictramp_fn t = statictramp_alloc(FN(the_chain), &context);
    CHECK(t != NULL);
    CHECK(((void *(*)(void))t)() == &context);
    CHECK(statictramp_live() == 1);
    CHECK(statictramp_free(t) == 0);
    CHECK(statictramp_live() == 0);

    errno = 0;
    CHECK(statictramp_alloc(NULL, &context) == NULL && errno == EINVAL);
    CHECK(statictramp_live() == 0);
}

static void test_bind(void)
{
    long digits[6] = {1, 2, 3, 4, 5, 6};
    for (unsigned position = 0; position < (INTEGER_REGISTERS < 6 ? INTEGER_REGISTERS : 6); position++) {
        long expected = 0, unit = 1;
        for (unsigned i = 0; i < 6; i++, unit *= 10)
            expected += unit * (i == position ? 9 : digits[i]);
        statictramp_fn t = statictramp_bind(FN(six), (void *)9, position);
        CHECK(t != NULL);
        CHECK(((long (*)(long, long, long, long, long, long))t)(1, 2, 3, 4, 5, 6) == expected);
        statictramp_fn callee;
        void *context;
        CHECK(statictramp_lookup(t, &callee, &context) == 1);
        CHECK(callee == FN(six) && context == (void *)9);
        CHECK(statictramp_free(t) == 0);
    }
    /* A result in memory takes the first register (not on AArch64), and floating-point parameters take none. */
    statictramp_fn t = statictramp_bind(FN(in_memory), (void *)77, HIDDEN_RESULT_TAKES);
    struct big big = ((struct big(*)(void *, double, int))t)(NULL, 2.5, -3);
    CHECK(big.a[0] == 77 && big.a[1] == 10 && big.a[2] == -3 && big.a[4] == 7);
    CHECK(statictramp_free(t) == 0);
    t = statictramp_bind(FN(mixed), "four", FLOAT_TAKES);
    CHECK(((double (*)(double, const char *, float, long))t)(0.5, NULL, 0.25f, 100) == 104.75);
    CHECK(statictramp_free(t) == 0);

    errno = 0;
    CHECK(statictramp_bind(FN(six), NULL, INTEGER_REGISTERS) == NULL && errno == EINVAL);
    errno = 0;
    CHECK(statictramp_bind(FN(six), NULL, (unsigned)-1) == NULL && errno == EINVAL);
    errno = 0;
    CHECK(statictramp_bind(NULL, NULL, 0) == NULL && errno == EINVAL);
    CHECK(statictramp_live() == 0);
}

static long five(void *context, long a, long b, double x, long c)
{
    return (long)context + 10 * a + 100 * b + 1000 * c + (long)(10000 * x);
}

static struct big big_of(void *context, int a, double x)
{
    struct big result = {{(long)context, a, (long)x, 0, 9}};
    return result;
}

static void test_bind_first(void)
{
    /* If one more argument were passed than the count states, it would be in a register that is not moved. */
    statictramp_fn t = statictramp_bind_first(FN(five), (void *)7, 3 + FLOAT_TAKES);
    CHECK(t != NULL);
    CHECK(((long (*)(long, long, double, long))t)(1, 2, 5.0, 3) == 53217);
    statictramp_fn callee;
    void *context;
    CHECK(statictramp_lookup(t, &callee, &context) == 1 && callee == FN(five) && context == (void *)7);
    CHECK(statictramp_rebind(t, (void *)8) == 0);
    CHECK(((long (*)(long, long, double, long))t)(1, 2, 5.0, 3) == 53218);
    CHECK(statictramp_lookup(t, NULL, &context) == 1 && context == (void *)8);
    CHECK(statictramp_free(t) == 0);
    errno = 0;
    CHECK(statictramp_rebind(t, NULL) == -1 && errno == EINVAL); /* already free */

    t = statictramp_bind_first(FN(big_of), (void *)7, (1 + LAST_FLOAT_TAKES) | STATICTRAMP_RESULT_IN_MEMORY);
    struct big big = ((struct big(*)(int, double))t)(-4, 2.5);
    CHECK(big.a[0] == 7 && big.a[1] == -4 && big.a[2] == 2 && big.a[4] == 9);
    CHECK(statictramp_free(t) == 0);

    for (unsigned used = 0; used < 12; used++) {
        errno = 0;
        t = statictramp_bind_first(FN(five), NULL, used);
        CHECK((t != NULL) == (used < INTEGER_REGISTERS) && (t || errno == EINVAL));
        CHECK(t == NULL || statictramp_free(t) == 0);
        errno = 0;
        t = statictramp_bind_first(FN(five), NULL, used | STATICTRAMP_RESULT_IN_MEMORY);
        CHECK((t != NULL) == (used + HIDDEN_RESULT_TAKES < INTEGER_REGISTERS) && (t || errno == EINVAL));
        CHECK(t == NULL || statictramp_free(t) == 0);
        errno = 0;
        t = statictramp_bind_first(FN(five), NULL, used | STATICTRAMP_EVEN_PAIR);
        CHECK((t != NULL) == (!PAIRS_ARE_EVEN && used < INTEGER_REGISTERS) && (t || errno == EINVAL));
        CHECK(t == NULL || statictramp_free(t) == 0);
    }
    const unsigned bad[] = {0x80, 0x400, 0x401, 0x80000000, (unsigned)-1};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        errno = 0;
        CHECK(statictramp_bind_first(FN(five), NULL, bad[i]) == NULL && errno == EINVAL);
    }
    errno = 0;
    CHECK(statictramp_bind_first(NULL, NULL, 0) == NULL && errno == EINVAL);
    CHECK(statictramp_live() == 0);
    /* Only bound trampolines have a context. */
    int chain;
    statictramp_fn others[] = {NULL, FN(five), FN(&chain), statictramp_alloc(FN(the_chain), &chain)};
    for (size_t i = 0; i < 4; i++) {
        errno = 0;
        CHECK(statictramp_rebind(others[i], NULL) == -1 && errno == EINVAL);
    }
    CHECK(((void *(*)(void))others[3])() == &chain && statictramp_free(others[3]) == 0);
}

static const statictramp_leaf longs[] = {{0, LONG_KIND}, {sizeof(long), LONG_KIND}, {2 * sizeof(long), LONG_KIND},
                                         {3 * sizeof(long), LONG_KIND}, {4 * sizeof(long), LONG_KIND}};
static const statictramp_struct big_type = {sizeof(struct big), 5, longs};
static jmp_buf out;

/* Invalid calls fail and change nothing. */
static void bad_raw(void *context, statictramp_raw_call *call)
{
    static const statictramp_leaf unaligned[] = {{1, LONG_KIND}}, overlap[] = {{0, LONG_KIND}, {0, LONG_KIND}},
                                  unknown[] = {{0, 99}}, none[] = {{0, 0}}, far[] = {{(size_t)-8, LONG_KIND}};
    const statictramp_struct bad[] = {{sizeof(long) + 1, 1, unaligned}, {sizeof(long), 2, overlap}, {8, 1, unknown}, {8, 1, none},
                                      {0, 1, far}, {sizeof(struct big) + 16, 5, longs}, {sizeof(struct big) - 1, 5, longs},
                                      {8, 0, NULL}};
    struct big big = {{0}};
    long value = -1;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        errno = 0;
        CHECK(statictramp_raw_expect(call, &bad[i], STATICTRAMP_NOT_VARIADIC) == -1 && errno == EINVAL);
        CHECK(statictramp_raw_next_struct(call, &bad[i], &big) == -1 && statictramp_raw_return_struct(call, &bad[i], &big) == -1);
    }
    const unsigned kinds[] = {0, STATICTRAMP_KIND_LONG_DOUBLE + 1, 1000, (unsigned)-1};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        errno = 0;
        CHECK(statictramp_raw_next(call, kinds[i], &value) == -1 && errno == EINVAL && value == -1);
        CHECK(statictramp_raw_return(call, kinds[i], &value) == -1);
    }
    /* A result in memory was not declared. */
    CHECK(statictramp_raw_return_struct(call, &big_type, &big) == -1 && errno == EINVAL);
    CHECK(statictramp_raw_next(call, LONG_KIND, &value) == 0 && value == 42);
    CHECK(statictramp_raw_expect(call, &big_type, STATICTRAMP_NOT_VARIADIC) == -1); /* too late */
    CHECK(statictramp_raw_next(call, LONG_KIND, &value) == 0 && value == 43);
    if (context)
        longjmp(out, 1);
}

static void sum_all(void *context, statictramp_raw_call *call)
{
    const char *types = context;
    long sum = 0;
    CHECK(statictramp_raw_expect(call, NULL, 1) == 0);
    for (const char *type = types; *type; type++) {
        union { int i; long l; double d; struct big big; } value;
        if (*type == 's')
            CHECK(statictramp_raw_next_struct(call, &big_type, &value.big) == 0);
        else
            CHECK(statictramp_raw_next(call, *type == 'i' ? STATICTRAMP_KIND_INT32 : *type == 'l' ? LONG_KIND : STATICTRAMP_KIND_DOUBLE,
                                       &value) == 0);
        sum = 10 * sum + (*type == 'i' ? value.i : *type == 'l' ? value.l : *type == 's' ? value.big.a[4] : (long)value.d);
    }
    CHECK(statictramp_raw_return(call, LONG_KIND, &sum) == 0);
}

/* A result that is expected but not set is 0. */
static void sets_none(void *context, statictramp_raw_call *call)
{
    CHECK(statictramp_raw_expect(call, context, STATICTRAMP_NOT_VARIADIC) == 0);
}

struct longest {
    long double x;
};

static void test_no_result(void)
{
    static const statictramp_leaf leaf = {0, STATICTRAMP_KIND_LONG_DOUBLE, NULL};
    static const statictramp_struct longest = {sizeof(struct longest), 1, &leaf};
    statictramp_fn sets =
        statictramp_bind_first(FN(big_of), (void *)7, (1 + LAST_FLOAT_TAKES) | STATICTRAMP_RESULT_IN_MEMORY);
    statictramp_fn none = statictramp_bind_raw(sets_none, (void *)&big_type);
    statictramp_fn x87 = statictramp_bind_raw(sets_none, (void *)&longest);
    for (int i = 0; i < 2; i++) { /* from one call site, so that both results are at the same address */
        struct big big = ((struct big(*)(int, double))(i ? none : sets))(-4, 2.5);
        CHECK(big.a[0] == (i ? 0 : 7) && big.a[4] == (i ? 0 : 9));
    }
    for (int i = 0; i < 20; i++)
        CHECK(((struct longest(*)(void))x87)().x == 0);
    CHECK(statictramp_free(sets) == 0 && statictramp_free(none) == 0 && statictramp_free(x87) == 0);
}

static void test_bind_raw(void)
{
    statictramp_fn t = statictramp_bind_raw(bad_raw, NULL), callee;
    void *context = &callee;
    CHECK(t != NULL && statictramp_lookup(t, &callee, &context) == 1 && callee == FN(bad_raw) && context == NULL);
    CHECK(((long (*)(long, long))t)(42, 43) == 0); /* no result was set */
    CHECK(statictramp_rebind(t, &out) == 0);
    volatile int jumped = 0;
    if (setjmp(out) == 0)
        ((long (*)(long, long))t)(42, 43);
    else
        jumped = 1;
    CHECK(jumped && statictramp_free(t) == 0);

    /* A variadic caller. */
    struct big big = {{0, 0, 0, 0, 6}};
    t = statictramp_bind_raw(sum_all, "iidlsdddddddddl");
    CHECK(((long (*)(int, ...))t)(1, 2, 3.0, 4l, big, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 7l) % 1000000007 ==
          123461111111117 % 1000000007 || sizeof(long) == 4);
    CHECK(statictramp_free(t) == 0);
    errno = 0;
    CHECK(statictramp_bind_raw(NULL, NULL) == NULL && errno == EINVAL);
    CHECK(statictramp_live() == 0);
}

static void test_lookup_and_free(void)
{
    int context = 0;
    statictramp_fn callee = FN(test_bind);
    void *chain = &callee;
    statictramp_fn t = statictramp_alloc(FN(the_chain), &context);
    statictramp_fn never = (statictramp_fn)((char *)t + 64 * (STUB_STRIDE));
    if (statictramp_lookup(never, NULL, NULL) == -1) /* its stub would be after the last one */
        never = (statictramp_fn)((char *)t - 64 * (STUB_STRIDE));
    statictramp_fn interior = (statictramp_fn)((char *)t + 4);
    statictramp_fn bad[] = {NULL, FN(the_chain), interior, FN(&context), (statictramp_fn)-1};

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        errno = 0;
        CHECK(statictramp_free(bad[i]) == -1 && errno == EINVAL);
        errno = 0;
        CHECK(statictramp_lookup(bad[i], &callee, &chain) == -1 && errno == 0);
        CHECK(callee == FN(test_bind) && chain == &callee);
    }
    CHECK(statictramp_lookup(never, &callee, &chain) == 0 && callee == NULL && chain == NULL);
    CHECK(statictramp_free(never) == -1);

    CHECK(statictramp_lookup(t, NULL, NULL) == 1);
    CHECK(statictramp_lookup(t, &callee, NULL) == 1 && callee == FN(the_chain));
    CHECK(statictramp_lookup(t, NULL, &chain) == 1 && chain == &context);
    CHECK(statictramp_free(t) == 0);
    CHECK(statictramp_lookup(t, &callee, &chain) == 0 && callee == FN(the_chain) && chain == NULL);
    errno = 0;
    CHECK(statictramp_free(t) == -1 && errno == EINVAL);
    CHECK(statictramp_live() == 0);
}

static void test_full(void)
{
    size_t n = statictramp_capacity();
    statictramp_fn *all = malloc(n * sizeof *all);
    for (size_t i = 0; i < n; i++) {
        all[i] = i % 2 ? statictramp_alloc(FN(the_chain), all + i)
                 : i % 4 ? statictramp_bind(FN(six), all + i, 0)
                         : statictramp_bind_first(FN(five), all + i, 2);
        CHECK(all[i] != NULL);
    }
    errno = 0;
    CHECK(statictramp_alloc(FN(the_chain), NULL) == NULL && errno == ENOMEM);
    errno = 0;
    CHECK(statictramp_bind(FN(six), NULL, 0) == NULL && errno == ENOMEM);
    errno = 0;
    CHECK(statictramp_bind_first(FN(five), NULL, 0) == NULL && errno == ENOMEM);
    errno = 0;
    CHECK(statictramp_bind_raw(sum_all, NULL) == NULL && errno == ENOMEM);
    CHECK(statictramp_live() == n);
    for (size_t i = 1; i < n; i += 2)
        CHECK(((void *(*)(void))all[i])() == all + i);
    for (size_t i = 0; i < n; i++)
        CHECK(statictramp_free(all[i]) == 0);
    CHECK(statictramp_live() == 0);
    statictramp_fn t = statictramp_alloc(FN(the_chain), NULL);
    CHECK(t != NULL && statictramp_free(t) == 0);
    free(all);
}

static void call_dead(void)
{
    statictramp_fn t = statictramp_alloc(FN(the_chain), NULL);
    statictramp_free(t);
    ((void *(*)(void))t)();
}

static void on_dead(size_t slot, statictramp_fn former_callee)
{
    _exit(slot < statictramp_capacity() && former_callee == FN(the_chain) ? 42 : 43);
}

static void call_dead_with_handler(void)
{
    statictramp_on_dead_call(on_dead);
    call_dead();
}

static void call_dead_with_default_again(void)
{
    statictramp_on_dead_call(on_dead);
    statictramp_on_dead_call(NULL);
    call_dead();
}

static void test_dead_call(void)
{
    char text[512], wanted[64];
    int status = in_child(call_dead, text, sizeof text);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    snprintf(wanted, sizeof wanted, "former callee %p", (void *)the_chain);
    CHECK(strncmp(text, "statictramp: ", 13) == 0 && strstr(text, "slot ") && strstr(text, wanted));
    CHECK(strchr(text, '\n') == text + strlen(text) - 1);

    status = in_child(call_dead_with_handler, text, sizeof text);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 42);
    status = in_child(call_dead_with_default_again, text, sizeof text);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

const void *_FortranAInitTrampoline(void *scratch, const void *callee, const void *chain);
const void *_FortranAAdjustTrampoline(const void *handle);
void _FortranAFreeTrampoline(void *handle);
void *_FortranATrampolineInit(void *scratch, const void *callee, const void *chain);
void *_FortranATrampolineAdjust(void *handle);
void _FortranATrampolineFree(void *handle);

static void init_null(void) { _FortranATrampolineInit(NULL, NULL, NULL); }
static void free_foreign(void) { _FortranATrampolineFree(stderr); }
static void free_twice(void)
{
    void *handle = _FortranATrampolineInit(NULL, (const void *)the_chain, NULL);
    _FortranATrampolineFree(handle);
    _FortranATrampolineFree(handle);
}
static void init_too_many(void)
{
    for (size_t i = 0; i <= statictramp_capacity(); i++)
        _FortranAInitTrampoline(NULL, (const void *)the_chain, (const void *)i); /* equal content would be shared */
}

static void test_flang(void)
{
    int context = 0;
    const void *handle = _FortranAInitTrampoline(NULL, (const void *)the_chain, &context);
    CHECK(((void *(*)(void))_FortranAAdjustTrampoline(handle))() == &context);
    _FortranAFreeTrampoline((void *)handle);
    void *other = _FortranATrampolineInit(&context, (const void *)the_chain, &context);
    CHECK(((void *(*)(void))_FortranATrampolineAdjust(other))() == &context);
    _FortranATrampolineFree(other);
    _FortranATrampolineFree(NULL);
    _FortranAFreeTrampoline(NULL);
    CHECK(statictramp_live() == 0);

    void (*fatal[])(void) = {init_null, free_foreign, free_twice, init_too_many};
    const char *says[] = {"null", "not a trampoline of this copy", "already dead", "STATICTRAMP_SLOTS"};
    for (size_t i = 0; i < 4; i++) {
        char text[512];
        int status = in_child(fatal[i], text, sizeof text);
        CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
        CHECK(strncmp(text, "statictramp: ", 13) == 0 && strstr(text, says[i]) != NULL);
    }
}

void __gcc_nested_func_ptr_created(void *chain, void *function, void *destination);
void __gcc_nested_func_ptr_deleted(void);

static void delete_none(void) { __gcc_nested_func_ptr_deleted(); }

static void test_gcc(void)
{
    statictramp_fn first, second;
    int a = 0, b = 0;
    __gcc_nested_func_ptr_created(&a, (void *)the_chain, &first);
    __gcc_nested_func_ptr_created(&b, (void *)the_chain, &second);
    CHECK(((void *(*)(void))first)() == &a && ((void *(*)(void))second)() == &b);
    CHECK(statictramp_live() == 2);
    __gcc_nested_func_ptr_deleted();
    CHECK(statictramp_lookup(second, NULL, NULL) == 0 && statictramp_lookup(first, NULL, NULL) == 1);
    __gcc_nested_func_ptr_deleted();
    CHECK(statictramp_live() == 0);

    char text[512];
    int status = in_child(delete_none, text, sizeof text);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT && strncmp(text, "statictramp: ", 13) == 0);
}

int main(void)
{
    CHECK(statictramp_version() == STATICTRAMP_VERSION);
    statictramp_set_limit(statictramp_capacity()); /* the current capacity is the limit; grow.c tests growth */
    CHECK(statictramp_live() == 0);
    test_alloc();
    test_bind();
    test_bind_first();
    test_bind_raw();
    test_no_result();
    test_lookup_and_free();
    test_full();
    test_dead_call();
    test_flang();
    test_gcc();
    puts("plain.c: ok");
    return 0;
}
