// An exception passes through a call through a trampoline: neither the stub nor the adapter of statictramp_bind has a
// frame, and the adapter that moves arguments on the stack has one that unwinders understand. A backtrace taken in the
// callee shows the caller.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <execinfo.h>
#include <stdexcept>
#include <string>

#include "statictramp.h"

static int guards;

struct Guard {
    Guard() { guards++; }
    ~Guard() { guards--; }
};

static void *frames[64];
static int frame_count;

extern "C" int thrower(const std::string *context, int x)
{
    Guard guard;
    frame_count = backtrace(frames, 64);
    if (x > 3)
        throw std::runtime_error(*context + std::to_string(x));
    return x + 1;
}

// Calls f through frames with destructors to run.
extern "C" __attribute__((noinline)) int caller(int (*f)(const void *, int), int x)
{
    Guard guard;
    int result = f(nullptr, x);
    asm volatile("" ::: "memory");
    return result;
}

extern "C" int thrower_of_many(const std::string *context, const void *, int x, long a, long b, long c, long d, long e, long f, long g, long h)
{
    return a + b + c + d + e + f + g + h == 36 ? thrower(context, x) : -1;
}

extern "C" __attribute__((noinline)) int caller_with_many(int (*f)(const void *, int, long, long, long, long, long, long, long, long), int x)
{
    Guard guard;
    int result = f(nullptr, x, 1, 2, 3, 4, 5, 6, 7, 8);
    asm volatile("" ::: "memory");
    return result;
}

// Returns whether the last backtrace contains a frame of this function.
template <class F>
static bool is_seen(F *function)
{
    char *start = reinterpret_cast<char *>(function);
    for (int i = 0; i < frame_count; i++)
        if (frames[i] > start && frames[i] < start + 256)
            return true;
    return false;
}

int main()
{
    std::string context = "thrown with ";
    auto f = reinterpret_cast<int (*)(const void *, int)>(
        statictramp_bind(reinterpret_cast<statictramp_fn>(thrower), &context, 0));
    for (int i = 0; i < 1000; i++) {
        bool caught = false;
        try {
            int result = caller(f, i % 7);
            if (result != i % 7 + 1)
                return 1;
        } catch (const std::runtime_error &error) {
            caught = error.what() == "thrown with " + std::to_string(i % 7);
        }
        if (caught != (i % 7 > 3) || guards != 0)
            return 2;
    }
    if (!is_seen(caller) || statictramp_free(reinterpret_cast<statictramp_fn>(f)) != 0)
        return 3;

    const statictramp_type word = {sizeof(long) == 8 ? STATICTRAMP_KIND_INT64 : STATICTRAMP_KIND_INT32, nullptr};
    const statictramp_type number = {STATICTRAMP_KIND_INT32, nullptr}, pointer = {STATICTRAMP_KIND_POINTER, nullptr};
    const statictramp_type types[] = {pointer, number, word, word, word, word, word, word, word, word};
    auto many = reinterpret_cast<int (*)(const void *, int, long, long, long, long, long, long, long, long)>(
        statictramp_bind_types(reinterpret_cast<statictramp_fn>(thrower_of_many), &context, &number, types, 10));
    for (int i = 0; i < 1000; i++) {
        bool caught = false;
        try {
            if (caller_with_many(many, i % 7) != i % 7 + 1)
                return 4;
        } catch (const std::runtime_error &error) {
            caught = error.what() == "thrown with " + std::to_string(i % 7);
        }
        if (caught != (i % 7 > 3) || guards != 0)
            return 5;
    }
    if (!is_seen(caller_with_many) || statictramp_free(reinterpret_cast<statictramp_fn>(many)) != 0)
        return 6;
    std::puts("exceptions.cpp: ok");
}
