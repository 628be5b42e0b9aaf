/* Callees that take a va_list, as the callbacks of logging libraries do: in a register, on the stack, and twice. */

#include <stdarg.h>

#include "../../../../tests/common/check.h"
#include "statictramp.h"

struct sink { char text[200]; };

typedef void (*logger)(int level, const char *format, va_list arguments);
static void put(struct sink *sink, int level, const char *format, va_list arguments)
{
    int length = snprintf(sink->text, 10, "%d ", level);
    vsnprintf(sink->text + length, sizeof sink->text - 10, format, arguments);
}
static void print(logger f, int level, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    f(level, format, arguments);
    va_end(arguments);
}

/* The context moves a va_list to the stack, or the list is there already. */
typedef int (*late_logger)(long, long, long, double, long, long, long, long, const char *, va_list, int);
static int put_late(struct sink *sink, long a, long b, long c, double d, long e, long f, long g, long h, const char *format, va_list arguments, int last)
{
    int length = snprintf(sink->text, 100, "%ld %ld %ld %g %ld %ld %ld %ld %d ", a, b, c, d, e, f, g, h, last);
    return length + vsnprintf(sink->text + length, 100, format, arguments);
}
static int print_late(late_logger f, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = f(1, 2, 3, 0.5, 4, 5, 6, 7, format, arguments, 8);
    va_end(arguments);
    return length;
}

typedef double (*two_lists)(va_list, float, va_list);
static double sum(const double *first, va_list a, float b, va_list c)
{
    double total = *first + va_arg(a, double);
    total += va_arg(a, int);
    return total + b + va_arg(c, double) + va_arg(c, int);
}
static double sum_of(two_lists f, int count, ...)
{
    va_list arguments, copy;
    va_start(arguments, count);
    va_copy(copy, arguments);
    double total = f(arguments, 0.25f, copy);
    va_end(copy);
    va_end(arguments);
    return total;
}

int main(void)
{
    struct sink sink = {{0}};
    statictramp_fn f = STATICTRAMP_BIND(put, &sink, void, int, const char *, va_list);
    CHECK(f);
    print((logger)f, 3, "%s %d %g %ld %d %d %d %d %g", "x", 5, 2.5, -1L, 2, 3, 4, 5, 0.125);
    CHECK(strcmp(sink.text, "3 x 5 2.5 -1 2 3 4 5 0.125") == 0 && statictramp_free(f) == 0);
    f = STATICTRAMP_BIND(put_late, &sink, int, long, long, long, double, long, long, long, long, const char *, va_list, int);
    CHECK(f && print_late((late_logger)f, "%s %d %g", "y", -6, 1.5) == 28);
    CHECK(strcmp(sink.text, "1 2 3 0.5 4 5 6 7 8 y -6 1.5") == 0 && statictramp_free(f) == 0);
    const double hundred = 100;
    f = STATICTRAMP_BIND(sum, &hundred, double, va_list, float, va_list);
    CHECK(f && sum_of((two_lists)f, 2, 1.5, 10) == 100 + 0.25 + 2 * 11.5 && statictramp_free(f) == 0);
    puts("va_list.c: ok");
}
