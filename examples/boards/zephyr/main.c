/* A Zephyr application. Zephyr's own callbacks have a context: k_timer and gpio_callback are members of the program's struct, and
   IRQ_CONNECT passes a parameter. Callbacks of vendors' libraries that are used with Zephyr often have no context, and direct
   interrupts never have one. */

#include "board.h"
#include <statictramp.h>

/* Zephyr's interrupt table: each entry has a parameter. */
struct isr_table_entry {
    const void *parameter;
    void (*isr)(const void *parameter);
};
static struct isr_table_entry sw_isr_table[2];
void IRQ0_Handler(void) { sw_isr_table[0].isr(sw_isr_table[0].parameter); }
/* A direct interrupt uses no table, and its handler has no parameter. */
static void (*direct)(void);
void IRQ1_Handler(void) { direct(); }

/* A vendor's library, which calls one function without a context. */
static void (*on_packet)(const char *data, unsigned bytes);
static void radio_interrupt(const void *unused)
{
    (void)unused;
    on_packet("packet", 6);
}

struct node {
    unsigned packets, bytes, ticks;
};
static void node_packet(struct node *node, const char *data, unsigned bytes)
{
    check(data[0] == 'p');
    node->packets++;
    node->bytes += bytes;
}
static void node_tick(struct node *node) { node->ticks++; }

int main(void)
{
    struct node node = {0, 0, 0};
    on_packet = (void (*)(const char *, unsigned))STATICTRAMP_BIND(node_packet, &node, void, const char *, unsigned);
    direct = (void (*)(void))STATICTRAMP_BIND(node_tick, &node, void);
    check(on_packet && direct);
    sw_isr_table[0].isr = radio_interrupt;
    enable_interrupt(0);
    pend_interrupt(0);
    pend_interrupt(0);
    enable_interrupt(1);
    pend_interrupt(1);
    say_number("Zephyr: bytes: ", (long)node.bytes);
    say_number("Zephyr: direct interrupts: ", (long)node.ticks);
    return 0;
}
