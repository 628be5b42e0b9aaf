// A function object whose operator & does not return its address.

#include "statictramp.hpp"

struct proxy {
    int step;
    explicit proxy(int by) : step(by) {}
    int operator()(int x) const { return x + step; }
    void *operator&() const { return nullptr; }
};

int main()
{
    statictramp::callback<proxy> plus{proxy(7)};
    statictramp::callback<const proxy, int(int)> fixed{proxy(8)};
    return plus.get()(1) == 8 && fixed.get()(1) == 9 ? 0 : 1;
}
