// The C++ wrapper on Windows, where each parameter takes one register or stack slot, whatever its type: parameters and
// results of every kind, up to the maximum number, exceptions.

#include <complex>
#include <cstdio>
#include <cstdlib>
#include <emmintrin.h>
#include <memory>
#include <stdexcept>
#include <string>

#include "statictramp.hpp"

#define CHECK(condition) ((condition) ? (void)0 : (std::fprintf(stderr, "%d: %s\n", __LINE__, #condition), std::exit(1)))

__extension__ typedef __int128 wide;
struct large { long long a[5]; };
struct three { unsigned char a[3]; };
struct one { unsigned char a; };
struct word { int a; };
struct two { double x; long long n; };
struct vector { __m128 v; };
struct host { int number() { return 7; } };
static double low(__m128 v) { return static_cast<double>(_mm_cvtss_f32(v)); }

int main()
{
    double base = 1000;
    using statictramp::function;
    // A second parameter shows that each arrives in its own place.
    function<double(three, int)> of_three = [base](three t, int x) { return base + 100 * t.a[2] + x; };
    CHECK(of_three.get()(three{{0, 0, 3}}, 4) == 1304);
    function<double(one, int)> of_one = [base](one o, int x) { return base + 100 * o.a + x; };
    CHECK(of_one.get()(one{3}, 4) == 1304);
    function<double(word, double)> of_word = [base](word w, double x) { return base + 100 * w.a + x; };
    CHECK(of_word.get()(word{3}, 4) == 1304);
    function<double(two, float)> of_two = [base](two t, float x) { return base + 100 * t.x + static_cast<double>(t.n) + static_cast<double>(x); };
    CHECK(of_two.get()(two{3, 4}, 5) == 1309);
    function<double(large, int)> of_large = [base](large l, int x) { return base + 100 * static_cast<double>(l.a[4]) + x; };
    CHECK(of_large.get()(large{{0, 0, 0, 0, 3}}, 4) == 1304);
    function<double(vector, int)> of_vector = [base](vector v, int x) { return base + 100 * low(v.v) + x; };
    CHECK(of_vector.get()(vector{_mm_set1_ps(3)}, 4) == 1304);
    function<double(__m128, int)> of_bare_vector = [base](__m128 v, int x) { return base + 100 * low(v) + x; };
    CHECK(of_bare_vector.get()(_mm_set1_ps(3), 4) == 1304);
    function<double(wide, int)> of_wide = [base](wide w, int x) { return base + 100 * static_cast<double>(w >> 64) + x; };
    CHECK(of_wide.get()(static_cast<wide>(3) << 64, 4) == 1304);
    function<double(std::complex<float>, std::complex<double>)> of_complex = [base](std::complex<float> a, std::complex<double> b) {
        return base + 100 * static_cast<double>(a.imag()) + b.imag();
    };
    CHECK(of_complex.get()({0, 3}, {0, 4}) == 1304);
    function<double(int (host::*)(), host &, double)> of_member = [base](int (host::*f)(), host &h, double x) { return base + (h.*f)() + x; };
    host here;
    CHECK(of_member.get()(&host::number, here, 100) == 1107);
    function<double(std::unique_ptr<int>, long double, bool)> of_owner = [base](std::unique_ptr<int> p, long double l, bool b) {
        return base + 100 * *p + 10 * static_cast<double>(l) + b;
    };
    CHECK(of_owner.get()(std::unique_ptr<int>(new int(3)), 4, true) == 1341);

    // Results: in a register, in xmm0, in memory.
    function<void(double, int, char *)> nothing = [base](double x, int y, char *to) { *to = base + x + y == 1003; };
    char done = 0;
    nothing.get()(1, 2, &done);
    CHECK(done == 1);
    function<double *(double &, float, int)> pointer = [base](double &x, float y, int z) { x = base + static_cast<double>(y) + z; return &x; };
    double received;
    CHECK(*pointer.get()(received, 1, 2) == 1003);
    function<float(float, float, float)> floats = [base](float x, float y, float z) { return static_cast<float>(base) + x + 10 * y + 100 * z; };
    CHECK(floats.get()(1, 2, 3) == 1321);
    function<wide(int, double, long long)> gives_wide = [base](int x, double y, long long z) { return static_cast<wide>(base + x + y + static_cast<double>(z)) << 70; };
    CHECK(gives_wide.get()(1, 2, 3) == static_cast<wide>(1006) << 70);
    function<one(int, double, int)> gives_one = [base](int x, double y, int z) { return one{static_cast<unsigned char>(base - 990 + x + y + z)}; };
    CHECK(gives_one.get()(1, 2, 3).a == 16);
    function<long double(int, double)> gives_long_double = [base](int x, double y) { return static_cast<long double>(base) + x + y; };
    CHECK(gives_long_double.get()(1, 2) == 1003);
    function<large(double, int)> gives_large = [base](double x, int y) { return large{{static_cast<long long>(base), static_cast<long long>(x), y, 0, 9}}; };
    large got = gives_large.get()(2.5, -7);
    CHECK(got.a[0] == 1000 && got.a[1] == 2 && got.a[2] == -7 && got.a[4] == 9);
    function<std::string(std::string, const std::string &)> text = [base](std::string a, const std::string &b) { return a + b + std::to_string(static_cast<int>(base)); };
    CHECK(text.get()("a", "b") == "ab1000");

    auto key = [base](const void *a, const void *b) { return (*static_cast<const int *>(a) - *static_cast<const int *>(b)) * (base > 0 ? -1 : 1); };
    int order[] = {3, 9, 1};
    {
        statictramp::callback<decltype(key)> compare(key);
        std::qsort(order, 3, sizeof *order, compare.get());
    }
    CHECK(order[0] == 9 && order[1] == 3 && order[2] == 1);

    bool caught = false;
    function<double(int, std::string)> thrower = [base](int x, std::string text) -> double {
        if (x > 1)
            throw std::runtime_error(text);
        return base;
    };
    CHECK(thrower.get()(1, "") == 1000);
    try {
        thrower.get()(2, "thrown through a callback");
    } catch (const std::runtime_error &error) {
        caught = error.what() == std::string("thrown through a callback");
    }
    CHECK(caught);
    std::puts("wrapper.cpp: ok");
}
