/* The slots are in flash, which ignores writes. Creation must fail: a trampoline would jump to address 0. */

#include "board.h"
#include "statictramp.h"

static int callee(void) { return 0; }

int main(void)
{
    for (int round = 0; round < 3; round++)
        check(!statictramp_bind((statictramp_fn)callee, NULL, 0) && !statictramp_alloc((statictramp_fn)callee, NULL));
    check(statictramp_live() == 0);
    say("no trampoline is made in read-only memory\n");
    return 0;
}
