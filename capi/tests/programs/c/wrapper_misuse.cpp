// The compiler must reject each of these with a message.

#if defined(DECLARED)
namespace statictramp {
template <class>
class function;
}
#endif
#include "statictramp.hpp"

#if defined(OVER_ALIGNED)
struct alignas(16) pair {
#elif defined(MEMBER_OVER_ALIGNED)
struct pair {
    alignas(16)
#elif defined(PACKED)
struct __attribute__((packed)) pair {
#else
struct pair {
#endif
    double x;
    long n;
};

#if defined(MEMBER_MISSING)
STATICTRAMP_MEMBERS(pair, x);
#elif defined(OVER_ALIGNED) || defined(MEMBER_OVER_ALIGNED) || defined(PACKED)
STATICTRAMP_MEMBERS(pair, x, n);
#endif
#define EIGHT int, int, int, int, int, int, int, int

#ifdef MS_ABI // on x86-64 Linux
using signature = __attribute__((ms_abi)) long(int);
static_assert(sizeof(statictramp::function<signature>) != 0, "");
#endif

#if defined(DECLARED)
statictramp::function<int()> *declared;
#endif

void misuse()
{
#if defined(LONG_DOUBLE) // with -m128bit-long-double, on 32-bit x86
    auto f = [](long double x) { return static_cast<int>(x); };
#elif defined(TOO_MANY) // 65
    auto f = [](EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, int) {};
#else // SMALL_STRUCT: passed in registers of both kinds
    auto f = [](pair p) { return p.n; };
#endif
    statictramp::callback<decltype(f)> rejected(f);
}
