// Tests the C++ wrapper: function objects with arguments and results of every class, exceptions, and lifetimes.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>

#include "statictramp.hpp"

#define CHECK(condition) ((condition) ? (void)0 : (std::fprintf(stderr, "%d: %s\n", __LINE__, #condition), std::exit(1)))

struct large {
    long a[5];
};

template <class F>
statictramp::callback<F> *heap(F f)
{
    return new statictramp::callback<F>(std::move(f));
}

struct counter {
    int &calls;
    int operator()() { return ++calls; }
};

int main()
{
    // qsort with a captured key.
    int keys[] = {5, 3, 9, 1}, order[] = {0, 1, 2, 3};
    auto by_key = [&keys](const void *a, const void *b) {
        return keys[*static_cast<const int *>(a)] - keys[*static_cast<const int *>(b)];
    };
    {
        statictramp::callback<decltype(by_key)> compare(by_key);
        std::qsort(order, 4, sizeof *order, compare.get());
    }
    CHECK(order[0] == 3 && order[1] == 1 && order[2] == 0 && order[3] == 2 && statictramp_live() == 0);

    // Floats and large structs take no integer register. A result in memory and a non-trivial argument each take one.
    long base = 1000;
    auto mixed = heap([base](double x, int y, float z, large w, long v) -> large {
        large result = {{base, static_cast<long>(x * 4), y, static_cast<long>(z), w.a[4] + v}};
        return result;
    });
    large got = mixed->get()(2.5, -7, 3.0f, large{{1, 2, 3, 4, 5}}, 6);
    CHECK(got.a[0] == 1000 && got.a[1] == 10 && got.a[2] == -7 && got.a[3] == 3 && got.a[4] == 11);
    delete mixed;

    auto text = heap([base](std::string a, const std::string &b) { return a + b + std::to_string(base); });
    CHECK(text->get()("a", "b") == "ab1000");
    delete text;

    auto five = heap([base](int a, int b, int c, int d, int e) { return base + a + b + c + d + e; });
    CHECK((*five)(1, 2, 3, 4, 5) == 1015);
    delete five;

    auto floats = heap([base](double a, double b, double c, double d, double e, double f, double g, double h, double i) {
        return a + b + c + d + e + f + g + h + i + static_cast<double>(base);
    });
    CHECK(floats->get()(1, 2, 3, 4, 5, 6, 7, 8, 9) == 1045);
    delete floats;

    // A function object that changes, and one that can only be moved.
    int calls = 0;
    statictramp::callback<counter> count(counter{calls});
    CHECK(count() == 1 && count() == 2 && calls == 2);

    // Exceptions.
    auto thrower = heap([&calls](int x) -> int {
        if (x > 1)
            throw std::runtime_error("thrown");
        return ++calls;
    });
    bool caught = false;
    try {
        CHECK(thrower->get()(1) == 3);
        thrower->get()(2);
    } catch (const std::runtime_error &error) {
        caught = std::strcmp(error.what(), "thrown") == 0;
    }
    CHECK(caught);
    delete thrower;

    // If the table is full, no function object is lost.
    statictramp_set_limit(statictramp_capacity());
    while (statictramp_alloc(reinterpret_cast<statictramp_fn>(std::abort), nullptr))
        ;
    auto owner = std::make_shared<int>(1);
    auto holds = [owner] { return *owner; };
    bool full = false;
    try {
        statictramp::callback<decltype(holds)> too_many(holds);
    } catch (const std::bad_alloc &) {
        full = true;
    }
    CHECK(full && owner.use_count() == 2);

#if __cplusplus >= 201703L
    auto one = [](int x) noexcept { return x; };
    static_assert(std::is_same<statictramp::callback<decltype(one)>::pointer, int (*)(int)>::value, "deduced");
#endif
    std::puts("wrapper.cpp: ok");
}
