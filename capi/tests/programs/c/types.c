/* statictramp_bind_types, statictramp_bind_types_last, STATICTRAMP_BIND, statictramp_raw_check and statictramp_reserve, with valid
   and invalid input.
   Random signatures are in capi/tests/programs/signatures. */

#include <complex.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../../tests/common/check.h"
#include "statictramp.h"

enum unsigned_enum { ONE = 1 };
enum signed_enum { MINUS = -1 };
struct incomplete;
typedef int (*function_pointer)(int);
struct large { char bytes[20000]; };
struct small { int a; double b; };

static int twice(int x) { return 2 * x; }
static int alone(const int *context) { return *context; }
static void nothing(int *context) { *context = 7; }
static long double every_kind(int *c, _Bool b, char ch, signed char sc, unsigned char uc, short s, unsigned short us, int i,
                              unsigned u, long l, unsigned long ul, long long ll, unsigned long long ull, float f, double d,
                              long double ld, enum unsigned_enum ue, enum signed_enum se, function_pointer fp,
                              struct incomplete *p, const volatile void *cv, const char *const *strings, const int ci)
{
    return *c + b + ch + sc + uc + s + us + i + u + (long double)l + ul + ll + ull + f + d + ld + ue + se + fp(1) + (p != NULL) +
           (cv != NULL) + strings[0][0] + ci;
}

static void test_macro(void)
{
    int context = 3;
    statictramp_fn f = STATICTRAMP_BIND(alone, &context, int);
    CHECK(f && ((int (*)(void))f)() == 3 && statictramp_free(f) == 0);
    f = STATICTRAMP_BIND(nothing, &context, void);
    CHECK(f);
    ((void (*)(void))f)();
    CHECK(context == 7 && statictramp_free(f) == 0);
    const char *const strings[] = {"\5"};
    f = STATICTRAMP_BIND(every_kind, &context, long double, _Bool, char, signed char, unsigned char, short, unsigned short, int,
                         unsigned, long, unsigned long, long long, unsigned long long, float, double, long double,
                         enum unsigned_enum, enum signed_enum, function_pointer, struct incomplete *, const volatile void *,
                         const char *const *, const int);
    long double (*typed)(_Bool, char, signed char, unsigned char, short, unsigned short, int, unsigned, long, unsigned long,
                         long long, unsigned long long, float, double, long double, enum unsigned_enum, enum signed_enum,
                         function_pointer, struct incomplete *, const volatile void *, const char *const *, const int) =
        (long double (*)(_Bool, char, signed char, unsigned char, short, unsigned short, int, unsigned, long, unsigned long,
                         long long, unsigned long long, float, double, long double, enum unsigned_enum, enum signed_enum,
                         function_pointer, struct incomplete *, const volatile void *, const char *const *, const int))f;
    CHECK(f && typed(1, 2, -3, 250, -300, 60000, -70000, 4000000000u, -5, 6, -(1ll << 40), 1ull << 41, 0.5f, 0.25, 0.125L, ONE,
                     MINUS, twice, NULL, &context, strings, 9) ==
                   7 + 1 + 2 - 3 + 250 - 300 + 60000 - 70000 + 4000000000.0L - 5 + 6 + (1ll << 40) + 0.875L + 0 + 2 + 1 + 5 + 9);
    statictramp_fn callee;
    void *found;
    CHECK(statictramp_lookup(f, &callee, &found) == 1 && callee == FN(every_kind) && found == &context);
    CHECK(statictramp_free(f) == 0 && statictramp_live() == 0);
}

#if !defined __powerpc__ || defined __powerpc64__
static double _Complex conjugate(void *context, float _Complex z) { return conj(z) + *(int *)context; }
static void test_complex(void)
{
    int one = 1;
    statictramp_fn f = STATICTRAMP_BIND(conjugate, &one, double _Complex, float _Complex);
    CHECK(f && ((double _Complex(*)(float _Complex))f)(2 + 3 * I) == 3 - 3 * I && statictramp_free(f) == 0);
}
#else
static void test_complex(void) {}
#endif

