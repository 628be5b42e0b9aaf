// A variadic callback, and what generated C++ programs need of libc++ and of stdio, which are not linked. Memory is never reused.

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>

#include <unistd.h>

#include "statictramp.hpp"

template class std::basic_string<char>;

void *operator new(std::size_t size)
{
    alignas(16) static char memory[1 << 22];
    static std::size_t used;
    char *made = memory + used;
    used += (size + 15) / 16 * 16;
    if (used > sizeof memory)
        std::abort();
    return made;
}
void *operator new(std::size_t size, const std::nothrow_t &) noexcept { return operator new(size); }
const std::nothrow_t std::nothrow{};
void operator delete(void *) noexcept {}
void operator delete(void *, std::size_t) noexcept {}

namespace std {
inline namespace __1 {
void __libcpp_verbose_abort(const char *, ...) noexcept { std::abort(); }
}
}

extern "C" {
FILE *__stderrp;
// Prints the function and the condition of a failed CHECK.
int fprintf(FILE *, const char *format, ...)
{
    std::va_list arguments;
    va_start(arguments, format);
    const char *function = va_arg(arguments, const char *);
    static_cast<void>(va_arg(arguments, int));
    const char *condition = va_arg(arguments, const char *);
    va_end(arguments);
    write(2, function, std::strlen(function));
    write(2, " ", 1);
    write(2, condition, std::strlen(condition));
    return 0;
}
int printf(const char *, ...) { return 0; }
void exit(int) { std::abort(); }
void *memchr(const void *start, int byte, std::size_t size)
{
    for (const char *at = static_cast<const char *>(start); size > 0; at++, size--)
        if (*at == static_cast<char>(byte))
            return const_cast<char *>(at);
    return nullptr;
}
}

// The named arguments take all integer registers, and the last two are adjacent on the stack. The variadic arguments are on the stack
// on AArch64, even the floating-point one. Returns 0, or the line number of the first error.
extern "C" int variadic()
{
    long base = 7;
    statictramp::function<double(int, double, long, long, long, long, long, long, long, short, char, ...)> sum =
        [base](int a, double b, long c, long d, long e, long f, long g, long h, long i, short j, char k, std::va_list rest) {
            const char *text = va_arg(rest, const char *);
            double x = va_arg(rest, double);
            return static_cast<double>(base + a + c + d + e + f + g + h + i + 100 * j + 1000 * k + text[0] + va_arg(rest, int)) + b + x;
        };
    double (*call)(int, double, long, long, long, long, long, long, long, short, char, ...) = sum;
    if (!call)
        return __LINE__;
    return call(1, .25, 1, 1, 1, 1, 1, 1, 1, 2, 3, "a", .5, -97) == 3215.75 ? 0 : __LINE__;
}
