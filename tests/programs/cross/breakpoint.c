/* A debugger's breakpoint in a stub does not prevent growth; any other change of the code does: `breakpoint`. */

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../c/check.h"
#include "statictramp.h"

/* The breakpoint instructions of gdb and lldb on Linux. */
#if defined __x86_64__ || defined __i386__
#define BREAKPOINTS {1, "\xcc"}
#elif defined __aarch64__
#define BREAKPOINTS {4, "\x00\x00\x20\xd4"}
#elif defined __arm__
#define BREAKPOINTS {4, "\xf0\x01\xf0\xe7"}
#elif defined __riscv
#define BREAKPOINTS {4, "\x73\x00\x10\x00"}, {2, "\x02\x90"}
#elif defined __loongarch__
#define BREAKPOINTS {4, "\x05\x00\x2a\x00"}
#elif defined __s390x__
#define BREAKPOINTS {2, "\x00\x01"}
#elif defined __powerpc__ && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define BREAKPOINTS {4, "\x08\x10\x82\x7d"}, {4, "\x08\x00\xe0\x7f"}
#elif defined __powerpc__
#define BREAKPOINTS {4, "\x7d\x82\x10\x08"}, {4, "\x7f\xe0\x00\x08"}
#endif
static const struct { size_t len; const char *bytes; } breakpoints[] = {BREAKPOINTS};

/* Writes into the code at `stub`, in private pages of a child process, and returns whether the table grows there. */
static int grows(uintptr_t stub, const void *bytes, size_t len)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        size_t page = (size_t)sysconf(_SC_PAGESIZE);
        char *start = (char *)(stub & ~(page - 1));
        CHECK(mprotect(start, page, PROT_READ | PROT_WRITE | PROT_EXEC) == 0); /* 64-KiB pages also contain other code */
        memcpy((void *)stub, bytes, len);
        CHECK(mprotect(start, page, PROT_READ | PROT_EXEC) == 0);
        statictramp_fn next = statictramp_alloc((statictramp_fn)the_chain, &status);
        if (next)
            CHECK(((void *(*)(void))next)() == &status);
        else
            CHECK(errno == ENOMEM);
        _exit(next ? 10 : 11);
    }
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && (status = WEXITSTATUS(status)) / 2 == 5);
    return status == 10;
}

int main(void)
{
    const size_t slots = statictramp_capacity();
    uintptr_t stub = 0; /* one in the middle of the table */
    for (size_t i = 0; i < slots; i++) {
        uintptr_t one = (uintptr_t)statictramp_alloc((statictramp_fn)the_chain, NULL);
        CHECK(one != 0);
        if (i == slots / 2)
            stub = one;
    }
    char changed[8];
    memcpy(changed, (void *)stub, sizeof changed);
    CHECK(grows(stub, changed, sizeof changed));
    changed[2] ^= 1;
    CHECK(!grows(stub, changed, sizeof changed));
    for (size_t i = 0; i < sizeof breakpoints / sizeof *breakpoints; i++) {
        CHECK(grows(stub, breakpoints[i].bytes, breakpoints[i].len));
        memcpy(changed, breakpoints[i].bytes, breakpoints[i].len);
        changed[7] ^= 1; /* after it, in the next instruction or the rest of the same one */
        CHECK(!grows(stub, changed, sizeof changed));
        changed[7] ^= 1;
    }
    puts("a table grows with a breakpoint in a stub, and not with another change");
    return 0;
}
