/* The kernel: tasks, system calls, and the regions of the MPU. */

#include "kernel.h"
#include "board.h"

enum { TASKS = 3 };
struct task {
    uint32_t *stack; /* the first member: PendSV uses it */
    uint32_t regions[2][2];
    uint32_t ended;
};
/* The first entry represents the code that starts the scheduler, and is never selected. */
static struct task tasks[1 + TASKS] = {{0, {{0, 0}, {0, 0}}, 1}};
static unsigned made;
struct task *volatile current = tasks;
static void (*when_all_ended)(void);
volatile uint32_t denied_address;

#define REGISTER(address) (*(volatile uint32_t *)(address))

/* The address and the attributes of a region: its size in bytes is a power of two, and its
 * contents cannot be executed. */
static void region(uint32_t *words, unsigned number, uint32_t start, uint32_t bytes, uint32_t rights)
{
    check(bytes >= 32 && (bytes & (bytes - 1)) == 0 && start % bytes == 0);
    words[0] = start | 16 | number;
    words[1] = 1u << 28 | rights << 24 | (uint32_t)(30 - __builtin_clz(bytes)) << 1 | 1;
}

void create_restricted_task(const struct task_parameters *parameters)
{
    check(made < TASKS);
    struct task *task = &tasks[++made];
    region(task->regions[0], 1, (uint32_t)parameters->block, parameters->block_bytes, 3);
    region(task->regions[1], 2, (uint32_t)parameters->readable, parameters->readable_bytes, 2);
    uint32_t *stack = (uint32_t *)(parameters->block + parameters->block_bytes) - 17;
    for (unsigned i = 0; i < 17; i++)
        stack[i] = 0;
    stack[0] = 3; /* CONTROL: no privilege, the process stack */
    stack[9] = (uint32_t)parameters->parameter;
    stack[15] = (uint32_t)parameters->function & ~1u;
    stack[16] = 1u << 24; /* xPSR: Thumb */
    task->stack = stack;
}

/* Selects the next task and sets up its regions. PendSV calls this function. */
__attribute__((used)) static void next_task(void)
{
    unsigned tried = 0;
    struct task *task = current;
    do {
        check(tried++ <= made);
        task = task == &tasks[made] ? tasks : task + 1;
    } while (task->ended);
    current = task;
    for (unsigned i = 0; i < 2; i++) {
        REGISTER(0xe000ed9c) = task->regions[i][0];
        REGISTER(0xe000eda0) = task->regions[i][1];
    }
}

__attribute__((naked)) void PendSV_Handler(void)
{
    __asm__("mrs r0, PSP\n"
            "mrs r3, CONTROL\n"
            "stmdb r0!, {r3-r11}\n"
            "ldr r1, =current\n"
            "ldr r2, [r1]\n"
            "str r0, [r2]\n"
            "push {r1, lr}\n"
            "bl next_task\n"
            "pop {r1, lr}\n"
            "ldr r2, [r1]\n"
            "ldr r0, [r2]\n"
            "ldmia r0!, {r3-r11}\n"
            "msr CONTROL, r3\n"
            "msr PSP, r0\n"
            "bx lr\n");
}
void SysTick_Handler(void) { REGISTER(0xe000ed04) = 1u << 28; }

static void end_task(void)
{
    current->ended = 1;
    for (unsigned i = 1; i <= made; i++)
        if (!tasks[i].ended) {
            SysTick_Handler();
            return;
        }
    when_all_ended();
    leave(0);
}

uint32_t __attribute__((naked)) system_call(uint32_t number, uint32_t argument)
{
    (void)number, (void)argument;
    __asm__("svc 0\n bx lr");
}
__attribute__((used)) static void dispatch(uint32_t *frame)
{
    if (frame[0] == END_TASK)
        end_task();
    else
        frame[0] = on_system_call(frame[0], frame[1]);
}
__attribute__((naked)) void SVC_Handler(void) { __asm__("mrs r0, PSP\n b dispatch"); }

/* Ends the task. */
void MemManage_Handler(void)
{
    denied_address = REGISTER(0xe000ed28) & 0x80 ? REGISTER(0xe000ed34) : 1;
    REGISTER(0xe000ed28) = 0xff;
    end_task();
}

void start_scheduler(void (*at_end)(void))
{
    when_all_ended = at_end;
    uint32_t flash[2];
    region(flash, 0, 0, 128 * 1024, 6);
    REGISTER(0xe000ed9c) = flash[0];
    REGISTER(0xe000eda0) = flash[1] & ~(1u << 28); /* executable */
    REGISTER(0xe000ed94) = 5; /* the MPU, with the default memory map for privileged code */
    REGISTER(0xe000ed24) |= 1u << 16; /* memory faults */
    REGISTER(0xe000ed20) = 0xffff0000; /* PendSV and SysTick: the lowest priority */
    __asm__ volatile("cpsid i" ::: "memory"); /* the first tick must find the process stack in use */
    REGISTER(0xe000e014) = 5000;
    REGISTER(0xe000e018) = 0;
    REGISTER(0xe000e010) = 7;
    /* The first switch saves registers on a stack that is not used again. */
    static uint32_t discarded[32] __attribute__((aligned(8)));
    __asm__ volatile("msr PSP, %0\n msr CONTROL, %1\n isb\n str %2, [%3]\n cpsie i\n dsb\n isb\n b ."
                     ::"r"(discarded + 32), "r"(2), "r"(1u << 28), "r"(0xe000ed04)
                     : "memory");
    __builtin_unreachable();
}
