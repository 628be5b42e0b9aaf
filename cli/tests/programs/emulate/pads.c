/* In a file that promises landing pads, a callee without a landing pad must not be entered through a trampoline on
 * the stack. */
#include <stdio.h>
#include <string.h>

__attribute__((nocf_check)) static int callee(int x) { return x + 1; }

int main(void)
{
    unsigned char code[32];
    void *target = (void *)callee;
    long chain = 7;
    memcpy(code, "\x49\xbb", 2);
    memcpy(code + 2, &target, 8);
    memcpy(code + 10, "\x49\xba", 2);
    memcpy(code + 12, &chain, 8);
    memcpy(code + 20, "\x49\xff\xe3", 3);
    void *address = code;
    __asm__ volatile("" : "+r"(address) : : "memory");
    printf("entered %d\n", ((int (*)(int))address)(1));
}
