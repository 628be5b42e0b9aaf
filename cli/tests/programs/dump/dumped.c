/* Creates trampolines, prints them, and waits to be inspected. */

#include "../../../../tests/common/check.h"
#include "statictramp.h"

static void first(void) {}
static void second(void *context) { (void)context; }

int main(void)
{
    enum { MANY = 1500 };
    static statictramp_fn made[MANY];
    for (long i = 0; i < MANY; i++)
        CHECK((made[i] = statictramp_alloc(FN(first), (void *)(0x1000 + i))) != NULL);
    for (long i = 0; i < MANY; i += 3)
        CHECK(statictramp_free(made[i]) == 0);
    for (long i = 0; i < MANY; i++)
        if (i % 3 != 0)
            printf("%p %p %#lx\n", *(void **)&made[i], (void *)first, 0x1000 + i);
    statictramp_fn bound = statictramp_bind(FN(second), &made, 0);
    printf("bound %p %p\n", *(void **)&bound, (void *)second);
    CHECK(statictramp_live() == MANY - MANY / 3 + 1);
    puts("ready");
    fflush(stdout);
    pause();
    return 0;
}
