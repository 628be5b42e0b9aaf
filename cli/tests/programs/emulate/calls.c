/* Calls through trampolines on the stack: deep recursion, longjmp and goto out of callees, callees that call hosts, many
 * arguments, structures passed by value, and floating point. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct big { long words[5]; };

__attribute__((noipa)) static int apply(int (*f)(int), int x) { return f(x); }
__attribute__((noipa)) static struct big pass(struct big (*f)(struct big, double, ...), struct big b) { return f(b, 2.5, 1, 0.5, 3L); }
__attribute__((noipa)) static double many(double (*f)(int, double, long, float, int, int, int, int, double, char), int x)
{
    return f(x, 1.5, 2, 2.5f, 3, 4, 5, 6, 3.5, 7);
}

__attribute__((noipa)) static long deep(int depth, int (*outer)(int))
{
    int own = depth;
    int nested(int x) { return x + own + (outer && depth % 1000 == 0 ? outer(1) : 0); }
    if (depth == 0)
        return apply(nested, 5);
    return apply(nested, 1) + deep(depth - 1, nested);
}

__attribute__((noipa)) static int out_by_longjmp(int n)
{
    jmp_buf back;
    volatile int seen = 0;
    int nested(int x)
    {
        seen += x;
        if (x == 3)
            longjmp(back, x);
        return x;
    }
    if (setjmp(back))
        return seen;
    for (int i = 0; i < n; i++)
        apply(nested, i);
    return -1;
}

__attribute__((noipa)) static int out_by_goto(int n)
{
    __label__ out;
    int seen = 0;
    int nested(int x)
    {
        seen += x;
        if (x == 4)
            goto out;
        return x;
    }
    for (int i = 0; i < n; i++)
        apply(nested, i);
    return -1;
out:
    return seen;
}

int main(void)
{
    long sum = 0;
    int add(int x) { return sum += x; }
    for (int i = 0; i < 1000; i++)
        apply(add, i);
    struct big shift(struct big b, double d, ...)
    {
        va_list list;
        va_start(list, d);
        b.words[0] += va_arg(list, int) + sum;
        b.words[1] += (long)(va_arg(list, double) * 4 + d);
        b.words[4] += va_arg(list, long);
        va_end(list);
        return b;
    }
    struct big b = pass(shift, (struct big){{1, 2, 3, 4, 5}});
    double mix(int a, double c, long d, float e, int f, int g, int h, int i, double j, char k) { return sum + a + c + d + e + f + g + h + i + j + k; }
    printf("%ld, %ld %ld %ld\n", sum, b.words[0], b.words[1], b.words[4]);
    printf("%f\n", many(mix, 9));
    printf("%ld\n", deep(2000, 0));
    for (int i = 0; i < 50; i++)
        sum += out_by_longjmp(10) + out_by_goto(10);
    printf("%ld\n", sum);
    return sum % 100;
}
