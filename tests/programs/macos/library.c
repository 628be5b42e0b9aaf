/* Tests libstatictramp, which is called as C programs and code compiled by flang call it. Each
   function returns 0, or the line number of the first error. */

#include "statictramp.h"

#define CHECK(condition) do { if (!(condition)) return __LINE__; } while (0)

typedef long callee(long x, double y);
callee nested; /* LLVM's nest: tests/programs/cross/nest.ll */
int *__error(void);

/* Defined by run.py: the system call that fails from now on, "" for none; the number of bytes that mach_vm_allocate has
   returned; whether mach_vm_protect was called since the last query. */
void stand_in_denies(const char *what);
unsigned long stand_in_allocated(void);
int stand_in_took_away(void);

const void *_FortranAInitTrampoline(void *scratch, const void *callee, const void *chain);
const void *_FortranAAdjustTrampoline(const void *handle);
void _FortranAFreeTrampoline(const void *handle);
void __gcc_nested_func_ptr_created(void *chain, const void *callee, void **destination);
void __gcc_nested_func_ptr_deleted(void);
const void *statictramp_share(const void *callee, const void *chain);

static double scaled(int x, double y, const double *factor, signed char z) { return *factor * (x + y + z); }
static double first(const double *factor, int x, double y, short z) { return *factor * (x + y + z); }

/* All integer registers but one, and more floating-point arguments than registers: on AArch64 the ninth double and the
   float after it are adjacent on the stack. */
#if defined(__aarch64__)
enum { REGISTERS = 8 };
#define INTEGERS(type, f, type2, g) , type f, type2 g
#define VALUES(f, g) , f, g
#else
enum { REGISTERS = 6 };
#define INTEGERS(type, f, type2, g)
#define VALUES(f, g)
static const int f = 0, g = 0;
#endif
typedef double many(signed char, short, int, long, signed char INTEGERS(short, f, int, g), double, double, double, double, double, double, double,
                    double, double, float);
static double many_first(const double *factor, signed char a, short b, int c, long d, signed char e INTEGERS(short, f, int, g),
                         double h, double i, double j, double k, double l, double m, double n, double o, double p, float q)
{
    return *factor * (a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + h + i + j + k + l + m + n + o + 1000 * p + 10000 * q);
}

enum { SLOTS = 1024, MORE = 5 * SLOTS };
static statictramp_fn made[MORE];
static long numbers[MORE];

