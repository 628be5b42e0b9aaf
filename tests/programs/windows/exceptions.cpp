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

struct Trampolines;
static int go(const Trampolines &trampolines, int depth);

// Callees, each called in a different way. One in a hundred catches and rethrows the exception.
static int down(void *trampolines, int depth)
{
    Guard guard;
    try {
        return go(*static_cast<const Trampolines *>(trampolines), depth - 1) + 1;
    } catch (const std::runtime_error &) {
        if (depth % 100 != 0)
            throw;
        throw std::runtime_error("again");
    }
}
extern "C" {
int by_chain(int depth);
__attribute__((used)) int behind(int depth, void *trampolines) { return down(trampolines, depth); }
}
__asm__(".text\n.globl by_chain\nby_chain: mov %r10, %rdx\njmp behind\n");
static int before(void *trampolines, double, int depth) { return down(trampolines, depth); }
struct Big { long long depth[5]; };
static Big in_memory(void *trampolines, int depth)
{
    Big result = {{down(trampolines, depth)}};
    return result;
}
static void raw(void *trampolines, statictramp_raw_call *call)
{
    int depth;
    CHECK(statictramp_raw_next(call, STATICTRAMP_KIND_INT32, &depth) == 0);
    depth = down(trampolines, depth);
    CHECK(statictramp_raw_return(call, STATICTRAMP_KIND_INT32, &depth) == 0);
}

template <class F>
static statictramp_fn fn(F *function) { return reinterpret_cast<statictramp_fn>(function); }

struct Trampolines {
    statictramp_fn all[5];
    Trampolines()
        : all{statictramp_alloc(fn(by_chain), this), statictramp_bind(fn(behind), this, 1), statictramp_bind_first(fn(before), this, 2),
              statictramp_bind_first(fn(in_memory), this, 1 | STATICTRAMP_RESULT_IN_MEMORY), statictramp_bind_raw(raw, this)}
    {
        for (statictramp_fn trampoline : all)
            CHECK(trampoline);
    }
    ~Trampolines()
    {
        for (statictramp_fn trampoline : all)
            CHECK(statictramp_free(trampoline) == 0);
    }
};

static thread_local bool throws;

__attribute__((noinline)) static int go(const Trampolines &trampolines, int depth)
{
    Guard guard;
    if (depth == 0 && throws)
        throw std::runtime_error("thrown");
    if (depth == 0)
        return 0;
    statictramp_fn trampoline = trampolines.all[depth % 5];
    switch (depth % 5) {
    case 2: return reinterpret_cast<int (*)(double, int)>(trampoline)(0.5, depth);
    case 3: return static_cast<int>(reinterpret_cast<Big (*)(int)>(trampoline)(depth).depth[0]);
    default: return reinterpret_cast<int (*)(int)>(trampoline)(depth);
    }
}

// Where the exception is caught, the callee-saved registers have their previous values.
__attribute__((noinline)) static void test(const Trampolines &trampolines, int depth, double x, long long y)
{
    double kept = x * 3 + 1;
    long long also = y ^ 0x5555;
    throws = false;
    CHECK(go(trampolines, depth) == depth && guards == 0);
    throws = true;
    std::string caught;
    try {
        go(trampolines, depth);
    } catch (const std::runtime_error &error) {
        caught = error.what();
    }
    CHECK(caught == (depth < 100 ? "thrown" : "again") && guards == 0);
    CHECK(kept == x * 3 + 1 && also == (y ^ 0x5555));
}

static DWORD WINAPI test_in_thread(LPVOID)
{
    for (int round = 0; round < 20; round++) {
        Trampolines trampolines; // whichever slot it uses now
        for (int depth = 0; depth < 12; depth++)
            test(trampolines, depth, round, depth);
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
    Trampolines trampolines;
    for (int depth = 0; depth < 12; depth++)
        test(trampolines, depth, 0.25, 7);
    test(trampolines, 1000, 2.5, 77);

    // While the table grows, and in its added areas.
    size_t capacity = statictramp_capacity();
    HANDLE threads[3];
    for (HANDLE &thread : threads)
        CHECK((thread = CreateThread(nullptr, 0, test_in_thread, nullptr, 0, nullptr)) != nullptr);
    for (size_t i = 0; i < 8 * capacity; i++)
        CHECK(statictramp_alloc(fn(none), nullptr));
    CHECK(statictramp_capacity() > 8 * capacity);
    Trampolines beyond;
    CHECK(mapping(beyond.all[0]) != mapping(trampolines.all[0]));
    for (int depth = 0; depth < 12; depth++)
        test(beyond, depth, 0.25, 7);
    test(beyond, 1000, 2.5, 77);
    CHECK(WaitForMultipleObjects(3, threads, TRUE, INFINITE) == WAIT_OBJECT_0);
    std::puts("exceptions.cpp: ok");
}
