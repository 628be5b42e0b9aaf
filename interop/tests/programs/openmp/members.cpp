// Pointers to member functions and virtual function tables from the host, called in target regions (OpenMP 5.2, section
// 7.8.3: "a pointer to a member function (C++)"). The table is created by the program, or from the entries that the
// compiler has emitted in both images; clang emits some for virtual functions since version 22.
#include <omp.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include "entries.h"
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
// The second base is at a nonzero offset.
struct derived : base, other {
};

struct figure {
    int factor;
    virtual int area(int x);
    virtual int length(int x);
};
struct square : figure {
    int area(int x) override;
};

// (For functions defined within their class clang emits no entry: 19 crashes, 22 reports that the entry is incorrect.)
#pragma omp begin declare target indirect
int base::times(int x) { return HERE + factor * x; }
int base::plus(int x) const { return HERE + factor + x; }
int other::minus(int x) { return HERE + more - x; }
int free_times(base *b, int x) { return b->times(x); }
int figure::area(int x) { return HERE + factor * x; }
int figure::length(int x) { return HERE + factor + x; }
int square::area(int x) { return HERE + factor * x * x; }
#pragma omp end declare target

// A pointer to a non-virtual member function is two words: the function's address, and the adjustment of the object's
// address (Itanium C++ ABI, section 2.3).
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
// The first word of an object with virtual functions is the address of the host's virtual function table.
template <typename T> T *with_table_of_device(T *object)
{
    void *table;
    std::memcpy(&table, static_cast<void *>(object), sizeof table);
    table = __kmpc_target_translate_fptr(table);
    std::memcpy(static_cast<void *>(object), &table, sizeof table);
    return object;
}
// This hides from the compiler which functions are called.
__attribute__((noinline)) int call_area(figure *s, int x) { return s->area(x); }
__attribute__((noinline)) int call_member(figure *s, int (figure::*member)(int), int x) { return (s->*member)(x); }
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

// This table is made from the entries that the compiler has emitted in the program and in the device's image.
static int set_by_entries(int device)
{
    std::uintptr_t start = reinterpret_cast<std::uintptr_t>(ENTRIES(start)), stop = reinterpret_cast<std::uintptr_t>(ENTRIES(stop));
    int result = -1;
#pragma omp target device(device) map(from : result)
    result = statictramp_set_functions_of_entries(device, ENTRY_SIZE, (void *)start, (void *)stop, ENTRIES(start), ENTRIES(stop));
    return result;
}

#if __clang_major__ >= 22
// Virtual functions, and pointers to them, of an object created on the host.
#pragma clang diagnostic ignored "-Wopenmp-mapping"
static void virtual_functions(int device)
{
    square s;
    s.factor = 5;
    struct {
        int (figure::*area)(int), (figure::*length)(int);
    } pointers = {&figure::area, &figure::length};
    int results[3] = {0};
#pragma omp target device(device) map(to : s, pointers) map(from : results)
    {
        figure *there = with_table_of_device(&s);
        results[0] = call_area(there, 2);
        results[1] = call_member(there, translated(pointers.area), 3);
        results[2] = call_member(there, translated(pointers.length), 3);
    }
    CHECK(results[0] == 1020 && results[1] == 1045 && results[2] == 1008);
    CHECK(call_area(&s, 2) == 20 && call_member(&s, pointers.length, 3) == 8);
}
#endif

static void members(int device, bool by_entries)
{
    commands c = {&base::times, &base::plus, &derived::minus, nullptr, free_times};
    const std::uintptr_t hosts[] = {address_of(c.times), address_of(c.plus), address_of(c.minus), (std::uintptr_t)c.free};
    statictramp_function_pair pairs[4];
    for (int i = 0; i < 4; i++) {
        pairs[i].host = hosts[i];
        pairs[i].target = (std::uint64_t)omp_get_mapped_ptr((void *)hosts[i], device);
        CHECK(pairs[i].target && pairs[i].target != pairs[i].host);
    }
    CHECK(statictramp_set_functions(device, by_entries ? 0 : 4, pairs) == STATICTRAMP_MAP_ERROR_SET);
    CHECK(!by_entries || set_by_entries(device) == STATICTRAMP_MAP_ERROR_SET);
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

int main()
{
    CHECK(omp_get_num_devices() >= 2);
    for (int device = 0; device < 2; device++) {
#pragma omp target device(device)
        {
        }
        members(device, false);
        members(device, true);
#if __clang_major__ >= 22
        virtual_functions(device);
#endif
    }
    std::puts("2 devices: pointers to member functions");
    return 0;
}
