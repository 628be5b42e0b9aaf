/* Tests handwritten code that calls GCC's two functions from separate functions, whose frames are not those of the
   host. A deletion frees the newest trampoline of a host that is still active, however deep the call is. The slots
   of abandoned hosts are not affected. */

#include "runtime.h"

void __gcc_nested_func_ptr_created(void *chain, const void *function, void **destination);
void __gcc_nested_func_ptr_deleted(void);

#define RESULT(trampoline) ((long (*)(void))(trampoline))()

/* Calls `make` or `delete` while this many additional bytes of stack are in use. */
__attribute__((noinline)) static void *make(volatile long *variable, size_t deeper)
{
    void *room = __builtin_alloca(deeper), *trampoline;
    __asm__ volatile("" : "+r"(room) : : "memory");
    __gcc_nested_func_ptr_created((void *)variable, (void *)the_long, &trampoline);
    return trampoline;
}

__attribute__((noinline)) static void delete(size_t deeper)
{
    void *room = __builtin_alloca(deeper);
    __asm__ volatile("" : "+r"(room) : : "memory");
    __gcc_nested_func_ptr_deleted();
}

/* Only looks the trampoline up, because calling a dead trampoline ends the program. */
static int is_alive(void *trampoline) { return statictramp_lookup(FN(trampoline), NULL, NULL) == 1; }

static const size_t depths[] = {16, 64, 144, 1024, 4096, 65536};
enum { DEPTHS = sizeof depths / sizeof *depths };

__attribute__((noinline)) static void nested(int level, int first, int second, int jumps)
{
    volatile long variable = level, other = level + 100;
    size_t before = statictramp_live();
    void *trampoline = make(&variable, depths[(first + level) % DEPTHS]);
    void *another = make(&other, depths[(second + level) % DEPTHS]);
    if (level > 0)
        nested(level - 1, first, second, jumps);
    else if (jumps)
        longjmp(out, 1);
    CHECK(RESULT(trampoline) == level && RESULT(another) == level + 100);
    delete(depths[(second + 2 * level) % DEPTHS]);
    CHECK(!is_alive(another) && RESULT(trampoline) == level);
    delete(depths[(first + 3 * level) % DEPTHS]);
    CHECK(!is_alive(trampoline));
    CHECK(statictramp_live() <= before);
}

/* The host is abandoned at any depth, and is called again at another depth. */
__attribute__((noinline)) static void from(size_t bytes, int first, int second, int jumps)
{
    void *room = __builtin_alloca(bytes);
    __asm__ volatile("" : "+r"(room) : : "memory");
    nested(5, first, second, jumps);
}

/* A host with both calls in its own frame, as GCC compiles them. Between the two calls, other hosts are abandoned. */
__attribute__((noinline)) static void usual(int round)
{
    volatile long variable = 77;
    void *trampoline;
    jmp_buf outer;
    __gcc_nested_func_ptr_created((void *)&variable, (void *)the_long, &trampoline);
    memcpy(outer, out, sizeof out);
    if (setjmp(out) == 0)
        from(16 * (size_t)(round % 40), round % DEPTHS, round / DEPTHS % DEPTHS, 1);
    memcpy(out, outer, sizeof out);
    CHECK(RESULT(trampoline) == 77);
    __gcc_nested_func_ptr_deleted();
    CHECK(!is_alive(trampoline));
}

__attribute__((noinline)) static void all(int rounds)
{
    void *room = __builtin_alloca(8192);
    __asm__ volatile("" : "+r"(room) : : "memory");
    for (int i = 0; i < rounds; i++) {
        from(16 * (size_t)(i % 50), i % DEPTHS, i / DEPTHS % DEPTHS, 0);
        usual(i);
        if (setjmp(out) == 0)
            from(16 * (size_t)(i % 50), i % DEPTHS, i / DEPTHS % DEPTHS, 1);
    }
}

int main(int argc, char **argv)
{
    statictramp_set_limit(statictramp_capacity());
    all(argc > 1 ? atoi(argv[1]) : 200);
    printf("%zu hosts are left\n", statictramp_live());
    fill_up(); /* further up the stack than all abandoned hosts */
    empty();
    CHECK(statictramp_live() == 0);
    puts("apart.c: ok");
    return 0;
}
