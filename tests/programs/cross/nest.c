#include <stdio.h>

#include "statictramp.h"

#ifdef AS_FIRST_ARGUMENT
/* If LLVM passes the chain in this way, no stub can pass it, and the pass plugin does not rewrite such code. */
long long nested(long long *chain, long long x, double y);

int main(void)
{
    long long n = 40, first = nested(&n, 1, 1.5);
    n = 400;
    printf("%lld %lld 0\n", first, nested(&n, 2, -2.5));
    return 0;
}
#else
#if defined(__arm__)
__attribute__((pcs("aapcs"))) /* the convention for which LLVM defines a static chain */
#endif
typedef long long
callee(long long x, double y);

callee nested;

int main(void)
{
    long long n = 40;
    statictramp_fn t = statictramp_alloc((statictramp_fn)nested, &n);
    long long first = ((callee *)t)(1, 1.5);
    n = 400;
    long long second = ((callee *)t)(2, -2.5);
    printf("%lld %lld %d\n", first, second, statictramp_free(t));
    return 0;
}
#endif
