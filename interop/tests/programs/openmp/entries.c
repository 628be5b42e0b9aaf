/* entries SIZE HOST DEVICE [unknown]: makes a table from the entries that a compiler has emitted in two
   libraries. SIZE is the size of each entry. If the format of an entry is unknown, the entries must be
   rejected. */
#include <dlfcn.h>
#include <stdlib.h>
#include "../../../../tests/common/check.h"
#include "statictramp_interop.h"

typedef int function(int);

/* A library's exports: the bounds of its entries, and two functions. */
static void *const *exported(const char *library)
{
    void *loaded = dlopen(library, RTLD_NOW | RTLD_LOCAL), *found = loaded ? dlsym(loaded, "exported") : NULL;
    if (!found)
        fprintf(stderr, "%s\n", dlerror());
    CHECK(found);
    return (void *const *)found;
}

int main(int argc, char **argv)
{
    CHECK(argc == 4 || argc == 5);
    size_t size = (size_t)atol(argv[1]);
    void *const *host = exported(argv[2]), *const *device = exported(argv[3]);
#define SET(size) statictramp_set_functions_of_entries(2, size, host[0], host[1], device[0], device[1])
    CHECK(SET(48) == STATICTRAMP_MAP_ERROR_LAYOUT);
    if (argc == 5) {
        CHECK(SET(size) == STATICTRAMP_MAP_ERROR_ENTRY);
        CHECK(!statictramp_function_on(2, (statictramp_fn)host[2]));
        return 0;
    }
    CHECK(SET(size) == STATICTRAMP_MAP_ERROR_SET);
    for (int i = 2; i < 4; i++) {
        statictramp_fn on_device = statictramp_function_on(2, (statictramp_fn)host[i]);
        CHECK(on_device && on_device == (statictramp_fn)device[i]);
        CHECK(((function *)on_device)(21) == 1000 + 21 * i && ((function *)host[i])(21) == 21 * i);
    }
    CHECK(!statictramp_function_on(2, (statictramp_fn)host)); /* the variable, which also has an entry */
    return 0;
}
