/* Loads libraries that request an executable stack, by path and by name, twice, and finds the libraries beside
 * them. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int from_needed(int);

int main(void)
{
    void *library = dlopen("./libloaded.so", RTLD_NOW), *again;
    if (!library)
        return printf("%s\n", dlerror()), 1;
    int (*f)(int) = (int (*)(int))dlsym(library, "from_loaded");
    int *counter = dlsym(library, "counter");
    printf("%d %d\n", f(3), from_needed(4));
    again = dlopen("./libloaded.so", RTLD_NOW);
    printf("the same %d, counter %d\n", again == library, *counter);
    Dl_info info;
    dladdr((void *)f, &info);
    printf("%s\n", strrchr(info.dli_fname, '/'));
    int own(int x) { return f(x) + *counter; }
    int (*volatile call)(int) = own;
    return call(5);
}