int library(void)
{
    long n = 40;
    statictramp_fn t = statictramp_alloc((statictramp_fn)nested, &n);
    CHECK(t != NULL && ((callee *)t)(1, 1.5) == 42 && statictramp_live() == 1);
    n = 400;
    CHECK(((callee *)t)(2, -2.5) == 400);
    statictramp_fn found = NULL;
    void *chain = NULL;
    CHECK(statictramp_lookup(t, &found, &chain) == 1 && found == (statictramp_fn)nested && chain == &n);
    CHECK(statictramp_free(t) == 0 && statictramp_live() == 0);
    *__error() = 0;
    CHECK(statictramp_free(t) == -1 && *__error() == 22);
    CHECK(statictramp_lookup(t, &found, NULL) == 0 && found == (statictramp_fn)nested);
    CHECK(statictramp_lookup((statictramp_fn)library, NULL, NULL) == -1);
    *__error() = 0;
    CHECK(statictramp_alloc(NULL, &n) == NULL && *__error() == 22);

    double factor = 0.5, other = -2;
    t = statictramp_bind((statictramp_fn)scaled, &factor, 1);
    CHECK(t != NULL && ((double (*)(int, double, const double *, signed char))t)(-7, 2.5, NULL, -3) == -3.75);
    CHECK(statictramp_rebind(t, &other) == 0);
    CHECK(((double (*)(int, double, const double *, signed char))t)(-7, 2.5, NULL, -3) == 15);
    CHECK(statictramp_lookup(t, &found, &chain) == 1 && found == (statictramp_fn)scaled && chain == &other);
    CHECK(statictramp_free(t) == 0 && statictramp_bind((statictramp_fn)scaled, &factor, REGISTERS) == NULL);
    t = statictramp_bind_first((statictramp_fn)first, &factor, 2);
    CHECK(t != NULL && ((double (*)(int, double, short))t)(-7, 2.5, -3) == -3.75);
    CHECK(statictramp_free(t) == 0);
    t = statictramp_bind_first((statictramp_fn)many_first, &factor, REGISTERS - 1);
    CHECK(t != NULL);
    CHECK(((many *)t)(-1, -2, -3, 1L << 40, -5 VALUES(-6, -7), 1, 2, 3, 4, 5, 6, 7, 8, 9, 0.25f) ==
          0.5 * (-1 - 4 - 9 + (double)(1L << 42) - 25 - (REGISTERS == 8 ? 36 + 49 : 0) + 36 + 9000 + 2500));
    CHECK(statictramp_free(t) == 0 && statictramp_bind_first((statictramp_fn)first, &factor, REGISTERS) == NULL);

    const void *handle = _FortranAInitTrampoline(NULL, (const void *)nested, &n);
    CHECK(((callee *)_FortranAAdjustTrampoline(handle))(5, 6.0) == 411);
    _FortranAFreeTrampoline(handle);
    CHECK(statictramp_live() == 0);
    const void *shared = statictramp_share((const void *)nested, &n);
    CHECK(shared == statictramp_share((const void *)nested, &n) && statictramp_live() == 1);
    CHECK(((callee *)shared)(5, 6.0) == 411 && statictramp_free((statictramp_fn)shared) == 0);

    /* Filled twice. */
    statictramp_set_limit(SLOTS);
    CHECK(statictramp_capacity() == SLOTS);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < SLOTS; i++) {
            made[i] = statictramp_alloc((statictramp_fn)nested, &numbers[i]);
            CHECK(made[i] != NULL);
            numbers[i] = 1000 * i + round;
        }
        *__error() = 0;
        CHECK(statictramp_alloc((statictramp_fn)nested, &n) == NULL && *__error() == 12 && statictramp_live() == SLOTS);
        for (int i = 0; i < SLOTS; i++)
            CHECK(((callee *)made[i])(1, 2.0) == 1000 * i + round + 3 && statictramp_free(made[i]) == 0);
    }
    CHECK(statictramp_live() == 0);
    return 0;
}

int dead_call(void)
{
    long n = 40;
    statictramp_fn t = statictramp_alloc((statictramp_fn)nested, &n);
    statictramp_free(t);
    ((callee *)t)(1, 1.5);
    return __LINE__;
}

/* A type known only at run time: f(double, struct pair, struct big, long double, short, int...). */
struct pair { double x; long y; };
struct big { long words[3]; };
static const statictramp_leaf pair_fields[] = {{0, STATICTRAMP_KIND_DOUBLE, NULL}, {8, STATICTRAMP_KIND_INT64, NULL}},
    big_fields[] = {{0, STATICTRAMP_KIND_INT64, NULL}, {8, STATICTRAMP_KIND_INT64, NULL}, {16, STATICTRAMP_KIND_INT64, NULL}};
static const statictramp_struct pair_type = {16, 2, pair_fields}, big_type = {24, 3, big_fields};

static void sums(void *context, statictramp_raw_call *call)
{
    double x = 0;
    struct pair pair = {0};
    struct big big = {0};
    long double l = 0;
    short s = 0;
    int line = statictramp_raw_expect(call, &big_type, 5);
    line |= statictramp_raw_next(call, STATICTRAMP_KIND_DOUBLE, &x) | statictramp_raw_next_struct(call, &pair_type, &pair);
    line |= statictramp_raw_next_struct(call, &big_type, &big) | statictramp_raw_next(call, STATICTRAMP_KIND_LONG_DOUBLE, &l);
    line |= statictramp_raw_next(call, STATICTRAMP_KIND_INT16, &s);
    long sum = (long)(x + pair.x + l) + pair.y + big.words[2] + s;
    for (int i = 0; i < 6; i++) {
        int n = 0;
        line |= statictramp_raw_next(call, STATICTRAMP_KIND_INT32, &n);
        sum = sum * 10 + n;
    }
    big = (struct big){{sum + line, *(long *)context, big.words[0]}};
    statictramp_raw_return_struct(call, &big_type, &big);
}

