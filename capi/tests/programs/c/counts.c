/* Tests the register counts that statictramp_registers(3) documents, for types whose size alone gives a wrong
   count. If the right count is passed, the context and the value arrive unchanged. COUNTS_LIKE_... selects the
   calling convention. */

#include <complex.h>
#include <stdarg.h>

#include "../../../../tests/common/check.h"
#include "statictramp.h"

static int context;
static int calls;

/* CASE(name, type, used, value...): a parameter of this type takes this many registers. */
#define CASE(name, type, used, ...)                                                           \
    static type value_##name = __VA_ARGS__;                                                   \
    static void callee_##name(void *first, type given)                                        \
    {                                                                                         \
        CHECK(first == &context && memcmp(&given, &value_##name, sizeof(type)) == 0);         \
        calls++;                                                                              \
    }                                                                                         \
    static void check_##name(void)                                                            \
    {                                                                                         \
        statictramp_fn bound = statictramp_bind_first(FN(callee_##name), &context, (used));   \
        CHECK(bound != NULL);                                                                 \
        ((void (*)(type))bound)(value_##name);                                                \
        CHECK(statictramp_free(bound) == 0);                                                  \
    }
struct floats { float a, b, c; };
struct two_doubles { double a, b; };
struct mixed_floats { double a; float b, c; };
union of_float { float a; };
struct ints { int a, b; };

#ifdef COUNTS_LIKE_RISCV
enum { USED_BY_VARIADIC = 3 };
CASE(floats, struct floats, 2, {1, 2, 3})
CASE(two_doubles, struct two_doubles, 0, {1, 2})
CASE(mixed_floats, struct mixed_floats, 2, {1, 2, 3})
CASE(of_float, union of_float, 1, {1})
CASE(ints, struct ints, 1, {1, 2})
CASE(long_double, long double, 2, 1.5L)
CASE(complex, double _Complex, 0, 1.5 + 2.5 * I)
CASE(complex_long, long double _Complex, 1, 1.5L + 2.5L * I)
#elif defined COUNTS_LIKE_POWERPC /* 32-bit */
enum { USED_BY_VARIADIC = 2 };
CASE(floats, struct floats, 1, {1, 2, 3})
CASE(two_doubles, struct two_doubles, 1, {1, 2})
CASE(mixed_floats, struct mixed_floats, 1, {1, 2, 3})
CASE(of_float, union of_float, 1, {1})
CASE(ints, struct ints, 1, {1, 2})
CASE(long_double, long double, 0, 1.5L)
#ifdef __clang__
CASE(complex, double _Complex, 1, 1.5 + 2.5 * I)
CASE(complex_long, long double _Complex, 1, 1.5L + 2.5L * I)
#else
CASE(complex, double _Complex, 4, 1.5 + 2.5 * I)
CASE(complex_long, int, 1, 1) /* has no count */
#endif
#elif defined COUNTS_LIKE_AARCH64
enum { USED_BY_VARIADIC = 2 };
typedef int vector __attribute__((vector_size(16)));
struct two_vectors { vector a, b; };
struct over_aligned { long a; } __attribute__((aligned(16)));
CASE(floats, struct floats, 0, {1, 2, 3})
CASE(two_doubles, struct two_doubles, 0, {1, 2})
CASE(mixed_floats, struct mixed_floats, 2, {1, 2, 3})
CASE(of_float, union of_float, 0, {1})
CASE(ints, struct ints, 1, {1, 2})
CASE(long_double, long double, 0, 1.5L)
CASE(complex, struct two_vectors, 0, {{1, 2, 3, 4}, {5, 6, 7, 8}})
CASE(complex_long, struct over_aligned, 2, {1}) /* begins in an odd register of the callee */
#elif defined COUNTS_LIKE_ARM /* hard-float */
enum { USED_BY_VARIADIC = 1 }; /* followed by a gap */
struct float_and_int { float a; int b; };
struct over_aligned { int a; } __attribute__((aligned(8)));
CASE(floats, struct floats, 0, {1, 2, 3})
CASE(two_doubles, struct two_doubles, 0, {1, 2})
CASE(mixed_floats, struct float_and_int, 2, {1, 2})
CASE(of_float, union of_float, 0, {1})
CASE(ints, struct ints, 2, {1, 2})
CASE(long_double, long double, 0, 1.5L)
CASE(complex, double _Complex, 0, 1.5 + 2.5 * I)
CASE(complex_long, struct over_aligned, 2, {1}) /* begins in an odd register of the callee */

/* A variadic function gets a named floating-point number in integer registers, and returns a complex number in memory. */
static float _Complex callee_named(void *first, float named, int last, ...)
{
    CHECK(first == &context && last == 6);
    return named;
}
#endif

/* A variadic floating-point argument, after a named one. */
static void callee_variadic(void *first, int named, ...)
{
    va_list list;
    va_start(list, named);
    double number = va_arg(list, double);
    int last = va_arg(list, int);
    va_end(list);
    CHECK(first == &context && named == 2 && number == 2.5 && last == 6);
    calls++;
}

int main(void)
{
    check_floats();
    check_two_doubles();
    check_mixed_floats();
    check_of_float();
    check_ints();
    check_long_double();
    check_complex();
    check_complex_long();
    statictramp_fn bound = statictramp_bind_first(FN(callee_variadic), &context, USED_BY_VARIADIC);
    ((void (*)(int, ...))bound)(2, 2.5, 6);
    CHECK(calls == 9);
#ifdef COUNTS_LIKE_ARM
    bound = statictramp_bind_first(FN(callee_named), &context, 2 | STATICTRAMP_RESULT_IN_MEMORY);
    CHECK(((float _Complex (*)(float, int, ...))bound)(2.5f, 6) == 2.5f);
#endif
    puts("counts.c: ok");
    return 0;
}
