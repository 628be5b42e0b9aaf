/* Two DLLs that each have a copy of the library: each recognises only its own trampolines, and reports others. A DLL may be
   freed after its trampolines have been freed. Each DLL is loaded and freed repeatedly, and its table grows each time.
   Arguments: their paths. */

#include <stdio.h>
#include <stdlib.h>
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include "statictramp.h"

#define CHECK(condition) \
    ((condition) ? (void)0 : (fprintf(stderr, "%s:%d: %s, error %lu\n", __FILE__, __LINE__, #condition, GetLastError()), exit(1)))

struct copy {
    HMODULE dll;
    statictramp_fn (*make)(void);
    int (*end)(statictramp_fn);
    size_t (*capacity)(void);
};

static struct copy load(const wchar_t *path)
{
    struct copy copy = {LoadLibraryW(path), NULL, NULL, NULL};
    CHECK(copy.dll != NULL);
    CHECK((copy.make = (void *)GetProcAddress(copy.dll, "make")) != NULL);
    CHECK((copy.end = (void *)GetProcAddress(copy.dll, "end")) != NULL);
    CHECK((copy.capacity = (void *)GetProcAddress(copy.dll, "capacity")) != NULL);
    return copy;
}
static int call(statictramp_fn t) { return ((int (*)(void *))t)(NULL); }

int wmain(int count, wchar_t **words)
{
    CHECK(count == 3);
    struct copy a = load(words[1]), b = load(words[2]);
    CHECK(a.dll != b.dll);
    statictramp_fn of_a = a.make(), of_b = b.make();
    CHECK(of_a && of_b && call(of_a) == 5 && call(of_b) == 5);
    CHECK(a.end(of_b) == -1 && b.end(of_a) == -1); /* prints one line each */
    CHECK(call(of_a) == 5 && call(of_b) == 5 && b.end(of_b) == 0);

    for (int round = 0; round < 30; round++) {
        size_t many = 3 * b.capacity();
        statictramp_fn *all = malloc(many * sizeof *all);
        for (size_t i = 0; i < many; i++)
            CHECK((all[i] = b.make()) != NULL);
        for (size_t i = 0; i < many; i++)
            CHECK(call(all[i]) == 5 && b.end(all[i]) == 0);
        free(all);
        CHECK(b.capacity() >= many && FreeLibrary(b.dll) && GetModuleHandleW(words[2]) == NULL);
        b = load(words[2]);
    }
    CHECK(call(of_a) == 5 && a.end(of_a) == 0);
    puts("copies.c: ok");
    return 0;
}
