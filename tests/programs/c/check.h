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

/* A callee that gets its context in the static-chain register: returns the context. */
void *the_chain(void);
/* Another callee, which returns the long that its context points to. */
long the_long(void);
#if defined(__x86_64__)
#define RETURN_CHAIN "endbr64\nmov %r10, %rax\nret\n"
#define RETURN_LONG "endbr64\nmov (%r10), %rax\nret\n"
enum { INTEGER_REGISTERS = 6, HIDDEN_RESULT_TAKES = 1, PAIRS_ARE_EVEN = 0, FLOAT_TAKES = 0 };
#elif defined(__i386__)
#define RETURN_CHAIN "endbr32\nmov %ecx, %eax\nret\n"
#define RETURN_LONG "endbr32\nmov (%ecx), %eax\nret\n"
enum { INTEGER_REGISTERS = 16, HIDDEN_RESULT_TAKES = 1, PAIRS_ARE_EVEN = 1, FLOAT_TAKES = 2 };
#elif defined(__aarch64__)
#define RETURN_CHAIN "mov x0, x15\nret\n"
#define RETURN_LONG "ldr x0, [x18]\nret\n" /* the chain is in both registers */
enum { INTEGER_REGISTERS = 8, HIDDEN_RESULT_TAKES = 0, PAIRS_ARE_EVEN = 1, FLOAT_TAKES = 0 };
#elif defined(__powerpc__) && !defined(__powerpc64__)
#define RETURN_CHAIN "mr 3, 11\nblr\n"
#define RETURN_LONG "lwz 3, 0(11)\nblr\n"
enum { INTEGER_REGISTERS = 8, HIDDEN_RESULT_TAKES = 1, PAIRS_ARE_EVEN = 1, FLOAT_TAKES = 0 };
#elif defined(__powerpc64__)
#define RETURN_CHAIN "mr 3, 11\nblr\n"
#define RETURN_LONG "ld 3, 0(11)\nblr\n"
enum { INTEGER_REGISTERS = 8, HIDDEN_RESULT_TAKES = 1, PAIRS_ARE_EVEN = 1, FLOAT_TAKES = 1 };
#elif defined(__riscv)
#define RETURN_CHAIN "mv a0, t2\nret\n"
#define RETURN_LONG "ld a0, 0(t2)\nret\n"
enum { INTEGER_REGISTERS = 8, HIDDEN_RESULT_TAKES = 1, PAIRS_ARE_EVEN = 1, FLOAT_TAKES = 0 };
#elif defined(__loongarch_lp64)
#define RETURN_CHAIN "move $a0, $t8\nret\n"
#define RETURN_LONG "ld.d $a0, $t8, 0\nret\n"
enum { INTEGER_REGISTERS = 8, HIDDEN_RESULT_TAKES = 1, PAIRS_ARE_EVEN = 1, FLOAT_TAKES = 0 };
#elif defined(__s390x__)
#define RETURN_CHAIN "lgr %r2, %r0\nbr %r14\n"
#define RETURN_LONG "lgr %r1, %r0\nlg %r2, 0(%r1)\nbr %r14\n"
enum { INTEGER_REGISTERS = 4, HIDDEN_RESULT_TAKES = 1, PAIRS_ARE_EVEN = 0, FLOAT_TAKES = 0 };
#elif defined(__arm__)
#define RETURN_CHAIN "mov r0, r12\nbx lr\n"
#define RETURN_LONG "ldr r0, [r12]\nbx lr\n"
enum { INTEGER_REGISTERS = 4, HIDDEN_RESULT_TAKES = 1, PAIRS_ARE_EVEN = 1, FLOAT_TAKES = 0 };
#endif
/* With all arguments on the stack, their words are counted instead of registers: none can be omitted. */
#if defined(__i386__)
enum { LAST_FLOAT_TAKES = FLOAT_TAKES };
#else
enum { LAST_FLOAT_TAKES = 0 };
#endif
__asm__(".pushsection .text\n"
        ".globl the_chain, the_long\n" /* local symbols would share an entry of AArch64's GOT */
        ".type the_chain, %function\nthe_chain: " RETURN_CHAIN
        ".type the_long, %function\nthe_long: " RETURN_LONG
        ".popsection");

/* Runs f in a child: its standard error goes into text; returns its wait status. */
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
