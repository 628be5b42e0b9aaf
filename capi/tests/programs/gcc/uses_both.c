/* Uses a function of statictramp.h, and a library with a nested function. Prints the name of the file whose function makes nested
   functions' trampolines. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include "statictramp.h"

int nested_function(void);

int main(void)
{
    Dl_info info;
    if (statictramp_free(statictramp_alloc((statictramp_fn)main, NULL)) != 0 || nested_function() != 0)
        return 1;
    if (dladdr(dlsym(RTLD_DEFAULT, "__gcc_nested_func_ptr_created"), &info) == 0)
        return 2;
    puts(strrchr(info.dli_fname, '/') + 1);
    return 0;
}
