#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "statictramp.hpp"

#define CHECK(condition) ((condition) ? (void)0 : (std::fprintf(stderr, "%s: %s\n", __PRETTY_FUNCTION__, #condition), std::exit(1)))
#ifdef __clang__
#define TRIVIAL_ABI __attribute__((trivial_abi))
#else
#define TRIVIAL_ABI
#endif

struct number { // distinguishes the constructor from a number from all others
    long n;
};
struct access { // a friend of all classes
    template <class T>
    static T make(long n) { return T(number{n}); }
    template <class T>
    static void take(long (*f)(long, T, long), long n) { CHECK(f(n, T(number{n + 1}), n + 2) == n + 3); }
    template <class T>
    static void give(T (*f)(long, long), long n)
    {
        T &&given = f(n, n + 1);
        CHECK(given.is(n));
    }
};
template <class T>
constexpr bool is_taken = statictramp::detail::parameter<T>::is_known && statictramp::detail::is_clear<T>::value;
template <class T>
constexpr bool is_given = statictramp::detail::result<T>::is_known && statictramp::detail::is_clear<T>::value;
static unsigned taken, given;
template <class T, bool can_be_given>
void check(long n)
{
    long base = n;
    if constexpr (is_taken<T>) {
        statictramp::function<long(long, T, long)> f = [base](long a, const T &b, long c) {
            return a == base && b.is(base + 1) && c == base + 2 ? base + 3 : 0;
        };
        access::take<T>(f.get(), n);
        taken++;
    }
    if constexpr (is_given<T> && can_be_given) {
        statictramp::function<T(long, long)> f = [base](long a, long b) { return access::make<T>(a == base && b == base + 1 ? a : 0); };
        access::give<T>(f.get(), n);
        given++;
    }
}