#ifndef __STDC_NO_ATOMICS__
/* No atomic type of 8 bytes is read, because that takes libatomic on 32-bit PowerPC. */
static double atomic(int *context, _Atomic(int) i, const _Atomic(float) d, _Atomic(char *) s, _Atomic(_Bool) b, _Atomic(short) h)
{
    return *context + i + d + *s + b + h;
}
static void test_atomic(void)
{
    int two = 2;
    char three = 3;
    statictramp_fn f = STATICTRAMP_BIND(atomic, &two, _Atomic(double), _Atomic(int), const _Atomic(float), _Atomic(char *),
                                        _Atomic(_Bool), _Atomic(short));
    CHECK(f && ((double (*)(int, float, char *, _Bool, short))f)(-7, 0.25f, &three, 1, -300) == 2 - 7 + 0.25 + 3 + 1 - 300);
    CHECK(statictramp_free(f) == 0);
}
#else
static void test_atomic(void) {}
#endif

/* A target either has a kind of vectors, for all functions, or rejects it. */
static int seventh(void) { return 7; }
static void test_vectors(void)
{
#if defined __x86_64__ || defined __aarch64__ || defined __ARM_PCS_VFP
    const int have[] = {1, 1};
#elif defined __powerpc64__
    const int have[] = {0, 1};
#else
    const int have[] = {0, 0};
#endif
    for (int i = 0; i < 2; i++) {
        const statictramp_leaf leaf = {0, STATICTRAMP_KIND_VECTOR64 + (unsigned)i, NULL};
        const statictramp_struct of = {8u << i, 1, &leaf};
        const statictramp_type types[] = {{STATICTRAMP_KIND_VECTOR64 + (unsigned)i, NULL}, {STATICTRAMP_KIND_STRUCT, &of}};
        for (int j = 0; j < 2; j++) {
            errno = 0;
            CHECK(statictramp_raw_check(NULL, &types[j], 1, 1) == have[i] - 1 && errno == (have[i] ? 0 : EINVAL));
            for (int as_result = 0; as_result < 2; as_result++) {
                errno = 0;
                statictramp_fn f = statictramp_bind_types(FN(seventh), NULL, as_result ? &types[j] : NULL, &types[j], !as_result);
                CHECK(have[i] ? f != NULL && statictramp_free(f) == 0 : f == NULL && errno == EINVAL);
            }
        }
    }
}

/* Structs of floats. On some processors, the floating-point registers run out in the middle of a struct, and compilers then take a
   float from a register or from memory. */
struct floats4 { float a, b, c, d; };
struct floats6 { float a, b, c, d, e, f; };

static int count4(const int *context, struct floats4 p, struct floats4 q, struct floats4 r, struct floats4 s)
{
    CHECK(p.a == 1 && p.d == 4 && q.a == 5 && q.d == 8 && r.a == 9 && r.d == 12);
    CHECK(s.a == 13 && s.b == 14 && s.c == 15 && s.d == 16);
    return *context;
}

static int count6(const int *context, struct floats6 p, struct floats6 q, struct floats6 r)
{
    CHECK(p.a == 1 && p.f == 6 && q.a == 7 && q.f == 12);
    CHECK(r.a == 13 && r.b == 14 && r.c == 15 && r.d == 16 && r.e == 17 && r.f == 18);
    return *context;
}

