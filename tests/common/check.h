/* Definitions that the C tests share. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(condition) \
    ((condition) ? (void)0 : (fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition), exit(1)))

#define FN(f) ((statictramp_fn)(f))
#define LONG_KIND (sizeof(long) == 8 ? STATICTRAMP_KIND_INT64 : STATICTRAMP_KIND_INT32)

/* A callee that gets its context in the static-chain register and returns it. */
void *the_chain(void);
/* Another callee, which returns the long that its context points to. */
long the_long(void);
#if defined(__x86_64__)
#define RETURN_CHAIN "endbr64\nmov %r10, %rax\nret\n"
#define RETURN_LONG "endbr64\nmov (%r10), %rax\nret\n"
#elif defined(__i386__)
#define RETURN_CHAIN "endbr32\nmov %ecx, %eax\nret\n"
#define RETURN_LONG "endbr32\nmov (%ecx), %eax\nret\n"
#elif defined(__aarch64__)
#define RETURN_CHAIN "mov x0, x15\nret\n"
#define RETURN_LONG "ldr x0, [x18]\nret\n" /* the chain is in both registers */
#endif
#ifdef RETURN_CHAIN
__asm__(".pushsection .text\n"
        ".globl the_chain, the_long\n" /* local symbols would share an entry of AArch64's GOT */
        ".type the_chain, %function\nthe_chain: " RETURN_CHAIN
        ".type the_long, %function\nthe_long: " RETURN_LONG
        ".popsection");
#elif !defined(__clang__)
/* On other processors gcc determines the register, because the chain of a nested function is the address of its host's
   variables. */
__asm__(".globl the_chain, the_long");
static __attribute__((used)) void host_of_callees(void)
{
    long variable;
    auto void *nested_chain(void) __asm__("the_chain");
    auto long nested_long(void) __asm__("the_long");
    __attribute__((used)) void *nested_chain(void) { return &variable; }
    __attribute__((used)) long nested_long(void) { return variable; }
}
#endif

/* The numbers of registers in the calling convention. For other processors, they are in tests/legs/parts/machines.sh. */
#if defined(__x86_64__) && !defined(INTEGER_REGISTERS)
enum { INTEGER_REGISTERS = 6, HIDDEN_RESULT_TAKES = 1, PAIRS_ARE_EVEN = 0, FLOAT_TAKES = 0, LAST_FLOAT_TAKES = 0 };
#endif

/* Runs f in a child. Stores the child's standard error in text, and returns its wait status. */
static inline int in_child(void (*f)(void), char *text, size_t size)
{
    int ends[2], status;
    CHECK(pipe(ends) == 0);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], 2);
        f();
        _exit(0);
    }
    close(ends[1]);
    size_t length = 0;
    for (ssize_t got; (got = read(ends[0], text + length, size - 1 - length)) > 0; length += (size_t)got)
        ;
    text[length] = '\0';
    char *of_emulator = strstr(text, "qemu: "); /* QEMU prints its own line about a signal */
    if (of_emulator != NULL)
        *of_emulator = '\0';
    close(ends[0]);
    CHECK(waitpid(child, &status, 0) == child);
    return status;
}
