#include "statictramp.h"
int main(void) { return statictramp_free(statictramp_alloc((statictramp_fn)main, 0)); }
