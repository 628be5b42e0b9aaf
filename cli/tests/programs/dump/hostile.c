// A hostile process for `statictramp dump`, which prints "ready" and waits:
//   hostile load LIBRARY SYMBOL [LIBRARY]...   the first library's trampolines for a function of the program or of another
//   hostile map FILE...                        executable mappings of the files
//   hostile many FILE COUNT                    this many mappings of a file
// and, built with the library (-DWITH_LIBRARY):
//   hostile never                              slots whose reads never return (userfaultfd)
//   hostile descriptor                         a captured descriptor whose rank changes all the time

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "statictramp.h"

#define CHECK(condition) ((condition) ? (void)0 : (fprintf(stderr, "hostile, line %d: %s\n", __LINE__, #condition), exit(1)))
#define FN(function) ((statictramp_fn)(function))

enum { PAGE = 4096 };

void callee_of_program(void) {}

static void load(int count, char **words)
{
    void *first = NULL;
    for (int i = 0; i < count; i++) {
        if (i == 1)
            continue;
        void *library = dlopen(words[i], RTLD_NOW | RTLD_GLOBAL);
        if (!library)
            fprintf(stderr, "%s\n", dlerror());
        CHECK(library);
        first = first ? first : library;
    }
    statictramp_fn (*alloc)(statictramp_fn, void *) = (statictramp_fn(*)(statictramp_fn, void *))dlsym(first, "statictramp_alloc");
    void *callee = dlsym(RTLD_DEFAULT, words[1]);
    for (long i = 0; alloc && i < 3; i++)
        CHECK(alloc(callee ? FN(callee) : callee_of_program, (void *)(0x1000 + i)));
}

static void *map(const char *name, size_t bytes, int rights)
{
    int file = open(name, O_RDONLY);
    CHECK(file >= 0);
    void *mapped = mmap(NULL, bytes, rights, MAP_PRIVATE, file, 0);
    CHECK(mapped != MAP_FAILED && close(file) == 0);
    return mapped;
}

#ifdef WITH_LIBRARY
static void never(void)
{
    extern char statictramp_c_0_1_slots[];
    char *page = (char *)(((uintptr_t)statictramp_c_0_1_slots + 3 * PAGE) & -(uintptr_t)PAGE);
    int monitor = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
    struct uffdio_api api = {.api = UFFD_API};
    struct uffdio_register wanted = {{(uintptr_t)page, PAGE}, UFFDIO_REGISTER_MODE_MISSING, 0};
    CHECK(madvise(page, PAGE, MADV_DONTNEED) == 0);
    if (monitor < 0 || ioctl(monitor, UFFDIO_API, &api) != 0 || ioctl(monitor, UFFDIO_REGISTER, &wanted) != 0)
        puts("not allowed");
}

static union {
    uint64_t words[3 + 3 * 15];
    struct { uint64_t base, len; uint32_t version; volatile unsigned char rank, attribute, type, kind; } header;
} captured;

static void *turn(void *unused)
{
    for (;;)
        captured.header.rank = 0, captured.header.rank = 15;
    return unused;
}

static void descriptor(void)
{
    pthread_t turning;
    captured.header.base = (uintptr_t)&captured, captured.header.len = 4, captured.header.version = 1;
    captured.header.attribute = 2, captured.header.type = 1, captured.header.kind = 4;
    for (int i = 3; i < 48; i++)
        captured.words[i] = 1;
    CHECK(statictramp_alloc(callee_of_program, &captured));
    CHECK(pthread_create(&turning, NULL, turn, NULL) == 0);
}

#endif

int main(int argc, char **argv)
{
    CHECK(argc > 1);
    if (strcmp(argv[1], "load") == 0)
        load(argc - 2, argv + 2);
    for (int i = 2; strcmp(argv[1], "map") == 0 && i < argc; i++)
        map(argv[i], PAGE, PROT_READ | PROT_EXEC);
    for (long i = strcmp(argv[1], "many") == 0 ? atol(argv[3]) : 0; i > 0; i--)
        map(argv[2], PAGE, i % 2 ? PROT_READ | PROT_EXEC : PROT_READ);
#ifdef WITH_LIBRARY
    if (strcmp(argv[1], "never") == 0)
        never();
    if (strcmp(argv[1], "descriptor") == 0)
        descriptor();
#endif
    puts("ready");
    fflush(stdout);
    pause();
    return 0;
}
