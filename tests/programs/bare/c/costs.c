/* A program that only makes trampolines, for measuring their costs. BIND, WORDS or DOUBLE selects the function that makes them. */

#include "statictramp.h"

void entry(statictramp_fn callee, void *chain, void (*user)(statictramp_fn))
{
#if defined BIND
    statictramp_fn t = statictramp_bind(callee, chain, 0);
#elif defined WORDS
    statictramp_fn t = STATICTRAMP_BIND((int (*)(void *, int, const char *, unsigned char))callee, chain, int, int, const char *, unsigned char);
#elif defined DOUBLE
    statictramp_fn t = STATICTRAMP_BIND((double (*)(void *, double))callee, chain, double, double);
#else
    statictramp_fn t = statictramp_alloc(callee, chain);
#endif
    if (t) {
        user(t);
        statictramp_free(t);
    }
}
