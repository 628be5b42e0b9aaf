// C++ exceptions that pass through hosts of nested functions (host.c) and through functions of the C library.
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

extern "C" int host(int depth, int (*next)(int));

static int cleaned;
struct Cleaner {
    ~Cleaner() { cleaned++; }
};

extern "C" int thrower(int x)
{
    Cleaner cleaner;
    if (x > 20)
        throw std::runtime_error("thrown at " + std::to_string(x));
    return host(x + 1, thrower);
}

int main()
{
    for (int i = 0; i < 20; i++)
        try {
            host(i, thrower);
        } catch (const std::exception &error) {
            std::printf("%s, %d cleaned\n", error.what(), cleaned);
        }
    return cleaned % 100;
}
