// Tests a board with a heap (examples/boards/lambdas.cpp uses none): a statictramp::function that destroys itself during a call,
// and a callback that takes a va_list.

#include "board.h"
#include <cstdarg>
#include <cstddef>
#include <new>
#include <statictramp.hpp>

alignas(8) static unsigned char heap[512];
static std::size_t used;
static int freed;
const std::nothrow_t std::nothrow{};
void *operator new(std::size_t size, const std::nothrow_t &) noexcept
{
    std::size_t begin = used;
    used = (begin + size + 7) / 8 * 8;
    return used <= sizeof heap ? heap + begin : nullptr;
}
void operator delete(void *) noexcept { freed++; }
void operator delete(void *, std::size_t) noexcept { freed++; }

static int sum(int (*add)(int count, va_list numbers), int count, ...)
{
    va_list numbers;
    va_start(numbers, count);
    int total = add(count, numbers);
    va_end(numbers);
    return total;
}

int main()
{
    int base = 5;
    statictramp::function<int(int)> once;
    once = [&once, base](int x) {
        once.reset();
        check(freed == 0 && statictramp_live() == 0);
        return base + x;
    };
    check(once && once.get()(2) == 7 && !once && freed == 1);
    statictramp::callback add{[base](int count, va_list numbers) {
        int total = base;
        while (count-- > 0)
            total += va_arg(numbers, int);
        return total;
    }};
    check(add && sum(add, 3, 10, 20, 30) == 65);
    say("a heap and a va_list\n");
    return 0;
}
