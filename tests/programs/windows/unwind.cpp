// C++ exceptions through the closures of unwind.rs.

#include <cstdio>
#include <cstdlib>

#define CHECK(condition) ((condition) ? (void)0 : (std::fprintf(stderr, "%d: %s\n", __LINE__, #condition), std::exit(1)))

struct large { unsigned long long a[5]; };
extern "C" {
unsigned (*in_register())(unsigned, double);
large (*in_registers())(unsigned);
unsigned (*on_stack())(unsigned, double, unsigned long long, unsigned long long, unsigned long long, float);
unsigned dropped();
void throws(unsigned number);
}

void throws(unsigned number)
{
    if (number != 0)
        throw number;
}

// Returns whether the callee throws this number and each frame of the closure is cleaned up.
template <class F>
static void check(unsigned number, F call)
{
    unsigned caught = 0, before = dropped();
    try {
        call(number);
    } catch (unsigned thrown) {
        caught = thrown;
    }
    CHECK(caught == number && dropped() == before + 1);
}

int main()
{
    auto f = in_register();
    auto g = in_registers();
    auto h = on_stack();
    for (unsigned i = 0; i < 100; i++) {
        unsigned number = i % 3 * i;
        check(number, [f](unsigned n) { CHECK(f(n, 5) == 5); });
        check(number, [g](unsigned n) { CHECK(g(n).a[4] == 9); });
        check(number, [h](unsigned n) { CHECK(h(n, 1, 2, 3, 4, 5) == 15); });
    }
    std::puts("unwind.cpp: ok");
}
