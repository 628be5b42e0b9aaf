/* Tasks without privilege call trampolines, and a system call makes them. The MPU lets each task read the slots, and nothing more. */

#include "kernel.h"
#include "board.h"
#include <statictramp.h>

/* A driver, which code without privilege may call. It passes no context. */
static void drive(void (*on_sample)(unsigned value))
{
    for (unsigned value = 1; value <= 1000; value++)
        on_sample(value);
}

/* A task's own memory. */
struct block {
    volatile unsigned sum;
    char stack[1020];
} __attribute__((aligned(1024)));
static struct block blocks[3];
static void add(struct block *block, unsigned value) { block->sum += value; }

/* The slots can be written with privilege only. */
uint32_t on_system_call(uint32_t number, uint32_t argument)
{
    if (number == MAKE)
        return (uint32_t)STATICTRAMP_BIND(add, (struct block *)argument, void, unsigned);
    return (uint32_t)statictramp_free((statictramp_fn)argument);
}

static void worker(void *parameter)
{
    void (*on_sample)(unsigned) = (void (*)(unsigned))system_call(MAKE, (uint32_t)parameter);
    if (on_sample)
        for (int i = 0; i < 40; i++)
            drive(on_sample);
    system_call(RELEASE, (uint32_t)on_sample);
    system_call(END_TASK, 0);
}

extern char __statictramp_start[], __statictramp_end[];
static void intruder(void *parameter)
{
    (void)parameter;
    *(volatile uint32_t *)__statictramp_start = 0;
    system_call(END_TASK, 0);
}

static void at_end(void)
{
    check(blocks[0].sum == 40 * 500500 && blocks[1].sum == 40 * 500500);
    check(denied_address == (uint32_t)__statictramp_start);
    check(statictramp_live() == 0);
    say_number("FreeRTOS: sum of the first task: ", (long)blocks[0].sum);
    say("FreeRTOS: a write to the slots was denied\n");
}

int main(void)
{
    void (*const functions[3])(void *) = {worker, worker, intruder};
    for (unsigned i = 0; i < 3; i++) {
        struct task_parameters parameters = {functions[i], &blocks[i], (char *)&blocks[i], sizeof blocks[i], __statictramp_start,
                                             (uint32_t)(__statictramp_end - __statictramp_start)};
        create_restricted_task(&parameters);
    }
    start_scheduler(at_end);
}
