/* Start-up code that runs a second and a third time while the contents of RAM are preserved. The slots keep the
   values of the previous boot, unless the start-up code clears them through the two symbols of the linker script.
   clear_slots.h contains the lines of docs/boards.md. */

#include "board.h"
#include "statictramp.h"

/* This memory is neither data nor zeroed data. It is between those and the stack. */
static struct kept { unsigned magic, boots; int (*pointer)(int, int); } *const kept = (struct kept *)0x20008000;
enum { MAGIC = 0x600d };

static unsigned called;
static int callee(const int *context, int more) { return called++, *context + more; }

__attribute__((noinline)) static void clear_slots(void)
{
#include "clear_slots.h"
}

_Noreturn static void start_again(void)
{
    kept->boots++;
    __asm__ volatile("mov sp, %0\n bx %1" ::"r"(stack_top), "r"(start));
    __builtin_unreachable();
}

static void fault_of_call(void)
{
    check(kept->boots == 2 && called == 0);
    say("after the slots are cleared, a call through a pointer from the previous boot faults\n");
    leave(0);
}

int main(void)
{
    static vector in_ram[64] __attribute__((aligned(256)));
    static const int base = 40;
    in_ram[3] = in_ram[4] = in_ram[5] = in_ram[6] = fault_of_call;
    *(volatile uint32_t *)0xe000ed08 = (uint32_t)in_ram;
    if (kept->magic != MAGIC) {
        *kept = (struct kept){MAGIC, 0, (int (*)(int, int))statictramp_bind((statictramp_fn)callee, (void *)&base, 0)};
        check(kept->pointer);
        start_again();
    }
    check(statictramp_live() == 0);
    if (kept->boots == 2)
        clear_slots();
    check(kept->pointer(-1, 2) == 42 && called == 1 && kept->boots == 1);
    say("a pointer from the previous boot calls its callee\n");
    start_again();
}
