/* After a page of the first thread's stack was locked, hidden from core dumps or protected, the kernel labels only
   one part of that stack `[stack]`. Abandoned slots must still be reclaimed. The program's own mapping next to the
   stack is not part of it. `split MANNER [learned-before]`: the call that splits the stack, and whether the library
   knew the stack before; `split neighbour`: the program's own mapping. */

#define _GNU_SOURCE
#include <sys/mman.h>
#include <ucontext.h>

#include "runtime.h"

void __gcc_nested_func_ptr_created(void *chain, const void *function, void **destination);
void __gcc_nested_func_ptr_deleted(void);

enum { PAGE = 4096, ROOM = 48 * PAGE };

__attribute__((noinline)) static void leave_one_of_gcc(void)
{
    volatile long variable = 8;
    void *trampoline;
    __gcc_nested_func_ptr_created((void *)&variable, (void *)the_long, &trampoline);
    CHECK(((long (*)(void))trampoline)() == 8);
    longjmp(out, 1);
}

__attribute__((noinline)) static void leave_one_of_gcc_below(size_t bytes)
{
    void *room = __builtin_alloca(bytes);
    __asm__ volatile("" : "+r"(room) : : "memory");
    leave_one_of_gcc();
}

/* The test of `expect_left_to_come_back_from`, also through GCC's interface. */
__attribute__((noinline)) static void expect_both_to_come_back_from(size_t depth)
{
    expect_left_to_come_back_from(depth);
    size_t before = statictramp_live();
    if (setjmp(out) == 0)
        leave_one_of_gcc_below(depth);
    fill_up();
    empty();
    CHECK(statictramp_live() == before);
}

static void expect_all_to_come_back(void)
{
    for (size_t depth = 4096; depth <= 1 << 20; depth *= 2)
        expect_both_to_come_back_from(depth);
}

static int split(const char *manner, char *page, int undo)
{
    if (strcmp(manner, "mlock") == 0)
        return undo ? munlock(page, 64) : mlock(page, 64);
    if (strcmp(manner, "dontdump") == 0)
        return madvise(page, PAGE, undo ? MADV_DODUMP : MADV_DONTDUMP);
    if (strcmp(manner, "hugepage") == 0)
        return madvise(page, PAGE, undo ? MADV_NOHUGEPAGE : MADV_HUGEPAGE);
    CHECK(strcmp(manner, "mprotect") == 0);
    return mprotect(page, PAGE, undo ? PROT_READ | PROT_WRITE : PROT_READ);
}

/* The page is in a frame that is still active. This thread's first frames are above it, and all later frames are below it. */
__attribute__((noinline)) static void with_a_page_of(const char *manner, int learned_before)
{
    char room[ROOM];
    char *page = (char *)(((uintptr_t)room + ROOM / 2) & -(uintptr_t)PAGE);
    if (learned_before)
        expect_left_to_come_back();
    memset(room, 0, sizeof room);
    for (int i = -16; i <= 16; i += 8) {
        CHECK(split(manner, page + i * PAGE, 0) == 0);
        expect_all_to_come_back();
    }
    expect_all_alive();
    for (int i = -16; i <= 16; i += 8)
        CHECK(split(manner, page + i * PAGE, 1) == 0);
    expect_all_to_come_back();
}

/* A page below every active frame, then one at the top of the stack, where the program's arguments are. */
static void with_other_pages(const char *manner, char *top)
{
    char here;
    uintptr_t page = ((uintptr_t)&here & -(uintptr_t)PAGE) - 16 * PAGE;
    expect_left_to_come_back_from(32 * PAGE); /* touches the page */
    CHECK(split(manner, (char *)page, 0) == 0);
    if (strcmp(manner, "mprotect") == 0)
        CHECK(split(manner, (char *)page, 1) == 0);
    expect_all_to_come_back();
    if (strcmp(manner, "mprotect") != 0) /* active frames may be in that page */
        CHECK(split(manner, (char *)((uintptr_t)top & -(uintptr_t)PAGE), 0) == 0);
    expect_all_to_come_back();
    expect_all_alive();
}

/* The low end of the contiguous mappings around an address. */
static uintptr_t low_end(uintptr_t address)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[4096];
    unsigned long start, end, low = 0, last = 0;
    CHECK(maps);
    while (fgets(line, sizeof line, maps) && sscanf(line, "%lx-%lx", &start, &end) == 2) {
        if (start != last)
            low = start;
        if (start <= address && address < end)
            break;
        last = end;
    }
    fclose(maps);
    return low;
}

static ucontext_t owner, fiber;

static void on_fiber(void)
{
    volatile long variable = 99;
    void *handle = init((void *)the_long, (void *)&variable);
    swapcontext(&fiber, &owner);
    CHECK(call(handle) == 99);
    _FortranATrampolineFree(handle);
}

static void with_a_neighbour(void)
{
    char here;
    uintptr_t low = low_end((uintptr_t)&here);
    void *stack = mmap((char *)low - ROOM, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    CHECK(stack == (char *)low - ROOM);
    CHECK(low_end((uintptr_t)&here) == low - ROOM);
    getcontext(&fiber);
    fiber.uc_stack.ss_sp = stack;
    fiber.uc_stack.ss_size = ROOM;
    fiber.uc_link = &owner;
    makecontext(&fiber, on_fiber, 0);
    swapcontext(&owner, &fiber);
    expect_left_to_come_back();
    expect_all_alive();
    swapcontext(&owner, &fiber);
}

int main(int argc, char **argv)
{
    CHECK(argc > 1);
    statictramp_set_limit(statictramp_capacity());
    if (strcmp(argv[1], "neighbour") == 0)
        with_a_neighbour();
    else {
        with_a_page_of(argv[1], argc > 2);
        with_other_pages(argv[1], argv[0]);
    }
    puts("split.c: ok");
    return 0;
}
