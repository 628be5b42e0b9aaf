#include <stdio.h>

#include "statictramp.h"

long nested(long x, double y);

int main(void)
{
    long n = 40;
    statictramp_fn t = statictramp_alloc((statictramp_fn)nested, &n);
    long first = ((long (*)(long, double))t)(1, 1.5);
    n = 400;
    long second = ((long (*)(long, double))t)(2, -2.5);
    printf("%ld %ld %d\n", first, second, statictramp_free(t));
    return 0;
}
