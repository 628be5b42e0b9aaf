/* The costs of trampolines: the program does nothing else. BIND chooses the function that creates them. */

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
