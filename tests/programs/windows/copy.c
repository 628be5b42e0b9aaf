/* A DLL with its own copy of the library. */

#include "statictramp.h"

static int gives(void *context) { return *(int *)context; }
static int number = 5;

__declspec(dllexport) statictramp_fn make(void) { return statictramp_bind((statictramp_fn)gives, &number, 0); }
__declspec(dllexport) int end(statictramp_fn t) { return statictramp_free(t); }
__declspec(dllexport) size_t capacity(void) { return statictramp_capacity(); }
