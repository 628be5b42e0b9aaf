// An exception propagates through a call through a trampoline. Neither the stub nor the adapter of statictramp_bind has a frame.
// A backtrace in the callee shows the caller.

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
    bool seen = false;
    for (int i = 0; i < frame_count; i++)
        seen = seen || (frames[i] > reinterpret_cast<void *>(caller) && frames[i] < reinterpret_cast<char *>(caller) + 256);
    if (!seen || statictramp_free(reinterpret_cast<statictramp_fn>(f)) != 0)
        return 3;
    std::puts("exceptions.cpp: ok");
}
