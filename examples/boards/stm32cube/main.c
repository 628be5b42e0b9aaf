/* A project as STM32CubeMX generates it: HAL-style callbacks that get only the driver's handle, and a heap of newlib. The generated
   linker script is unchanged. Two UARTs have their own contexts, which the handle does not contain. */

#include "board.h"
#include <statictramp.h>
#include <stdlib.h>
#include <string.h>

/* The HAL's structure (USE_HAL_UART_REGISTER_CALLBACKS): a handle with a function pointer for each event. */
typedef struct uart_handle {
    char *buffer;
    unsigned left;
    void (*received)(struct uart_handle *handle);
} uart_handle;

static uart_handle *active; /* the UART whose interrupt is pending */

static void receive_in_interrupt(uart_handle *handle, char *buffer, unsigned bytes)
{
    handle->buffer = buffer;
    handle->left = bytes;
    active = handle;
    pend_interrupt(0);
}
void IRQ0_Handler(void)
{
    memset(active->buffer, 'x', active->left);
    active->left = 0;
    active->received(active);
}

/* The program's part. */
struct console {
    char *line;
    unsigned lines, bytes;
};
static void console_received(struct console *console, uart_handle *handle)
{
    check(handle->left == 0);
    console->lines++;
    console->bytes += (unsigned)strlen(console->line);
}

/* CubeMX's sysmem.c: the heap begins at `_end`, after the section .bss, and ends below the stack. */
extern char _end[], _estack[], _Min_Stack_Size[], __statictramp_end[];
void *_sbrk(int bytes)
{
    static char *heap_end;
    if (!heap_end)
        heap_end = _end;
    char *before = heap_end;
    if (before + bytes > _estack - (uintptr_t)_Min_Stack_Size)
        return (void *)-1;
    heap_end += bytes;
    return before;
}

int main(void)
{
    uart_handle uarts[2] = {{0}};
    struct console consoles[2] = {{0}};
    enable_interrupt(0);
    for (unsigned i = 0; i < 2; i++) {
        consoles[i].line = calloc(1, 17 + i);
        check(consoles[i].line && consoles[i].line >= __statictramp_end);
        uarts[i].received = (void (*)(uart_handle *))STATICTRAMP_BIND(console_received, &consoles[i], void, uart_handle *);
        check(uarts[i].received);
        receive_in_interrupt(&uarts[i], consoles[i].line, 16 + i);
    }
    receive_in_interrupt(&uarts[1], consoles[1].line, 5);
    say_number("STM32CubeMX: lines of the second console: ", (long)consoles[1].lines);
    say_number("STM32CubeMX: bytes: ", (long)(consoles[0].bytes + consoles[1].bytes));
    return 0;
}
