/* The program for a debugger that stops in a stub, in an adapter, and at a call after free: `stopped [dead |
   grown]`. With LOOP, it is the program for a profiler. */

#include <stdint.h>
#include <string.h>

#include "../../../../tests/common/check.h"
#include "statictramp.h"

static long callee(long *context, long x) { return *context + x; }

statictramp_fn stub;
__attribute__((noinline)) void ready(void) { __asm__ volatile(""); }

__attribute__((noinline)) static long the_caller(statictramp_fn f, long x)
{
    long result = ((long (*)(void *, long))f)(NULL, x);
    __asm__ volatile("" : "+r"(result));
    return result;
}

int main(int argc, char **argv)
{
    long context = 40;
    stub = statictramp_bind(FN(callee), &context, 0);
    for (int i = 0; argc > 1 && strcmp(argv[1], "grown") == 0 && i < 5000; i++)
        stub = statictramp_bind(FN(callee), &context, 0);
    if (argc > 1 && strcmp(argv[1], "dead") == 0)
        CHECK(statictramp_free(stub) == 0);
    ready();
    CHECK(the_caller(stub, 2) == 42);
#ifdef LOOP
    for (long i = 0; i < 50000000; i++)
        CHECK(the_caller(stub, 2) == 42);
#endif
    return 0;
}
