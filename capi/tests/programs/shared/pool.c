/* Trampolines made through one shared library are freed and found through another: all libraries share one table. With -DDLOPENED,
   the program loads the library named on the command line, and looks up all functions in it. */

#define _GNU_SOURCE
#include "../../../../tests/common/check.h"
#include "../c/entry_points.h"
#include "statictramp_interop.h"

static void callee(void) {}

int main(int argc, char **argv)
{
#ifdef DLOPENED
    CHECK(argc == 2 && (library = dlopen(argv[1], RTLD_NOW)) != NULL);
#else
    (void)argc, (void)argv;
#endif
    FUNCTION(statictramp_alloc);
    FUNCTION(statictramp_free);
    FUNCTION(statictramp_lookup);
    FUNCTION(statictramp_live);
    FUNCTION(_FortranATrampolineInit);
    FUNCTION(_FortranATrampolineFree);
    FUNCTION(__gcc_nested_func_ptr_created);
    FUNCTION(__gcc_nested_func_ptr_deleted);
    static int context;
    statictramp_fn found;
    void *chain, *nested;

    statictramp_fn handle = (statictramp_fn)_FortranATrampolineInit_(NULL, (void *)callee, &context);
    CHECK(statictramp_lookup_(handle, &found, &chain) == 1 && found == callee && chain == &context);
    CHECK(statictramp_live_() == 1 && statictramp_free_(handle) == 0 && statictramp_live_() == 0);

    _FortranATrampolineFree_((void *)statictramp_alloc_(callee, &context));
    CHECK(statictramp_live_() == 0);

    __gcc_nested_func_ptr_created_(&context, (void *)callee, &nested);
    CHECK(statictramp_lookup_((statictramp_fn)nested, &found, &chain) == 1 && found == callee && chain == &context);
    __gcc_nested_func_ptr_deleted_();
    CHECK(statictramp_live_() == 0);
#ifndef DLOPENED
    statictramp_fn f = statictramp_alloc(callee, &context);
    CHECK(statictramp_on_device(0, f, NULL, NULL) == STATICTRAMP_NOT_ON_DEVICE_NO_FUNCTION);
    CHECK(statictramp_free(f) == 0 && statictramp_on_device(0, f, NULL, NULL) == STATICTRAMP_NOT_ON_DEVICE_DEAD);
#endif
    return 0;
}
