/* What the C tests share. */

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(condition) \
    ((condition) ? (void)0 : (fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition), exit(1)))

#define FN(f) ((statictramp_fn)(f))

/* A callee that expects its context in the static-chain register: returns it. */
void *the_chain(void);
/* Another, that returns the long it points to. */
long the_long(void);
__asm__(".pushsection .text\n"
        ".type the_chain, @function\nthe_chain: endbr64\nmov %r10, %rax\nret\n"
        ".type the_long, @function\nthe_long: endbr64\nmov (%r10), %rax\nret\n"
        ".popsection");

/* Runs f in a child: its standard error goes into text; returns how it ended, as wait does. */
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
    close(ends[0]);
    CHECK(waitpid(child, &status, 0) == child);
    return status;
}