static void test_structs_of_floats(void)
{
    int context = 3;
    statictramp_leaf leaves[6];
    for (size_t i = 0; i < 6; i++)
        leaves[i] = (statictramp_leaf){i * sizeof(float), STATICTRAMP_KIND_FLOAT, NULL};
    const statictramp_struct of4 = {sizeof(struct floats4), 4, leaves};
    const statictramp_struct of6 = {sizeof(struct floats6), 6, leaves};
    const statictramp_type type4 = {STATICTRAMP_KIND_STRUCT, &of4}, type6 = {STATICTRAMP_KIND_STRUCT, &of6};
    const statictramp_type types4[] = {type4, type4, type4, type4}, types6[] = {type6, type6, type6};
    const statictramp_type result = {STATICTRAMP_KIND_INT32, NULL};
    statictramp_fn f = statictramp_bind_types(FN(count4), &context, &result, types4, 4);
    CHECK(f);
    int (*call4)(struct floats4, struct floats4, struct floats4, struct floats4) =
        (int (*)(struct floats4, struct floats4, struct floats4, struct floats4))f;
    CHECK(call4((struct floats4){1, 2, 3, 4}, (struct floats4){5, 6, 7, 8}, (struct floats4){9, 10, 11, 12},
                (struct floats4){13, 14, 15, 16}) == 3);
    CHECK(statictramp_free(f) == 0);
    f = statictramp_bind_types(FN(count6), &context, &result, types6, 3);
    CHECK(f);
    int (*call6)(struct floats6, struct floats6, struct floats6) = (int (*)(struct floats6, struct floats6, struct floats6))f;
    CHECK(call6((struct floats6){1, 2, 3, 4, 5, 6}, (struct floats6){7, 8, 9, 10, 11, 12},
                (struct floats6){13, 14, 15, 16, 17, 18}) == 3);
    CHECK(statictramp_free(f) == 0);
}

static long last_of_two(int x, const long *context) { return x + *context; }
static double last_of_many(double a, long b, long c, long d, long e, long f, long g, long h, long i, struct small s, const long *context)
{
    return a + (double)(b + 2 * c + 3 * d + 4 * e + 5 * f + 6 * g + 7 * h + 8 * i) + s.a + s.b + (double)*context;
}
/* Passes the context after the arguments, in a register and on the stack. */
static void test_last(void)
{
    static const statictramp_leaf leaves[] = {{0, STATICTRAMP_KIND_INT32, NULL}, {offsetof(struct small, b), STATICTRAMP_KIND_DOUBLE, NULL}};
    static const statictramp_struct of = {sizeof(struct small), 2, leaves};
    statictramp_type types[65] = {{STATICTRAMP_KIND_INT32, NULL}};
    long forty = 40, fifty = 50;
    void *found;
    const statictramp_type result = {LONG_KIND, NULL};
    statictramp_fn f = statictramp_bind_types_last(FN(last_of_two), &forty, &result, types, 1);
    CHECK(f && ((long (*)(int))f)(2) == 42 && statictramp_rebind(f, &fifty) == 0 && ((long (*)(int))f)(2) == 52);
    CHECK(statictramp_lookup(f, NULL, &found) == 1 && found == &fifty && statictramp_free(f) == 0);
    for (int i = 0; i < 65; i++)
        types[i] = (statictramp_type){i ? LONG_KIND : STATICTRAMP_KIND_DOUBLE, NULL};
    const statictramp_type number = types[0];
    types[9] = (statictramp_type){STATICTRAMP_KIND_STRUCT, &of};
    f = statictramp_bind_types_last(FN(last_of_many), &forty, &number, types, 10);
    double (*many)(double, long, long, long, long, long, long, long, long, struct small) =
        (double (*)(double, long, long, long, long, long, long, long, long, struct small))f;
    CHECK(f && many(0.5, 1, 1, 1, 1, 1, 1, 1, 1, (struct small){3, 0.25}) == 0.5 + 36 + 3 + 0.25 + 40);
    CHECK(statictramp_rebind(f, &fifty) == 0 && many(0.5, 1, 1, 1, 1, 1, 1, 1, 1, (struct small){3, 0.25}) == 0.5 + 36 + 3 + 0.25 + 50);
    CHECK(statictramp_free(f) == 0);
    f = statictramp_bind_types_last(FN(alone), NULL, NULL, types, 64);
    CHECK(f && statictramp_free(f) == 0);
    errno = 0;
    CHECK(!statictramp_bind_types_last(FN(alone), NULL, NULL, types, 65) && errno == EINVAL);
    errno = 0;
    CHECK(!statictramp_bind_types_last(FN(alone), NULL, NULL, NULL, 1) && errno == EINVAL);
    for (size_t count = 0; count <= 64; count += 64) { /* without and with a plan */
        errno = 0;
        CHECK(!statictramp_bind_types_last(NULL, NULL, NULL, types, count) && errno == EINVAL);
    }
    types[0].kind = 20;
    errno = 0;
    CHECK(!statictramp_bind_types_last(FN(alone), NULL, NULL, types, 1) && errno == EINVAL);
    CHECK(!statictramp_bind_types_last(FN(alone), NULL, types, NULL, 0) && errno == EINVAL && statictramp_live() == 0);
}

