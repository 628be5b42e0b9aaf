/* Tests the fallback: the table is full and may not grow, and code compiled by flang has offered memory on its
   stack. `scratch` is for a library that was built with this feature. `scratch refused` is for a library without it,
   or for a non-executable stack. `scratch beside-data` tests memory that is rejected although its first half is
   executable (not under QEMU, whose /proc/self/maps gives two mappings the permissions of the first). */

#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../../tests/common/check.h"
#include "statictramp.h"

void *_FortranATrampolineInit(void *scratch, const void *callee, const void *chain);
void *_FortranATrampolineAdjust(void *handle);
void _FortranATrampolineFree(void *handle);

static long call(void *handle) { return ((long (*)(void))_FortranATrampolineAdjust(handle))(); }

#if __SIZEOF_POINTER__ == 4 || defined __x86_64__
enum { OFFSETS = 8 };
#else
enum { OFFSETS = 1 }; /* the stub fills the space that flang reserves: it must be aligned */
#endif

static void make(int free_it_first)
{
    for (int offset = 0; offset < OFFSETS; offset++) {
        _Alignas(8) char room[32 + 8];
        char *scratch = room + offset;
        memset(room, 0x55, sizeof room);
        volatile long variable = 11;
        void *handle = _FortranATrampolineInit(scratch, (void *)the_long, (void *)&variable);
        char *code = _FortranATrampolineAdjust(handle);
        CHECK(code >= scratch && code < scratch + 32);
        for (int i = 0; i < 40; i++) /* surrounding memory is unchanged */
            CHECK((i >= offset && i < offset + 32) || room[i] == 0x55);
        CHECK(call(handle) == 11);
        variable = 12;
        CHECK(call(handle) == 12);
        _FortranATrampolineFree(handle);
        handle = _FortranATrampolineInit(scratch, (void *)the_chain, (void *)&variable); /* again, with a new instruction fetch */
        CHECK(call(handle) == (long)&variable);
        _FortranATrampolineFree(handle);
        if (free_it_first)
            call(handle);
    }
}

/* A stub that spans two mappings, which /proc/self/maps lists in two lines. */
static void make_across(int rights_of_second)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    int rights = PROT_READ | PROT_WRITE | PROT_EXEC;
    char *first = mmap(NULL, 2 * page, rights, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(first != MAP_FAILED);
    CHECK(mmap(first + page, page, rights_of_second, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == first + page);
    long variable = 13;
    CHECK(call(_FortranATrampolineInit(first + page - 8, (void *)the_long, &variable)) == 13);
}

static void make_over_two_mappings(void) { make_across(PROT_READ | PROT_WRITE | PROT_EXEC); }
static void make_where_half_is_data(void) { make_across(PROT_READ | PROT_WRITE); }
static void make_one(void) { make(0); }
/* Odd addresses, like the handle of a trampoline in scratch memory, although no such trampoline can be there. The address of a
   Thumb function is odd, too. */
static void *not_a_handle;
static void free_it(void)
{
    _FortranATrampolineFree((void *)((uintptr_t)not_a_handle | 1));
}
static void assert_rejected(void *address)
{
    char text[1024];
    not_a_handle = address;
    int status = in_child(free_it, text, sizeof text);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT && strstr(text, "statictramp: cannot free 0x"));
}
static void free_what_is_no_trampoline(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *first = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(first != MAP_FAILED);
    assert_rejected((void *)the_long);
    assert_rejected(NULL);
    CHECK(mprotect(first + page, page, PROT_READ) == 0);
    assert_rejected(first + page);
#ifdef __x86_64__
    /* QEMU lists two mappings with the permissions of the first. */
    assert_rejected(first + page - 8);
    /* Before Linux 5.8, a program with an executable stack has executable data. */
    static _Alignas(8) char data[32];
    if (!(personality(0xffffffff) & READ_IMPLIES_EXEC))
        assert_rejected(data);
#endif
    CHECK(munmap(first, 2 * page) == 0);
    assert_rejected(first);
}
static void make_one_and_call_it_late(void) { make(1); }

int main(int argc, char **argv)
{
    statictramp_set_limit(statictramp_capacity());
    _Alignas(8) char scratch[32];
    memset(scratch, 0x55, sizeof scratch);
    void *slot = _FortranATrampolineInit(scratch, (void *)the_chain, NULL);
    CHECK(scratch[0] == 0x55 && scratch[31] == 0x55); /* unused while slots are free */
    while (statictramp_live() < statictramp_capacity())
        CHECK(statictramp_alloc(FN(the_chain), NULL));
    char text[1024];
    int status = in_child(make_one, text, sizeof text);
    if (argc > 1 && strcmp(argv[1], "refused") == 0) {
        CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    } else if (argc > 1 && strcmp(argv[1], "beside-data") == 0) {
        status = in_child(make_where_half_is_data, text, sizeof text);
        CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    } else {
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        status = in_child(make_over_two_mappings, text, sizeof text);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        status = in_child(make_one_and_call_it_late, text, sizeof text);
        CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    }
    free_what_is_no_trampoline();
    _FortranATrampolineFree(slot);
    puts("scratch.c: ok");
    return 0;
}
