/* A debugger's breakpoint in a stub does not prevent growth, but any other change of the code does. `breakpoint
   HEX...`: the breakpoint instructions of gdb and lldb on Linux, as bytes in memory order. */

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../common/check.h"
#include "statictramp.h"

/* Writes into the code at `stub`, in private pages of a child process. Returns whether the table grows in the child. */
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

int main(int count, char **instructions)
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
    CHECK(count > 1);
    for (int i = 1; i < count; i++) {
        unsigned char breakpoint[4];
        size_t len = strlen(instructions[i]) / 2;
        CHECK(len <= sizeof breakpoint);
        for (size_t k = 0; k < len; k++)
            CHECK(sscanf(instructions[i] + 2 * k, "%2hhx", &breakpoint[k]) == 1);
        CHECK(grows(stub, breakpoint, len));
        memcpy(changed, breakpoint, len);
        changed[7] ^= 1; /* after it, in the next instruction or the rest of the same one */
        CHECK(!grows(stub, changed, sizeof changed));
        changed[7] ^= 1;
    }
    puts("a table grows with a breakpoint in a stub, and not with another change");
    return 0;
}
