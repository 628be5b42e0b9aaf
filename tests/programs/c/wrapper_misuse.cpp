// Each of these must be refused by the compiler, with a sentence.

#include "statictramp.hpp"

struct pair {
    double x;
    long n;
};

void misuse()
{
#ifdef SMALL_STRUCT // travels in registers of both kinds
    auto f = [](pair p) { return p.n; };
#else // TOO_MANY: no register is left
    auto f = [](int a, int b, int c, int d, int e, int g) { return a + b + c + d + e + g; };
#endif
    statictramp::callback<decltype(f)> refused(f);
}
