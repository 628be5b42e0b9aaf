// A sketch: each of two buttons is an object, and its interrupt is a lambda that captures the object.

#include "attach_lambda.hpp"
#include "board.h"

class button {
  public:
    explicit button(uint32_t pin) : attached_(attachInterrupt(pin, pressed{this}, RISING)) { check(attached_); }
    int presses() const { return presses_; }

  private:
    struct pressed {
        button *self;
        void operator()() const { self->presses_ = self->presses_ + 1; }
    };
    volatile int presses_ = 0;
    attached<pressed> attached_;
};

static int rounds;

void setup()
{
    say("Arduino: a lambda counts\n");
}

void loop()
{
    button left(0), right(1);
    volatile int edges = 0;
    auto counter = attachInterrupt(2, [&edges] { edges = edges + 1; }, CHANGE);
    check(counter);
    rounds++;
    for (int i = 0; i < rounds; i++)
        pend_interrupt(0);
    pend_interrupt(1);
    pend_interrupt(2);
    pend_interrupt(2);
    say_number("Arduino: left, right, edges: ", 100 * left.presses() + 10 * right.presses() + edges);
}