static statictramp_leaf bytes[sizeof(struct large)];
static const statictramp_struct large_type = {sizeof(struct large), sizeof(struct large), bytes};
static const statictramp_type four_large[4] = {
    {STATICTRAMP_KIND_STRUCT, &large_type}, {STATICTRAMP_KIND_INT32, NULL}, {STATICTRAMP_KIND_STRUCT, &large_type}, {STATICTRAMP_KIND_INT32, NULL}};
static int last(const char *context, struct large first, int x, struct large second, int y)
{
    return *context + first.bytes[19999] + x + second.bytes[19998] + y;
}
/* Passes arguments that take more stack than a page, on a thread with a small stack. */
static void *with_large(void *unused)
{
    static const struct large first = {.bytes[19999] = 1}, second = {.bytes[19998] = 2};
    statictramp_fn f = statictramp_bind_types(FN(last), "\100", &four_large[1], four_large, 4);
    CHECK(f && ((int (*)(struct large, int, struct large, int))f)(first, 10, second, 100) == 64 + 1 + 10 + 2 + 100);
    CHECK(statictramp_free(f) == 0);
    return unused;
}

static jmp_buf out;
static long leave(long *context, long a, long b, long c, long d, long e, long f, long g, long h, struct small s)
{
    if (s.a)
        longjmp(out, 1);
    return *context + a + b + c + d + e + f + g + h + (long)s.b;
}
static const statictramp_leaf small_leaves[] = {{0, STATICTRAMP_KIND_INT32, NULL}, {offsetof(struct small, b), STATICTRAMP_KIND_DOUBLE, NULL}};
static const statictramp_struct small_type = {sizeof(struct small), 2, small_leaves};

/* A context that changes, and a longjmp through an adapter that moves the stack's arguments. */
static void test_stack(void)
{
    statictramp_type types[9];
    for (int i = 0; i < 8; i++)
        types[i] = (statictramp_type){LONG_KIND, NULL};
    types[8] = (statictramp_type){STATICTRAMP_KIND_STRUCT, &small_type};
    long hundred = 100, thousand = 1000;
    static const struct small leaving = {1, 0};
    statictramp_fn f = statictramp_bind_types(FN(leave), &hundred, types, types, 9);
    statictramp_fn same = statictramp_bind_types(FN(leave), &thousand, types, types, 9);
    memset(types, 0xff, sizeof types); /* they have been read already */
    long (*typed)(long, long, long, long, long, long, long, long, struct small) =
        (long (*)(long, long, long, long, long, long, long, long, struct small))f;
    CHECK(f && typed(1, 2, 3, 4, 5, 6, 7, 8, (struct small){0, 9.5}) == 145);
    CHECK(same && statictramp_rebind(f, &thousand) == 0 && typed(1, 2, 3, 4, 5, 6, 7, 8, (struct small){0, 9.5}) == 1045);
    for (volatile int i = 0; i < 1000; i++)
        if (setjmp(out) == 0) {
            typed(1, 2, 3, 4, 5, 6, 7, 8, leaving);
            CHECK(0);
        }
    CHECK(statictramp_free(f) == 0 && statictramp_free(same) == 0 && statictramp_free(f) == -1);
}

