// Types for every way in which the wrapper passes and returns values. For each type there is a function that makes a
// value from a number, and one that checks whether a value was made from a number.

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "statictramp.hpp"

#define CHECK(condition) ((condition) ? (void)0 : (std::fprintf(stderr, "%s, line %d: %s\n", __func__, __LINE__, #condition), std::abort()))

enum small_enum : unsigned char { small_a };
enum class long_enum : long { a };
struct host {
    long first, second[4];
};

// Byte-filled types: the bytes count up from the number.
template <class T>
T filled(unsigned number)
{
    T made;
    unsigned char bytes[sizeof(T)];
    for (std::size_t i = 0; i < sizeof(T); i++)
        bytes[i] = static_cast<unsigned char>(number * 7 + i * 13 + 1);
    std::memcpy(&made, bytes, sizeof(T));
    return made;
}

struct empty {};
struct alignas(16) empty16 {};
struct other_empty {};
struct two_empty : empty, other_empty {};
struct words3 { long a, b, c; };
struct words4 { long a, b, c, d; };
struct doubles3 { double a, b, c; };
struct bytes17 { char a[17]; };
struct __attribute__((packed)) packed19 { short a; long b; char c; long d; };
struct mixed4 { int a; double b; char c; long d; void *e; };
struct alignas(64) cache_line { char a[128]; };
struct wide_fields { long a; alignas(16) long b; long c, d, e, f; };
union either { long a[3]; double b[3]; };
using shorts15 = std::array<short, 15>;
struct moved_only {
    long a, b, c;
    moved_only() = default;
    moved_only(moved_only &&) = default;
    moved_only &operator=(moved_only &&) = default;
};
struct of_bit { bool a; };
struct of_bytes { char a, b; };
struct __attribute__((packed)) of_short { short a; };

// Classes whose members are listed.
struct point { double x, y; };
struct tagged { double a; long b; };
struct small { short a; signed char b; };
struct halves { float a, b; };
struct triple_float { float a, b, c; };
struct nested { char a; tagged b; };
struct with_array { int a[3]; char b; };
struct bits_and_float { unsigned a; float b; };
struct long_fields { long a, b, c, d, e, f, g, h, i; };
STATICTRAMP_MEMBERS(point, x, y);
STATICTRAMP_MEMBERS(tagged, a, b);
STATICTRAMP_MEMBERS(small, a, b);
STATICTRAMP_MEMBERS(halves, a, b);
STATICTRAMP_MEMBERS(triple_float, a, b, c);
STATICTRAMP_MEMBERS(nested, a, b);
STATICTRAMP_MEMBERS(with_array, a, b);
STATICTRAMP_MEMBERS(bits_and_float, a, b);
STATICTRAMP_MEMBERS(long_fields, a, b, c, d, e, f, g, h, i);
typedef float vector8 __attribute__((vector_size(8)));
typedef int vector16 __attribute__((vector_size(16)));

// Types that are not trivial contain the number.
struct copied {
    long held;
    explicit copied(long number) : held(number) {}
    copied(const copied &other) : held(other.held) {}
};
struct destroyed {
    int held;
    explicit destroyed(long number) : held(static_cast<int>(number)) {}
    destroyed(const destroyed &) = default;
    ~destroyed() { held = -1; }
};
struct with_table {
    long held;
    explicit with_table(long number) : held(number) {}
    virtual long twice() const { return 2 * held; }
};
struct holds_nothing {
    explicit holds_nothing(long) {}
    holds_nothing(const holds_nothing &) {}
    ~holds_nothing() {}
};

