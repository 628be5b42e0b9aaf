/* Prints the names of the files whose functions the process uses under the names of the compilers' run-time libraries. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

#include "../../../../tests/common/check.h"
#include "statictramp.h"

int main(void)
{
    static const char *const names[] = {"_FortranATrampolineInit", "__gcc_nested_func_ptr_created"};
    CHECK(statictramp_free(statictramp_alloc((statictramp_fn)main, 0)) == 0);
    for (int i = 0; i < 2; i++) {
        Dl_info info;
        CHECK(dladdr(dlsym(RTLD_DEFAULT, names[i]), &info) != 0);
        puts(info.dli_fname);
    }
    return 0;
}
