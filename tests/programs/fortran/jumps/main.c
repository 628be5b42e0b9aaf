/* Calls the host COUNT times and leaves it by longjmp each time, from the same depth and from other depths. */

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

size_t statictramp_live(void), statictramp_capacity(void);
void host(long value);

static jmp_buf out;
static volatile long expected;

void call_and_jump(long (*f)(void))
{
    if (f() != 2 * expected + 1) {
        fprintf(stderr, "wrong result at %ld\n", expected);
        exit(1);
    }
    longjmp(out, 1);
}

__attribute__((noinline)) static void deeper(int depth)
{
    volatile char room[48];
    room[0] = (char)depth;
    if (depth > 0)
        deeper(depth - 1);
    else
        host(expected);
    (void)room[0];
}

int main(int argc, char **argv)
{
    volatile long count = argc > 1 ? atol(argv[1]) : 1000000;
    size_t capacity = statictramp_capacity();
    for (volatile long i = 0; i < count; i++) {
        expected = i;
        if (setjmp(out) == 0)
            deeper(i % 5 ? 0 : (int)(i % 11));
    }
    printf("%ld jumps out of a Fortran host: %zu live of %zu\n", count, statictramp_live(), statictramp_capacity());
    return statictramp_capacity() != capacity;
}
