/* What the C tests share. */

#include <stdio.h>
#include <stdlib.h>

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
