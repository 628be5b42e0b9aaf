// statictramp.hpp without exceptions, RTTI and a heap: lambdas are callbacks of drivers that pass no context. Runs on Cortex-M0, M3
// and 32-bit RISC-V with software floating point and on Cortex-M4F, compiled by gcc or clang.

#include "board.h"
#include <statictramp.hpp>

// Drivers like those in vendors' C libraries.
static int sum(int (*read)(int channel))
{
    int total = 0;
    for (int channel = 0; channel < 4; channel++)
        total += read(channel);
    return total;
}
static double scaled(double (*scale)(float factor, double value), float factor, double value) { return scale(factor, value); }
static long long mixed(long long (*combine)(char tag, long long wide, short narrow)) { return combine('a', 1ll << 40, 7); }

// The link would fail if the program needed a heap, because neither operator new nor malloc is defined.
static void counted()
{
    int calls = 0, base = 10;
    statictramp::callback read{[&](int channel) { return calls++, base * channel; }};
    check(read);
    say_number("sum: ", sum(read.get()));
    say_number("calls: ", calls);
}

// With software floating point, each argument is in integer registers. A double begins in an even register.
static void floating()
{
    double offset = 0.5;
    statictramp::callback scale{[&offset](float factor) { return (double)factor + offset; }};
    check(scale && scale.get()(1.25f) == 1.75);
#if defined(__riscv) || defined(__ARM_PCS_VFP)
    statictramp::callback two{[&offset](float factor, double value) { return factor * value + offset; }};
    check(two && scaled(two.get(), 2.0f, 3.0) == 6.5);
#else
    static_cast<void>(scaled);
#endif
#if defined(__riscv)
    int first = 1;
    statictramp::callback wide{[&first](char tag, long long value, short narrow) { return value + narrow + tag + first; }};
    check(wide && mixed(wide.get()) == (1ll << 40) + 7 + 'a' + 1);
#else
    // On Arm, arguments are passed in four registers, one of which holds the context.
    static_cast<void>(mixed);
    statictramp::callback one{[&offset](double value) { return value + offset; }};
    check(one && one.get()(3.0) == 3.5);
#endif
    say("floating point\n");
}

// If the table is full, the new object is empty, because there are no exceptions.
struct many {
    static int add(int *total, int more) { return *total += more; }
};
static void full()
{
    int total = 0;
    statictramp_fn made[64];
    std::size_t n = 0;
    for (statictramp_fn t; n < 64 && (t = statictramp_bind(reinterpret_cast<statictramp_fn>(&many::add), &total, 0)); n++)
        made[n] = t;
    check(n == statictramp_capacity());
    statictramp::callback rejected{[&total](int more) { return total += more; }};
    check(!rejected && !rejected.get());
    while (n > 0)
        check(statictramp_free(made[--n]) == 0);
    say("a full table gives an empty callback\n");
}

// The callback moves, and its function pointer stays.
static void moved()
{
    int seen = 0;
    statictramp::callback first{[&seen](int value) { seen += value; }};
    void (*pointer)(int) = first.get();
    decltype(first) second{std::move(first)};
    pointer(42);
    check(second.get() == pointer && !first && seen == 42);
    say("a moved callback keeps its pointer\n");
}

int main()
{
    counted();
    floating();
    full();
    moved();
    check(statictramp_live() == 0);
    return 0;
}