int raw(void)
{
    long n = 40;
    statictramp_fn t = statictramp_bind_raw(sums, &n);
    CHECK(t != NULL);
    struct big got = ((struct big (*)(double, struct pair, struct big, long double, short, ...))t)(
        1, (struct pair){2, 3}, (struct big){{-5, 0, 4}}, 5.0L, -6, 1, 2, 3, 4, 5, 6);
    CHECK(got.words[0] == 9123456 && got.words[1] == 40 && got.words[2] == -5);
    return statictramp_free(t) == 0 ? 0 : __LINE__;
}

/* Stack arguments: on AArch64 scalars, and floating-point numbers of one type, without padding. */
struct chars { signed char a, b, c; };
struct floats { float x, y, z; };
static const statictramp_leaf chars_leaves[] = {{0, STATICTRAMP_KIND_INT8, NULL}, {1, STATICTRAMP_KIND_INT8, NULL}, {2, STATICTRAMP_KIND_INT8, NULL}},
    floats_leaves[] = {{0, STATICTRAMP_KIND_FLOAT, NULL}, {4, STATICTRAMP_KIND_FLOAT, NULL}, {8, STATICTRAMP_KIND_FLOAT, NULL}};
static const statictramp_struct chars_type = {3, 3, chars_leaves}, floats_type = {12, 3, floats_leaves};
typedef int packed(long, long, long, long, __int128, long, __int128, signed char, short, struct chars, signed char, double, double,
                   double, double, double, double, double, double, float, struct floats, signed char, int, long double, short,
                   struct pair, struct floats, ...);

static int walks(statictramp_raw_call *call)
{
    long n;
    __int128 w;
    signed char a;
    short s;
    int i;
    double d;
    float f;
    long double l;
    struct chars chars;
    struct floats floats;
    struct pair pair;
#define NEXT(kind, value, expected) CHECK(statictramp_raw_next(call, STATICTRAMP_KIND_##kind, &value) == 0 && value == (expected))
    CHECK(statictramp_raw_expect(call, NULL, 27) == 0);
    for (int k = 1; k <= 4; k++)
        NEXT(INT64, n, k);
    NEXT(INT128, w, (__int128)5 << 64 | 6);
    NEXT(INT64, n, 7);
    NEXT(INT128, w, (__int128)-8);
    NEXT(INT8, a, -9);
    NEXT(INT16, s, -10);
    CHECK(statictramp_raw_next_struct(call, &chars_type, &chars) == 0 && chars.a == 11 && chars.b == -12 && chars.c == 13);
    NEXT(INT8, a, 14);
    for (int k = 0; k < 8; k++)
        NEXT(DOUBLE, d, k + 0.5);
    NEXT(FLOAT, f, 0.25f);
    CHECK(statictramp_raw_next_struct(call, &floats_type, &floats) == 0 && floats.x == 1 && floats.y == 2 && floats.z == 3);
    NEXT(INT8, a, -15);
    NEXT(INT32, i, -16);
    NEXT(LONG_DOUBLE, l, 17.5L);
    NEXT(INT16, s, -18);
    CHECK(statictramp_raw_next_struct(call, &pair_type, &pair) == 0 && pair.x == 19.5 && pair.y == 20);
    CHECK(statictramp_raw_next_struct(call, &floats_type, &floats) == 0 && floats.x == 4 && floats.y == 5 && floats.z == 6);
    /* Variadic, with C's promotions. */
    NEXT(INT32, i, 21);
    NEXT(DOUBLE, d, 22.5);
    CHECK(statictramp_raw_next_struct(call, &chars_type, &chars) == 0 && chars.a == 23 && chars.b == 24 && chars.c == 25);
    CHECK(statictramp_raw_next_struct(call, &floats_type, &floats) == 0 && floats.x == 7 && floats.y == 8 && floats.z == 9);
    NEXT(INT32, i, 26);
    NEXT(INT128, w, 27);
    NEXT(INT64, n, 28);
    struct big big;
    CHECK(statictramp_raw_next_struct(call, &big_type, &big) == 0 && big.words[0] == 29 && big.words[2] == 31);
    NEXT(LONG_DOUBLE, l, 32);
    return 0;
}

