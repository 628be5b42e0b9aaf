/* A small kernel that is structured like FreeRTOS's MPU port for the Cortex-M3: restricted tasks without privilege, switched by
   SysTick and PendSV, with system calls through SVC. */

#ifndef KERNEL_H
#define KERNEL_H

#include <stdint.h>

/* FreeRTOS's TaskParameters_t, reduced: a block of the task's own memory, and one further region that the task may only read. The
   size of each in bytes is a power of two, and each is aligned to its size. */
struct task_parameters {
    void (*function)(void *parameter);
    void *parameter;
    char *block;
    uint32_t block_bytes;
    const char *readable;
    uint32_t readable_bytes;
};
void create_restricted_task(const struct task_parameters *parameters);
/* Runs the tasks until each has ended. */
__attribute__((noreturn)) void start_scheduler(void (*at_end)(void));

/* System calls that tasks make. */
uint32_t system_call(uint32_t number, uint32_t argument);
enum { END_TASK = 1, MAKE = 2, RELEASE = 3 };
/* The program's system calls, which run with privilege. */
uint32_t on_system_call(uint32_t number, uint32_t argument);

/* The address of the last access that the MPU denied to a task, or 0. The kernel ended that task. */
extern volatile uint32_t denied_address;

#endif
