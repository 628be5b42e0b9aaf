/* Calls trampolines under clang's checks of indirect calls. `cfi COUNT` calls COUNT trampolines that are alive
   at the same time. `cfi bad` calls through a pointer of another type, which the check must catch. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "statictramp.h"

#ifdef EXEMPT
#define UNCHECKED __attribute__((no_sanitize("cfi-icall", "kcfi")))
#else
#define UNCHECKED
#endif

static long add(long x, long context) { return x + context; }
static double other(double x) { return x + 1; }

/* The only function that calls trampolines. */
UNCHECKED __attribute__((noinline)) static long apply(long (*f)(long), long x) { return f(x); }

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "bad") == 0) {
        long (*volatile other_type)(long) = (long (*)(long))other;
        return (int)other_type(1);
    }
    const long count = argc == 2 ? atol(argv[1]) : 1;
    statictramp_fn *all = calloc((size_t)count, sizeof *all);
    for (long i = 0; i < count; i++)
        if ((all[i] = statictramp_bind((statictramp_fn)add, (void *)i, 1)) == NULL)
            return 1;
    for (long i = 0; i < count; i++)
        if (apply((long (*)(long))all[i], 5) != i + 5)
            return 1;
    printf("%ld called\n", count);
    return 0;
}