template <class T, class = void>
struct value {
    static T of(unsigned number) { return filled<T>(number); }
    static bool is(const T &given, unsigned number)
    {
        T wanted = filled<T>(number);
        return std::memcmp(&given, &wanted, sizeof(T)) == 0;
    }
};
template <class T>
struct value<T, typename std::enable_if<std::is_same<T, bool>::value>::type> {
    static T of(unsigned number) { return number & 1; }
    static bool is(T given, unsigned number) { return given == of(number); }
};
template <class T>
struct value<T, typename std::enable_if<std::is_floating_point<T>::value>::type> {
    static T of(unsigned number) { return static_cast<T>(number) * 3 / 4 - 100; }
    static bool is(T given, unsigned number) { return given == of(number); }
};
template <class T>
struct value<T, typename std::enable_if<std::is_empty<T>::value && std::is_trivially_copyable<T>::value>::type> {
    static T of(unsigned) { return T(); }
    static bool is(const T &, unsigned) { return true; }
};
template <>
struct value<of_bit> {
    static of_bit of(unsigned number) { return of_bit{(number & 1) != 0}; }
    static bool is(of_bit given, unsigned number) { return given.a == ((number & 1) != 0); }
};
// Padding need not be preserved: only the fields count.
template <>
struct value<mixed4> {
    static mixed4 of(unsigned n) { return mixed4{static_cast<int>(n), n * .5, static_cast<char>(n & 63), -static_cast<long>(n), nullptr}; }
    static bool is(const mixed4 &given, unsigned n)
    {
        mixed4 wanted = of(n);
        return given.a == wanted.a && given.b == wanted.b && given.c == wanted.c && given.d == wanted.d && !given.e;
    }
};
template <>
struct value<doubles3> {
    static doubles3 of(unsigned n) { return doubles3{n * .5, n * .25, -1. * n}; }
    static bool is(const doubles3 &given, unsigned n) { return given.a == n * .5 && given.b == n * .25 && given.c == -1. * n; }
};
template <>
struct value<wide_fields> {
    static wide_fields of(unsigned n) { return wide_fields{n + 1, n + 2, n + 3, n + 4, n + 5, n + 6}; }
    static bool is(const wide_fields &given, unsigned n) { return given.a == n + 1 && given.b == n + 2 && given.f == n + 6; }
};
// Two objects of a class are equal if all their fields are.
template <class T>
struct by_fields {
    static bool is(const T &given, unsigned n) { return value<T>::equal(given, value<T>::of(n)); }
};
template <>
struct value<point> : by_fields<point> {
    static point of(unsigned n) { return point{n * .5, n * .25}; }
    static bool equal(const point &a, const point &b) { return a.x == b.x && a.y == b.y; }
};
template <>
struct value<tagged> : by_fields<tagged> {
    static tagged of(unsigned n) { return tagged{n * .5, -static_cast<long>(n)}; }
    static bool equal(const tagged &a, const tagged &b) { return a.a == b.a && a.b == b.b; }
};
template <>
struct value<small> : by_fields<small> {
    static small of(unsigned n) { return small{static_cast<short>(-static_cast<int>(n)), static_cast<signed char>(n & 63)}; }
    static bool equal(const small &a, const small &b) { return a.a == b.a && a.b == b.b; }
};
template <>
struct value<halves> : by_fields<halves> {
    static halves of(unsigned n) { return halves{static_cast<float>(n), static_cast<float>(n) * .5f}; }
    static bool equal(const halves &a, const halves &b) { return a.a == b.a && a.b == b.b; }
};
template <>
struct value<triple_float> : by_fields<triple_float> {
    static triple_float of(unsigned n) { return triple_float{static_cast<float>(n), 1.f, static_cast<float>(n) * .5f}; }
    static bool equal(const triple_float &a, const triple_float &b) { return a.a == b.a && a.b == b.b && a.c == b.c; }
};
template <>
struct value<nested> : by_fields<nested> {
    static nested of(unsigned n) { return nested{static_cast<char>(n & 63), value<tagged>::of(n)}; }
    static bool equal(const nested &a, const nested &b) { return a.a == b.a && value<tagged>::equal(a.b, b.b); }
};
template <>
struct value<with_array> : by_fields<with_array> {
    static with_array of(unsigned n) { return with_array{{static_cast<int>(n), 2, -static_cast<int>(n)}, static_cast<char>(n & 63)}; }
    static bool equal(const with_array &a, const with_array &b)
    {
        return a.a[0] == b.a[0] && a.a[1] == b.a[1] && a.a[2] == b.a[2] && a.b == b.b;
    }
};
template <>
struct value<bits_and_float> : by_fields<bits_and_float> {
    static bits_and_float of(unsigned n) { return bits_and_float{~n, static_cast<float>(n) * .5f}; }
    static bool equal(const bits_and_float &a, const bits_and_float &b) { return a.a == b.a && a.b == b.b; }
};
template <class T>
struct complex_value {
    using part = decltype(__real__ std::declval<T &>());
    static T of(unsigned n)
    {
        T made;
        __real__ made = static_cast<typename std::decay<part>::type>(n) / 2;
        __imag__ made = static_cast<typename std::decay<part>::type>(n) + 7;
        return made;
    }
    static bool is(T given, unsigned n)
    {
        T wanted = of(n);
        return __real__ given == __real__ wanted && __imag__ given == __imag__ wanted;
    }
};
#if (!defined(__powerpc__) || defined(__powerpc64__)) && !defined(__mips__)
template <>
struct value<statictramp::detail::complex_float> : complex_value<statictramp::detail::complex_float> {};
template <>
struct value<statictramp::detail::complex_double> : complex_value<statictramp::detail::complex_double> {};
template <>
struct value<statictramp::detail::longest_complex> : complex_value<statictramp::detail::longest_complex> {};
#endif
template <>
struct value<moved_only> {
    static moved_only of(unsigned n)
    {
        moved_only made;
        made.a = n, made.b = n + 1, made.c = n + 2;
        return made;
    }
    static bool is(const moved_only &given, unsigned n) { return given.a == n && given.b == n + 1 && given.c == n + 2; }
};
template <class T>
struct held_value {
    static T of(unsigned number) { return T(static_cast<long>(number)); }
    static bool is(const T &given, unsigned number) { return given.held == static_cast<int>(number); }
};
template <>
struct value<copied> : held_value<copied> {};
template <>
struct value<destroyed> : held_value<destroyed> {};
template <>
struct value<with_table> : held_value<with_table> {
    static bool is(const with_table &given, unsigned number) { return given.twice() == 2L * number; }
};
template <>
struct value<holds_nothing> {
    static holds_nothing of(unsigned) { return holds_nothing(0); }
    static bool is(const holds_nothing &, unsigned) { return true; }
};
template <>
struct value<std::string> {
    static std::string of(unsigned number) { return std::string(40 + number % 50, static_cast<char>('a' + number % 26)); } // on the heap
    static bool is(const std::string &given, unsigned number) { return given == of(number); }
};
template <>
struct value<std::unique_ptr<long>> {
    static std::unique_ptr<long> of(unsigned number) { return std::unique_ptr<long>(new long(number)); }
    static bool is(const std::unique_ptr<long> &given, unsigned number) { return given && *given == number; }
};
// A reference refers to a variable for this number.
template <class T>
T &object(unsigned number)
{
    static typename std::aligned_storage<sizeof(T), alignof(T)>::type objects[16];
    return reinterpret_cast<T &>(objects[number % 16]);
}
template <class T>
struct value<T &> {
    static T &of(unsigned number) { return object<T>(number); }
    static bool is(T &given, unsigned number) { return &given == &object<T>(number); }
};
template <class T>
struct value<T &&> {
    static T &&of(unsigned number) { return std::move(object<T>(number)); }
    static bool is(T &given, unsigned number) { return &given == &object<T>(number); }
};
