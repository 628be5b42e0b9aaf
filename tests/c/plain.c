/* Every function of statictramp.h, with good input and with bad. */

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
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
    /* A result in memory takes the first register (not on AArch64), floating-point parameters take none. */
    statictramp_fn t = statictramp_bind(FN(in_memory), (void *)77, HIDDEN_RESULT_TAKES);
    struct big big = ((struct big(*)(void *, double, int))t)(NULL, 2.5, -3);
    CHECK(big.a[0] == 77 && big.a[1] == 10 && big.a[2] == -3 && big.a[4] == 7);
    CHECK(statictramp_free(t) == 0);
    t = statictramp_bind(FN(mixed), "four", 0);
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

static void test_lookup_and_free(void)
{
    int context = 0;
    statictramp_fn callee = FN(test_bind);
    void *chain = &callee;
    statictramp_fn t = statictramp_alloc(FN(the_chain), &context);
    statictramp_fn never = (statictramp_fn)((char *)t + 64 * (STUB_STRIDE));
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
        all[i] = i % 2 ? statictramp_alloc(FN(the_chain), all + i) : statictramp_bind(FN(six), all + i, 0);
        CHECK(all[i] != NULL);
    }
    errno = 0;
    CHECK(statictramp_alloc(FN(the_chain), NULL) == NULL && errno == ENOMEM);
    errno = 0;
    CHECK(statictramp_bind(FN(six), NULL, 0) == NULL && errno == ENOMEM);
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

static void told(size_t slot, statictramp_fn late_callee)
{
    _exit(slot < statictramp_capacity() && late_callee == FN(the_chain) ? 42 : 43);
}

static void call_dead_with_handler(void)
{
    statictramp_on_dead_call(told);
    call_dead();
}

static void call_dead_with_default_again(void)
{
    statictramp_on_dead_call(told);
    statictramp_on_dead_call(NULL);
    call_dead();
}

static void test_dead_call(void)
{
    char text[512], wanted[64];
    int status = in_child(call_dead, text, sizeof text);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    snprintf(wanted, sizeof wanted, "late callee %p", (void *)the_chain);
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
    const char *says[] = {"null", "not a trampoline of this copy", "dead already", "STATICTRAMP_SLOTS"};
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
    statictramp_set_limit(statictramp_capacity()); /* full is full here; grow.c has the rest */
    CHECK(statictramp_live() == 0);
    test_alloc();
    test_bind();
    test_lookup_and_free();
    test_full();
    test_dead_call();
    test_flang();
    test_gcc();
    puts("plain.c: ok");
    return 0;
}