static void walks_all(void *context, statictramp_raw_call *call)
{
    int result = context ? __LINE__ : walks(call);
    statictramp_raw_return(call, STATICTRAMP_KIND_INT32, &result);
}

int raw_on_stack(void)
{
    statictramp_fn t = statictramp_bind_raw(walks_all, NULL);
    CHECK(t != NULL);
    int line = ((packed *)t)(1, 2, 3, 4, (__int128)5 << 64 | 6, 7, -8, -9, -10, (struct chars){11, -12, 13}, 14, 0.5, 1.5, 2.5, 3.5,
                              4.5, 5.5, 6.5, 7.5, 0.25f, (struct floats){1, 2, 3}, -15, -16, 17.5L, -18, (struct pair){19.5, 20},
                              (struct floats){4, 5, 6}, 21, 22.5, (struct chars){23, 24, 25}, (struct floats){7, 8, 9}, 26,
                              (__int128)27, 28L, (struct big){{29, 30, 31}}, 32.0L);
    return statictramp_free(t) == 0 ? line : __LINE__;
}

static int callable(int count)
{
    for (int i = 0; i < count; i++) {
        statictramp_fn found = NULL;
        void *chain = NULL;
        numbers[i] = 1000 * i;
        CHECK(((callee *)made[i])(1, 2.0) == 1000 * i + 3);
        CHECK(statictramp_lookup(made[i], &found, &chain) == 1 && found == (statictramp_fn)nested && chain == &numbers[i]);
        CHECK(i == 0 || statictramp_lookup((statictramp_fn)((char *)made[i] + 1), NULL, NULL) == -1);
    }
    return 0;
}

/* Whichever operation the system denies, the table counts as full, as if it could not grow, and none of the requested memory is
   kept. */
int denied(void)
{
    static const char *const calls[] = {"allocate", "remap", "execute", "protect"};
    long n = 0;
    statictramp_set_limit(1 << 20);
    for (int i = 0; i < SLOTS; i++)
        made[i] = statictramp_alloc((statictramp_fn)nested, &numbers[i]);
    for (int i = 0; i < 4; i++) {
        stand_in_denies(calls[i]);
        *__error() = 0;
        CHECK(statictramp_alloc((statictramp_fn)nested, &n) == NULL && *__error() == 12);
        CHECK(statictramp_live() == SLOTS && statictramp_capacity() == SLOTS && stand_in_allocated() == 0);
    }
    CHECK(stand_in_took_away());
    stand_in_denies("");
    int line = callable(SLOTS);
    for (int i = 0; i < SLOTS; i++)
        CHECK(statictramp_free(made[i]) == 0);
    return line;
}

/* The table grows from 1024 to 2048, 4096 and 8192, on the first call. */
int grown(void)
{
    int grows = statictramp_capacity() == SLOTS;
    statictramp_set_limit(1 << 20);
    for (int i = 0; i < MORE; i++) {
        stand_in_denies(i < 2 * SLOTS ? "write" : ""); /* removes the permissions that older linkers grant */
        made[i] = statictramp_alloc((statictramp_fn)nested, &numbers[i]);
        CHECK(made[i] != NULL && stand_in_took_away() == (grows && i == SLOTS));
    }
    CHECK(statictramp_capacity() == 8 * SLOTS && statictramp_live() == MORE && stand_in_allocated() > 0);
    int line = callable(MORE);
    for (int i = 0; i < MORE; i++)
        CHECK(statictramp_free(made[i]) == 0 && statictramp_free(made[i]) == -1);
    CHECK(statictramp_live() == 0);
    return line;
}

