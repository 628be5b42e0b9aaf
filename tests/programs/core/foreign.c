// Frees pointers that are not trampolines: pointers to unreadable code, and pointers into a truncated file.

#define _GNU_SOURCE
#include "statictramp.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGES = 4 };

static void rejected(const char *what, const void *pointer)
{
    errno = 0;
    if (statictramp_free((statictramp_fn)pointer) != -1 || errno != EINVAL ||
        statictramp_lookup((statictramp_fn)pointer, NULL, NULL) != -1) {
        printf("%s: not refused\n", what);
        exit(1);
    }
}

int main(void)
{
    const long page = sysconf(_SC_PAGESIZE);
    int file = memfd_create("code", 0);
    if (file < 0 || ftruncate(file, PAGES * page) != 0)
        return 1;
    char *code = mmap(NULL, PAGES * page, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);
    if (code == MAP_FAILED)
        return 1;
    rejected("a file's code", code + page);
    rejected("the end of it", code + PAGES * page - 1);
    if (ftruncate(file, page) != 0)
        return 1;
    rejected("behind the end of a file", code + 2 * page);
    rejected("at the end of a file", code + page - 4);
    if (ftruncate(file, 0) != 0)
        return 1;
    rejected("an empty file", code);
    rejected("code that cannot be read", mmap(NULL, page, PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    rejected("no address", (void *)0x8000000000000000);
    rejected("a function", (void *)puts);
    puts("foreign.c: ok");
    return 0;
}
