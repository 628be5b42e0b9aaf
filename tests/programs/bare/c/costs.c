/* A program that only makes trampolines, for measuring their costs. BIND selects the function that makes them. */

#include "statictramp.h"

void entry(statictramp_fn callee, void *chain, void (*user)(statictramp_fn))
{
#ifdef BIND
    statictramp_fn t = statictramp_bind(callee, chain, 0);
#else
    statictramp_fn t = statictramp_alloc(callee, chain);
#endif
    if (t) {
        user(t);
        statictramp_free(t);
    }
}