static statictramp_fn last(void)
{
    statictramp_fn t = NULL;
    statictramp_set_limit(1 << 20);
    for (int i = 0; i < MORE; i++)
        t = statictramp_alloc((statictramp_fn)nested, &numbers[i]);
    return t;
}

/* The code of added segments is not writable either, and their slots are not executable. */
int write_grown(void)
{
    *(volatile int *)last() = 0;
    return __LINE__;
}

int dead_call_grown(void)
{
    statictramp_fn t = last();
    statictramp_free(t);
    ((callee *)t)(1, 1.5);
    return __LINE__;
}

/* A host abandoned by longjmp frees nothing: its trampolines are reclaimed when the table is full. */
__attribute__((noinline)) static void leave(volatile int depth)
{
    volatile long n = depth;
    _FortranAInitTrampoline(NULL, (const void *)nested, (const void *)&n);
    if (depth > 0)
        leave(depth - 1);
    n = 0;
}

int left(void)
{
    long n = 40;
    statictramp_set_limit(SLOTS);
    for (int round = 0; round < 2; round++) {
        leave(SLOTS - 1);
        CHECK(statictramp_live() == SLOTS);
        const void *handle = _FortranAInitTrampoline(NULL, (const void *)nested, &n);
        CHECK(((callee *)handle)(1, 1.0) == 42);
        CHECK(statictramp_live() < 30); /* the outermost slots are where this host's own calls have their frames */
        _FortranAFreeTrampoline(handle);
    }
    return 0;
}

/* On a signal's alternate stack, abandoned hosts cannot be identified. */
int left_below_a_handler(void)
{
    statictramp_set_limit(SLOTS);
    stand_in_denies("on a signal stack");
    leave(SLOTS);
    return __LINE__;
}

/* Does the same as code compiled by GCC 14 or later. All hosts delete their trampolines, or none, or one in `some`. */
__attribute__((noinline)) static long host(int depth, int some)
{
    long n = depth;
    callee *f;
    __gcc_nested_func_ptr_created(&n, (const void *)nested, (void **)&f);
    long sum = f(1, 2.0);
    if (depth > 0)
        sum += host(depth - 1, some);
    if (some == 0 || (some > 1 && depth % some == 0))
        __gcc_nested_func_ptr_deleted();
    return sum;
}

int nested_functions_that_end(void)
{
    CHECK(host(100, 0) == 5050 + 303 && statictramp_live() == 0);
    return 0;
}

int nested_functions(void)
{
    CHECK(nested_functions_that_end() == 0);
    CHECK(host(100, 1) == 5050 + 303 && statictramp_live() == 101);
    CHECK(host(0, 0) == 3 && statictramp_live() == 0);
    CHECK(host(100, 3) == 5050 + 303 && statictramp_live() == 1);
    CHECK(host(0, 0) == 3 && statictramp_live() == 0);
    return 0;
}

int delete_too_much(void)
{
    __gcc_nested_func_ptr_deleted();
    return __LINE__;
}

/* If compiled code finds the table full, the program prints a message and aborts. */
int full(void)
{
    statictramp_set_limit(SLOTS);
    for (int i = 0;; i++)
        _FortranAInitTrampoline(NULL, (const void *)nested, &numbers[i % SLOTS] + i / SLOTS);
}

int full_as_denied(void)
{
    statictramp_set_limit(1 << 20);
    stand_in_denies("remap");
    for (int i = 0;; i++)
        _FortranAInitTrampoline(NULL, (const void *)nested, &numbers[i % SLOTS] + i / SLOTS);
}

/* A double free by compiled code aborts the program. */
int free_twice(void)
{
    long n = 40;
    const void *handle = _FortranAInitTrampoline(NULL, (const void *)nested, &n);
    _FortranAFreeTrampoline(handle);
    _FortranAFreeTrampoline(handle);
    return __LINE__;
}