/* After statictramp_reserve, the first signatures need no memory. This test runs before any other, in its own child. */
static void test_without_memory(void)
{
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        const struct rlimit none = {0, 0};
        CHECK(statictramp_reserve(0) == 0 && setrlimit(RLIMIT_AS, &none) == 0);
        for (size_t size = 17; size < 17 + 25; size++) { /* each size needs a plan of its own */
            statictramp_type types[64];
            const statictramp_leaf ends[] = {{0, STATICTRAMP_KIND_INT8, NULL}, {16 * size - 1, STATICTRAMP_KIND_INT8, NULL}};
            const statictramp_struct described = {16 * size, 2, ends};
            for (int i = 0; i < 64; i++)
                types[i] = (statictramp_type){i % 3 == 2 ? STATICTRAMP_KIND_DOUBLE : STATICTRAMP_KIND_POINTER, NULL};
            types[20] = (statictramp_type){STATICTRAMP_KIND_STRUCT, &described};
            statictramp_fn f = statictramp_bind_types(FN(alone), NULL, NULL, types, 64);
            CHECK(f && statictramp_free(f) == 0);
        }
        _exit(0);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
}

static void test_errors(void)
{
    static statictramp_type types[65];
    for (int i = 0; i < 65; i++)
        types[i].kind = i % 3 ? STATICTRAMP_KIND_DOUBLE : STATICTRAMP_KIND_INT8;
    statictramp_fn f = statictramp_bind_types(FN(alone), NULL, NULL, types, 64);
    CHECK(f && statictramp_free(f) == 0);
    errno = 0;
    CHECK(!statictramp_bind_types(FN(alone), NULL, NULL, types, 65) && errno == EINVAL);
    errno = 0;
    CHECK(!statictramp_bind_types(FN(alone), NULL, NULL, types, (size_t)-1) && errno == EINVAL);
    for (size_t count = 0; count <= 64; count += 64) { /* without and with a plan */
        errno = 0;
        CHECK(!statictramp_bind_types(NULL, NULL, NULL, types, count) && errno == EINVAL);
    }
    errno = 0;
    CHECK(!statictramp_bind_types(FN(alone), NULL, NULL, NULL, 1) && errno == EINVAL);
    CHECK(statictramp_raw_check(NULL, NULL, 1, STATICTRAMP_NOT_VARIADIC) == -1 && errno == EINVAL);
    CHECK(statictramp_raw_check(NULL, NULL, 0, STATICTRAMP_NOT_VARIADIC) == 0);
    CHECK(statictramp_raw_check(types, types, 65, 1) == 0);

    /* Rejects invalid types: a struct that contains itself, a missing struct, missing members, bad layouts, no kind. */
    static statictramp_struct own;
    static const statictramp_leaf of_own = {0, STATICTRAMP_KIND_STRUCT, &own};
    own = (statictramp_struct){8, 1, &of_own};
    static const statictramp_leaf twice_there[] = {{0, STATICTRAMP_KIND_INT32, NULL}, {2, STATICTRAMP_KIND_INT32, NULL}};
    static const statictramp_struct overlapping = {8, 2, twice_there}, no_members = {8, 2, NULL}, padded = {24, 2, small_leaves};
    static const statictramp_leaf far = {(size_t)-2, STATICTRAMP_KIND_INT8, NULL};
    static const statictramp_struct too_large = {(size_t)-1, 1, &far};
    const statictramp_type bad[] = {{STATICTRAMP_KIND_STRUCT, &own}, {STATICTRAMP_KIND_STRUCT, NULL}, {STATICTRAMP_KIND_STRUCT, &no_members},
                                    {STATICTRAMP_KIND_STRUCT, &overlapping}, {STATICTRAMP_KIND_STRUCT, &padded},
                                    {STATICTRAMP_KIND_STRUCT, &too_large}, {0, NULL}, {20, NULL}, {UINT_MAX, NULL}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        errno = 0;
        CHECK(!statictramp_bind_types(FN(alone), NULL, NULL, &bad[i], 1) && errno == EINVAL);
        errno = 0;
        CHECK(!statictramp_bind_types(FN(alone), NULL, &bad[i], NULL, 0) && errno == EINVAL);
        errno = 0;
        CHECK(statictramp_raw_check(NULL, &bad[i], 1, STATICTRAMP_NOT_VARIADIC) == -1 && errno == EINVAL);
        CHECK(statictramp_raw_check(&bad[i], NULL, 0, STATICTRAMP_NOT_VARIADIC) == -1);
    }
    CHECK(statictramp_live() == 0);
}

