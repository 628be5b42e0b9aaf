/* Compiled for the host and for a device, each into a library: the compiler emits entries in both. */
#include "entries.h"

#pragma omp begin declare target
#ifdef ON_DEVICE
enum { HERE = 1000 };
#else
enum { HERE = 0 };
#endif
#pragma omp end declare target

#pragma omp begin declare target indirect
int twice(int x) { return HERE + 2 * x; }
int thrice(int x) { return HERE + 3 * x; }
#pragma omp end declare target

/* A device's functions are hidden; its variables are not. */
#pragma omp begin declare target
const void *exported[] = {ENTRIES(start), ENTRIES(stop), (const void *)twice, (const void *)thrice};
#pragma omp end declare target
