// Pointers to member functions and tables of virtual functions that come from the host, called in target regions (OpenMP 5.2,
// section 7.8.3: "a pointer to a member function (C++)").
#include <omp.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include "statictramp_interop.h"

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            std::exit(1); \
        } \
    } while (0)

#pragma omp begin declare target
extern "C" void *__kmpc_target_translate_fptr(void *host);
#pragma omp end declare target

#define HERE (omp_is_initial_device() ? 0 : 1000)

struct base {
    int factor;
    int times(int x);
    int plus(int x) const;
};
struct other {
    int more;
    int minus(int x);
};
// Its second base does not begin where it begins.
struct derived : base, other {
};

// (Of functions that are defined within their class clang 19 leaves no entry: it ends by a fault of its own.)
#pragma omp begin declare target indirect
int base::times(int x) { return HERE + factor * x; }
int base::plus(int x) const { return HERE + factor + x; }
int other::minus(int x) { return HERE + more - x; }
int free_times(base *b, int x) { return b->times(x); }
#pragma omp end declare target

// A pointer to a member function that is not virtual is two words: the function's address, and what is added to the object's
// (Itanium C++ ABI, section 2.3).
struct words {
    std::uintptr_t function;
    std::ptrdiff_t adjustment;
};

#pragma omp begin declare target
template <typename M> M translated(M member)
{
    words w;
    static_assert(sizeof w == sizeof member, "two words");
    std::memcpy(&w, &member, sizeof w);
    if (w.function && !(w.function & 1))
        w.function = reinterpret_cast<std::uintptr_t>(__kmpc_target_translate_fptr(reinterpret_cast<void *>(w.function)));
    std::memcpy(&member, &w, sizeof w);
    return member;
}
#pragma omp end declare target

template <typename M> std::uintptr_t address_of(M member)
{
    words w;
    std::memcpy(&w, &member, sizeof w);
    return w.function;
}

struct commands {
    int (base::*times)(int);
    int (base::*plus)(int) const;
    int (derived::*minus)(int);
    int (base::*none)(int);
    int (*free)(base *, int);
};

int main()
{
    CHECK(omp_get_num_devices() >= 2);
    for (int device = 0; device < 2; device++) {
#pragma omp target device(device)
        {
        }
        commands c = {&base::times, &base::plus, &derived::minus, nullptr, free_times};
        const std::uintptr_t hosts[] = {address_of(c.times), address_of(c.plus), address_of(c.minus), (std::uintptr_t)c.free};
        statictramp_function_pair pairs[4];
        for (int i = 0; i < 4; i++) {
            pairs[i].host = hosts[i];
            pairs[i].target = (std::uint64_t)omp_get_mapped_ptr((void *)hosts[i], device);
            CHECK(pairs[i].target && pairs[i].target != pairs[i].host);
        }
        CHECK(statictramp_set_functions(device, 4, pairs) == STATICTRAMP_MAP_ERROR_SET);
        derived d;
        d.factor = 6, d.more = 50;
        int results[4] = {0}, none = 0;
#pragma omp target device(device) map(to : c, d) map(from : results, none)
        {
            results[0] = (d.*translated(c.times))(7);
            results[1] = (d.*translated(c.plus))(7);
            results[2] = (d.*translated(c.minus))(8);
            results[3] = reinterpret_cast<int (*)(base *, int)>(__kmpc_target_translate_fptr((void *)c.free))(&d, 7);
            none = translated(c.none) == nullptr;
        }
        CHECK(results[0] == 1042 && results[1] == 1013 && results[2] == 1042 && results[3] == 1042 && none);
        CHECK((d.*c.times)(7) == 42 && (d.*c.minus)(8) == 42);
    }
    std::puts("2 devices: pointers to member functions");
    return 0;
}
