/* Calls every stub of a table that grows twice, for compilation with clang's -fsanitize=function, which reads the 8 bytes before
   each function that it calls. `PAD` bytes of code precede the library's in the linked file. */

#include <stdint.h>
#include <string.h>

#include "../../../../tests/common/check.h"
#include "statictramp.h"

#ifdef PAD
#define TEXT_(pad) __asm__(".pushsection .text\n.skip " #pad "\n.popsection")
#define TEXT(pad) TEXT_(pad)
TEXT(PAD);
#endif

enum { MANY = 4 * 1024 };

static intptr_t add(intptr_t context, intptr_t x) { return context + x; }

int main(void)
{
    static intptr_t (*made[MANY])(intptr_t, intptr_t);
    volatile char before[8];
    for (intptr_t i = 0; i < MANY; i++) {
        made[i] = (intptr_t(*)(intptr_t, intptr_t))statictramp_bind((statictramp_fn)add, (void *)i, 0);
        CHECK(made[i] != NULL);
    }
    for (intptr_t i = 0; i < MANY; i++) {
        CHECK(made[i](0, 5) == i + 5);
        /* For compilers without this check, and for processors on which it reads fewer bytes. */
        memcpy((void *)before, (const char *)((uintptr_t)made[i] & ~(uintptr_t)1) - sizeof before, sizeof before);
    }
    printf("the bytes before %d stubs are readable\n", MANY);
    return 0;
}