static void test_reserve(void)
{
    size_t at_first = statictramp_capacity();
    CHECK(statictramp_reserve(0) == 0 && statictramp_reserve(at_first) == 0 && statictramp_capacity() == at_first);
    statictramp_set_limit(3 * at_first);
    errno = 0;
    CHECK(statictramp_reserve(3 * at_first + 1) == -1 && errno == ENOMEM && statictramp_capacity() == at_first);
    CHECK(statictramp_reserve(at_first + 1) == 0 && statictramp_capacity() == 2 * at_first);
    CHECK(statictramp_reserve(3 * at_first) == 0 && statictramp_capacity() == 3 * at_first);
    errno = 0;
    CHECK(statictramp_reserve((size_t)-1) == -1 && errno == ENOMEM);
}

#ifdef __x86_64__
#define MS __attribute__((ms_abi))
MS static long after_none(long *c) { return *c; }
MS static long after_one(int a, long *c) { return a + *c; }
MS static double after_two(double a, int b, long *c) { return a * b + (double)*c; }
MS static long after_three(const char *a, double b, int d, long *c) { return *c += *a + (long)b + d; }

/* The context is the parameter after the caller's, in a register that the caller does not use. */
static void test_ms_abi(void)
{
    long context = 100;
    statictramp_fn f[] = {statictramp_bind((statictramp_fn)after_none, &context, 3),
                          statictramp_bind((statictramp_fn)after_one, &context, 2),
                          statictramp_bind((statictramp_fn)after_two, &context, 4),
                          statictramp_bind((statictramp_fn)after_three, &context, 5)};
    CHECK(((MS long (*)(void))f[0])() == 100 && ((MS long (*)(int))f[1])(7) == 107);
    CHECK(((MS double (*)(double, int))f[2])(2.5, 3) == 107.5);
    CHECK(((MS long (*)(const char *, double, int))f[3])("\1", 2.5, 4) == 107 && context == 107);
    for (int i = 0; i < 4; i++)
        CHECK(statictramp_free(f[i]) == 0);
}
#else
static void test_ms_abi(void) {}
#endif

int main(void)
{
    for (size_t i = 0; i < sizeof(struct large); i++)
        bytes[i] = (statictramp_leaf){i, STATICTRAMP_KIND_INT8, NULL};
    test_without_memory();
    test_macro();
    test_complex();
    test_atomic();
    test_vectors();
    test_structs_of_floats();
    test_last();
    test_ms_abi();
    pthread_t thread;
    pthread_attr_t attributes;
    CHECK(pthread_attr_init(&attributes) == 0 && pthread_attr_setstacksize(&attributes, 512 << 10) == 0);
    CHECK(pthread_create(&thread, &attributes, with_large, NULL) == 0 && pthread_join(thread, NULL) == 0);
    test_stack();
    test_errors();
    test_reserve();
    puts("types.c: ok");
}
