/* One of several images that are in memory at the same time: a bootloader (IMAGE 0), an application (IMAGE 1), and a part that
   the application starts (IMAGE 2). Each makes trampolines in all its slots, calls every trampoline of the images before it, and
   starts the next image. The array `made` is at the same address in every image. */

#include "../../../../examples/boards/board/board.h"
#include "statictramp.h"

enum { IMAGES = 3, SLOTS = 16 };
typedef uintptr_t (*function)(uintptr_t);
__attribute__((section(".shared"))) static function made[IMAGES][SLOTS];
extern const uint32_t next_image[];

static uintptr_t number(uintptr_t argument, void *context)
{
    return 1000 * IMAGE + 10 * (uintptr_t)context + argument;
}

int main(void)
{
    check(statictramp_live() == 0);
    for (uintptr_t slot = 0; slot < SLOTS; slot++)
        check((made[IMAGE][slot] = (function)statictramp_bind((statictramp_fn)number, (void *)slot, 1)) != NULL);
    check(statictramp_bind((statictramp_fn)number, NULL, 1) == NULL);
    for (uintptr_t image = 0; image <= IMAGE; image++)
        for (uintptr_t slot = 0; slot < SLOTS; slot++)
            check(made[image][slot](5) == 1000 * image + 10 * slot + 5);
    for (int image = 0; image < IMAGE; image++) /* not a trampoline of this image */
        check(statictramp_free((statictramp_fn)made[image][0]) != 0);
    if (IMAGE + 1 < IMAGES) {
        *(volatile uint32_t *)0xe000ed08 = (uint32_t)next_image; /* VTOR */
        __asm__ volatile("msr msp, %0\n bx %1" ::"r"(next_image[0]), "r"(next_image[1]));
    }
    say("every trampoline of 3 images reaches its own callee\n");
    return 0;
}
