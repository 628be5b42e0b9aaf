/* Definitions that the tests share: hosts as compilers generate them, and a full table. */

#include <setjmp.h>
#include <stdint.h>

#include "../../../../tests/common/check.h"
#include "statictramp.h"

void *_FortranATrampolineInit(void *scratch, const void *callee, const void *chain);
void *_FortranATrampolineAdjust(void *handle);
void _FortranATrampolineFree(void *handle);

static inline void *init(const void *callee, const void *chain) { return _FortranATrampolineInit(NULL, callee, chain); }
static inline long call(void *handle) { return ((long (*)(void))_FortranATrampolineAdjust(handle))(); }

/* The trampolines that fill the table. Filling allocates no memory, so a signal handler may fill
 * the table. */
static statictramp_fn fillers[1 << 16];
static size_t filled;

static inline void fill_up(void)
{
    while ((fillers[filled] = statictramp_alloc(FN(the_chain), NULL)))
        filled++;
}

static inline void empty(void)
{
    while (filled > 0)
        CHECK(statictramp_free(fillers[--filled]) == 0);
}

/* When the table is full, no live slot is mistaken for an abandoned one. */
static inline void expect_all_alive(void)
{
    size_t before = statictramp_live();
    fill_up();
    CHECK(statictramp_live() == statictramp_capacity());
    CHECK(statictramp_alloc(FN(the_chain), NULL) == NULL);
    CHECK(statictramp_live() == statictramp_capacity());
    empty();
    CHECK(statictramp_live() == before);
}

/* A host further down this stack that is abandoned by longjmp. */
static _Thread_local jmp_buf out;

__attribute__((noinline, unused)) static void leave_one(void)
{
    volatile long variable = 8;
    CHECK(call(init((void *)the_long, (void *)&variable)) == 8);
    longjmp(out, 1);
}

/* The host is further down than the frame of the next call from here. */
__attribute__((noinline, unused)) static void leave_one_below(size_t bytes)
{
    void *room = __builtin_alloca(bytes);
    __asm__ volatile("" : "+r"(room) : : "memory");
    leave_one();
}

/* The slots abandoned there are reclaimed when the table is full. */
__attribute__((noinline, unused)) static void expect_left_to_come_back_from(size_t depth)
{
    size_t before = statictramp_live();
    if (setjmp(out) == 0)
        leave_one_below(depth);
    CHECK(statictramp_live() == before + 1);
    fill_up();
    empty();
    CHECK(statictramp_live() == before);
}

static inline void expect_left_to_come_back(void) { expect_left_to_come_back_from(8192); }
