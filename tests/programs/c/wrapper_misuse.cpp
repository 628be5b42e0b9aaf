// The compiler must reject each of these with a message.

#include "statictramp.hpp"

struct pair {
    double x;
    long n;
};

#ifdef MEMBER_MISSING
STATICTRAMP_MEMBERS(pair, x);
#endif
#define EIGHT int, int, int, int, int, int, int, int

void misuse()
{
#ifdef TOO_MANY // 65
    auto f = [](EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, int) {};
#else // SMALL_STRUCT: passed in registers of both kinds
    auto f = [](pair p) { return p.n; };
#endif
    statictramp::callback<decltype(f)> refused(f);
}
