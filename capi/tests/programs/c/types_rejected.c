/* STATICTRAMP_BIND with -DTYPE='...', a type that it must reject. */
#include "statictramp.h"

struct structure { int a; };
union combination { int a; void *p; };
typedef _Atomic(double _Complex) atomic_complex;
typedef int narrow_vector __attribute__((vector_size(4)));
typedef int vector __attribute__((vector_size(8)));
typedef float wide_vector __attribute__((vector_size(16)));

statictramp_fn bound(void);
#ifdef AS_RESULT
TYPE callee(void *context);
statictramp_fn bound(void) { return STATICTRAMP_BIND(callee, (void *)0, TYPE); }
#else
int callee(void *context, int, int, TYPE);
statictramp_fn bound(void) { return STATICTRAMP_BIND(callee, (void *)0, int, int, int, TYPE); }
#endif
