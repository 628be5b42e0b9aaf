/* A call after free: the handler receives the address to which the call would have returned, and at the trap instruction
   that follows, registers contain the slot's number and this address (docs/boards.md). */

#include "board.h"
#include "statictramp.h"

static uintptr_t dead_slot, called_from;

static int callee(void) { return 0; }

static void on_dead_call(size_t slot, statictramp_fn former_callee, const void *return_address)
{
    check(former_callee == (statictramp_fn)callee && statictramp_capacity() > slot);
    dead_slot = slot;
    called_from = (uintptr_t)return_address;
}

__attribute__((noinline)) static int dead_call(statictramp_fn t)
{
    int result = ((int (*)(void))t)();
    __asm__ volatile("" : "+r"(result)); /* not a tail call */
    return result;
}

__attribute__((used)) static void at_trap(uintptr_t first, uintptr_t second, uintptr_t link)
{
    uintptr_t begin = (uintptr_t)dead_call;
    check(called_from > begin && called_from < begin + 32);
    check(first == dead_slot && second == called_from && link == called_from);
    say("the trap shows the slot and the caller\n");
    leave(0);
}

#if defined(__arm__)
/* The processor has stored r0 to r3, r12, lr, pc and xPSR. */
__attribute__((used)) static void frame(const uint32_t *stored) { at_trap(stored[0], stored[1], stored[5]); }
__attribute__((naked)) static void trap(void) { __asm__("mrs r0, MSP\n ldr r1, =frame\n bx r1\n .ltorg"); }
#else
__attribute__((naked, aligned(4))) static void trap(void) { __asm__("mv a2, ra\n tail at_trap"); }
#endif

int main(void)
{
#if defined(__arm__)
    static vector in_ram[64] __attribute__((aligned(256)));
    in_ram[3] = in_ram[6] = trap;
    *(volatile uint32_t *)0xe000ed08 = (uint32_t)in_ram;
#else
    __asm__ volatile("csrw mtvec, %0" ::"r"(trap));
#endif
    statictramp_on_dead_call_from(on_dead_call);
    statictramp_fn kept = statictramp_alloc((statictramp_fn)callee, NULL), t = statictramp_alloc((statictramp_fn)callee, NULL);
    check(kept && t && statictramp_live() == 2);
    statictramp_free_all();
    check(statictramp_live() == 0 && statictramp_free(t) == -1);
    dead_call(t);
    return 1;
}
