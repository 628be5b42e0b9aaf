/* Tests many copies in one process. Each takes some of the thread-local storage that libc reserves for libraries
   loaded later. `many LIBRARY...` loads all of them. If this file is compiled with -DLIBRARY, it is one of these libraries. */

#include "check.h"
#include "statictramp.h"

#ifdef LIBRARY
long work(void)
{
    long context = 7;
    statictramp_fn f = statictramp_alloc(FN(the_long), &context);
    long found = f ? ((long (*)(void))f)() : 0;
    return statictramp_free(f) == 0 ? found : 0;
}
#else
#include <dlfcn.h>

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        void *handle = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
        if (!handle)
            fprintf(stderr, "copy %d: %s\n", i, dlerror());
        CHECK(handle);
        CHECK(((long (*)(void))dlsym(handle, "work"))() == 7);
    }
    printf("many.c: %d copies: ok\n", argc - 1);
    return 0;
}
#endif
