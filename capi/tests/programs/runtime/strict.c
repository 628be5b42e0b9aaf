/* GCC's calls in a process that may only read, write and exit (seccomp's strict mode): while a slot is free and no host
   was left by a jump, neither call makes a system call, whether the host has moved its stack pointer (alloca) or
   not. */

#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "runtime.h"

void __gcc_nested_func_ptr_created(void *chain, const void *function, void **destination);
void __gcc_nested_func_ptr_deleted(void);

__attribute__((noinline)) static int host(int level, size_t bytes)
{
    volatile long variable = level;
    void *trampoline;
    __gcc_nested_func_ptr_created((void *)&variable, (void *)the_long, &trampoline);
    if (bytes) {
        void *room = __builtin_alloca(bytes);
        __asm__ volatile("" : "+r"(room) : : "memory");
    }
    int right = level == 0 || host(level - 1, bytes);
    right &= ((long (*)(void))trampoline)() == level;
    __gcc_nested_func_ptr_deleted();
    return right;
}

int main(void)
{
    static const char ok[] = "strict.c: ok\n";
    CHECK(host(0, 0)); /* initializes the table */
    CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) == 0);
    int right = 1;
    for (size_t bytes = 0; bytes <= 4096; bytes += 512)
        right &= host(9, bytes);
    right &= statictramp_live() == 0 && write(1, ok, sizeof ok - 1) > 0;
    syscall(SYS_exit, !right); /* exit calls exit_group, which this mode denies */
}
