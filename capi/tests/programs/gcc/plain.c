/* A host with one nested function, for which libgcc's own trampolines are needed. */

#include <stdio.h>

static long apply(long (*f)(long), long x)
{
    __asm__ volatile("" : "+r"(f));
    return f(x);
}

int main(void)
{
    volatile long y = 41;
    long nested(long x) { return x + y; }
    printf("nested: %ld\n", apply(nested, 1));
    return 0;
}
