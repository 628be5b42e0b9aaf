/* The C library, called as C programs and flang's code call it. Each function returns 0, or the line of what is wrong. */

#include "statictramp.h"

#define CHECK(condition) do { if (!(condition)) return __LINE__; } while (0)

typedef long callee(long x, double y);
callee nested; /* LLVM's nest: tests/programs/cross/nest.ll */
int *__error(void);

const void *_FortranAInitTrampoline(void *scratch, const void *callee, const void *chain);
const void *_FortranAAdjustTrampoline(const void *handle);
void _FortranAFreeTrampoline(const void *handle);
const void *statictramp_share(const void *callee, const void *chain);

static double scaled(int x, double y, const double *factor, signed char z) { return *factor * (x + y + z); }
static double first(const double *factor, int x, double y, short z) { return *factor * (x + y + z); }

/* Beyond the registers: on macOS the ninth double and the short after it lie close together on the stack. */
typedef double many(char, short, int, long, char, short, int, double, double, double, double, double, double, double,
                    double, double, float);
static double many_first(const double *factor, char a, short b, int c, long d, char e, short f, int g, double h, double i,
                         double j, double k, double l, double m, double n, double o, double p, float q)
{
    return *factor * (a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + h + i + j + k + l + m + n + o + 1000 * p + 10000 * q);
}

enum { SLOTS = 1024 };
static statictramp_fn made[SLOTS];
static long numbers[SLOTS];

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
    CHECK(statictramp_free(t) == 0 && statictramp_bind((statictramp_fn)scaled, &factor, 8) == NULL);
    t = statictramp_bind_first((statictramp_fn)first, &factor, 2);
    CHECK(t != NULL && ((double (*)(int, double, short))t)(-7, 2.5, -3) == -3.75);
    CHECK(statictramp_free(t) == 0);
    t = statictramp_bind_first((statictramp_fn)many_first, &factor, 7);
    CHECK(t != NULL);
    CHECK(((many *)t)(-1, -2, -3, 1L << 40, -5, -6, -7, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0.25f) ==
          0.5 * (-1 - 4 - 9 + (double)(1L << 42) - 25 - 36 - 49 + 36 + 9000 + 2500));
    CHECK(statictramp_free(t) == 0 && statictramp_bind_first((statictramp_fn)first, &factor, 8) == NULL);

    const void *handle = _FortranAInitTrampoline(NULL, (const void *)nested, &n);
    CHECK(((callee *)_FortranAAdjustTrampoline(handle))(5, 6.0) == 411);
    _FortranAFreeTrampoline(handle);
    CHECK(statictramp_live() == 0);
    const void *shared = statictramp_share((const void *)nested, &n);
    CHECK(shared == statictramp_share((const void *)nested, &n) && statictramp_live() == 1);
    CHECK(((callee *)shared)(5, 6.0) == 411 && statictramp_free((statictramp_fn)shared) == 0);

    /* Full, and full again. */
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

/* Compiled code that finds the table full is told so and ends. */
int full(void)
{
    for (int i = 0;; i++)
        _FortranAInitTrampoline(NULL, (const void *)nested, &numbers[i % SLOTS] + i / SLOTS);
}

/* What is freed twice by compiled code ends the program. */
int free_twice(void)
{
    long n = 40;
    const void *handle = _FortranAInitTrampoline(NULL, (const void *)nested, &n);
    _FortranAFreeTrampoline(handle);
    _FortranAFreeTrampoline(handle);
    return __LINE__;
}
