// The part of an Arduino core that calls interrupt functions: a table with one function for each pin, and no context.

#include "board.h"
#include "Arduino.h"

static voidFuncPtr functions[3];

void attachInterrupt(uint32_t pin, voidFuncPtr function, uint32_t)
{
    check(pin < 3);
    functions[pin] = function;
    enable_interrupt(pin);
}
void detachInterrupt(uint32_t pin) { functions[pin] = nullptr; }

static void call(uint32_t pin)
{
    if (functions[pin])
        functions[pin]();
}
extern "C" {
void IRQ0_Handler() { call(0); }
void IRQ1_Handler() { call(1); }
void IRQ2_Handler() { call(2); }
}

void setup();
void loop();
int main()
{
    setup();
    for (int i = 0; i < 3; i++)
        loop();
    return 0;
}
