/* statictramp.dll, loaded by its path and freed repeatedly: it stays loaded, and its trampolines keep working. Threads
   created earlier use it. Argument: the path. */

#include <stdio.h>
#include <stdlib.h>
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include "statictramp.h"

#define CHECK(condition) \
    ((condition) ? (void)0 : (fprintf(stderr, "%s:%d: %s, error %lu\n", __FILE__, __LINE__, #condition, GetLastError()), exit(1)))

static HMODULE library;
static statictramp_fn (*bind)(statictramp_fn, void *, unsigned);
static int (*end)(statictramp_fn);
static size_t (*capacity)(void);

static void load(const wchar_t *path)
{
    CHECK((library = LoadLibraryW(path)) != NULL);
    CHECK((bind = (void *)GetProcAddress(library, "statictramp_bind")) != NULL);
    CHECK((end = (void *)GetProcAddress(library, "statictramp_free")) != NULL);
    CHECK((capacity = (void *)GetProcAddress(library, "statictramp_capacity")) != NULL);
}

static size_t gives(void *context) { return (size_t)context; }
static size_t call(statictramp_fn t) { return ((size_t (*)(void *))t)(NULL); }

/* More than the initial number of slots. */
static void use(size_t many)
{
    statictramp_fn *all = malloc(many * sizeof *all);
    for (size_t i = 0; i < many; i++)
        CHECK((all[i] = bind((statictramp_fn)gives, (void *)(i + 1), 0)) != NULL);
    for (size_t i = 0; i < many; i++)
        CHECK(call(all[i]) == i + 1 && end(all[i]) == 0);
    free(all);
}

static HANDLE loaded;
static DWORD WINAPI waits(LPVOID many)
{
    CHECK(WaitForSingleObject(loaded, INFINITE) == WAIT_OBJECT_0);
    use((size_t)many);
    return 0;
}

int wmain(int count, wchar_t **words)
{
    HANDLE threads[4];
    CHECK(count == 2 && (loaded = CreateEventW(NULL, TRUE, FALSE, NULL)) != NULL);
    for (size_t i = 0; i < 4; i++)
        CHECK((threads[i] = CreateThread(NULL, 0, waits, (void *)(100 + i), 0, NULL)) != NULL);

    load(words[1]);
    HMODULE first = library;
    size_t before = capacity();
    statictramp_fn kept = bind((statictramp_fn)gives, (void *)77, 0);
    CHECK(kept && SetEvent(loaded) && WaitForMultipleObjects(4, threads, TRUE, INFINITE) == WAIT_OBJECT_0);
    use(3 * before);
    CHECK(capacity() >= 4 * before);
    for (int i = 0; i < 100; i++) {
        FreeLibrary(library);
        CHECK(call(kept) == 77);
        load(words[1]);
        CHECK(library == first);
    }
    FreeLibrary(library);
    FreeLibrary(library);
    use(before);
    CHECK(call(kept) == 77 && end(kept) == 0 && capacity() >= 4 * before);
    puts("loader.c: ok");
    return 0;
}
