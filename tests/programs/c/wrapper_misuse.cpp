// The compiler must reject each of these with a message.

#include "statictramp.hpp"

struct pair {
    double x;
    long n;
};

void misuse()
{
#ifdef SMALL_STRUCT // passed in registers of both kinds
    auto f = [](pair p) { return p.n; };
#else // TOO_MANY: no register or word is left
    using number = long long;
    auto f = [](number a, number b, number c, number d, number e, number g, number h, number i) { return a + b + c + d + e + g + h + i; };
#endif
    statictramp::callback<decltype(f)> refused(f);
}
