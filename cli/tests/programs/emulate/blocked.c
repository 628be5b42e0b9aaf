/* Blocks SIGSEGV by a direct system call. */
#include <stdio.h>
#include <stdlib.h>

int main(int count, char **words)
{
    unsigned long all = ~0ul;
    long result = 14; /* rt_sigprocmask(SIG_SETMASK, &all, 0, 8) */
    register long size __asm__("r10") = 8;
    __asm__ volatile("syscall" : "+a"(result) : "D"(2L), "S"(&all), "d"(0L), "r"(size) : "rcx", "r11", "memory");
    int v[] = {3, 1, 2};
    int compare(const void *a, const void *b) { return count * (*(int *)a - *(int *)b); }
    qsort(v, 3, sizeof *v, compare);
    int (*volatile call)(const void *, const void *) = compare;
    printf("%d %d %d %d\n", v[0], v[1], v[2], call(&v[0], &v[1]));
}
