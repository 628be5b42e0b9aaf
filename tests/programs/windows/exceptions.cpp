// C++ exceptions on Windows, whose unwinder reads .pdata: through stubs and the adapters that jump, which have no
// frames, and through the raw one, which has a frame. The stubs are in the program's image, and in views that growth
// has added.

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <windows.h>

#include "statictramp.h"

#define CHECK(condition) \
    ((condition) ? (void)0 : (std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition), std::exit(1)))

// Destructors run once each, on the thread that throws.
static thread_local int guards;
struct Guard {
    Guard() { guards++; }
    ~Guard() { guards--; }
};

struct Ways;
static int go(const Ways &ways, int depth);

// Callees, each called in a different way. One in a hundred catches, and rethrows.
static int down(void *ways, int depth)
{
    Guard guard;
    try {
        return go(*static_cast<const Ways *>(ways), depth - 1) + 1;
    } catch (const std::runtime_error &) {
        if (depth % 100 != 0)
            throw;
        throw std::runtime_error("again");
    }
}
extern "C" {
int by_chain(int depth);
__attribute__((used)) int behind(int depth, void *ways) { return down(ways, depth); }
}
__asm__(".text\n.globl by_chain\nby_chain: mov %r10, %rdx\njmp behind\n");
static int before(void *ways, double, int depth) { return down(ways, depth); }
struct Big { long long depth[5]; };
static Big in_memory(void *ways, int depth)
{
    Big result = {{down(ways, depth)}};
    return result;
}
static void raw(void *ways, statictramp_raw_call *call)
{
    int depth;
    CHECK(statictramp_raw_next(call, STATICTRAMP_KIND_INT32, &depth) == 0);
    depth = down(ways, depth);
    CHECK(statictramp_raw_return(call, STATICTRAMP_KIND_INT32, &depth) == 0);
}

template <class F>
static statictramp_fn fn(F *function) { return reinterpret_cast<statictramp_fn>(function); }

struct Ways {
    statictramp_fn all[5];
    Ways()
        : all{statictramp_alloc(fn(by_chain), this), statictramp_bind(fn(behind), this, 1), statictramp_bind_first(fn(before), this, 2),
              statictramp_bind_first(fn(in_memory), this, 1 | STATICTRAMP_RESULT_IN_MEMORY), statictramp_bind_raw(raw, this)}
    {
        for (statictramp_fn way : all)
            CHECK(way);
    }
    ~Ways()
    {
        for (statictramp_fn way : all)
            CHECK(statictramp_free(way) == 0);
    }
};

static thread_local bool throws;

__attribute__((noinline)) static int go(const Ways &ways, int depth)
{
    Guard guard;
    if (depth == 0 && throws)
        throw std::runtime_error("thrown");
    if (depth == 0)
        return 0;
    statictramp_fn way = ways.all[depth % 5];
    switch (depth % 5) {
    case 2: return reinterpret_cast<int (*)(double, int)>(way)(0.5, depth);
    case 3: return static_cast<int>(reinterpret_cast<Big (*)(int)>(way)(depth).depth[0]);
    default: return reinterpret_cast<int (*)(int)>(way)(depth);
    }
}

// Where the exception is caught, the callee-saved registers have their previous values.
__attribute__((noinline)) static void test(const Ways &ways, int depth, double x, long long y)
{
    double kept = x * 3 + 1;
    long long also = y ^ 0x5555;
    throws = false;
    CHECK(go(ways, depth) == depth && guards == 0);
    throws = true;
    std::string caught;
    try {
        go(ways, depth);
    } catch (const std::runtime_error &error) {
        caught = error.what();
    }
    CHECK(caught == (depth < 100 ? "thrown" : "again") && guards == 0);
    CHECK(kept == x * 3 + 1 && also == (y ^ 0x5555));
}

static DWORD WINAPI test_in_thread(LPVOID)
{
    for (int round = 0; round < 20; round++) {
        Ways ways; // whichever slot it uses now
        for (int depth = 0; depth < 12; depth++)
            test(ways, depth, round, depth);
    }
    return 0;
}

static void none() {}

static void *mapping(statictramp_fn code)
{
    MEMORY_BASIC_INFORMATION memory;
    CHECK(VirtualQuery(reinterpret_cast<void *>(code), &memory, sizeof memory));
    return memory.AllocationBase;
}

int main()
{
    Ways ways;
    for (int depth = 0; depth < 12; depth++)
        test(ways, depth, 0.25, 7);
    test(ways, 1000, 2.5, 77);

    // While the table grows, and in its added areas.
    size_t capacity = statictramp_capacity();
    HANDLE threads[3];
    for (HANDLE &thread : threads)
        CHECK((thread = CreateThread(nullptr, 0, test_in_thread, nullptr, 0, nullptr)) != nullptr);
    for (size_t i = 0; i < 8 * capacity; i++)
        CHECK(statictramp_alloc(fn(none), nullptr));
    CHECK(statictramp_capacity() > 8 * capacity);
    Ways beyond;
    CHECK(mapping(beyond.all[0]) != mapping(ways.all[0]));
    for (int depth = 0; depth < 12; depth++)
        test(beyond, depth, 0.25, 7);
    test(beyond, 1000, 2.5, 77);
    CHECK(WaitForMultipleObjects(3, threads, TRUE, INFINITE) == WAIT_OBJECT_0);
    std::puts("exceptions.cpp: ok");
}
