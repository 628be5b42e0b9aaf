/* Tests many copies in one process. `many LIBRARY...` loads all of them. If this file is compiled with -DLIBRARY, it is one of
   these libraries. With -DOWN=BYTES, the library has a thread-local variable of this size, for which libc has no room in its
   reserve for libraries that are loaded later. With -DCOMPILED, the library uses GCC's functions, whose thread-local words are in
   that reserve. */

#include "../../../../tests/common/check.h"
#include "statictramp.h"

#ifdef LIBRARY
#ifdef OWN
static __thread char own[OWN];
#endif
#ifdef COMPILED
void __gcc_nested_func_ptr_created(void *chain, const void *callee, void *memory);
void __gcc_nested_func_ptr_deleted(void);
#endif

long work(void)
{
#ifdef OWN
    for (int i = 0; i < OWN; i++)
        if (own[i]++)
            return 0;
#endif
#ifdef COMPILED
    void (*made)(void);
    __gcc_nested_func_ptr_created(&made, (void *)the_long, &made);
    __gcc_nested_func_ptr_deleted();
#endif
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
