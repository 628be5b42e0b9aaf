/* Tests the captured variables of a nested function. GCC's frame contains the variables themselves, ordered by
   decreasing alignment. The layout is passed to this program. */
#include "check.h"
#include "statictramp_interop.h"

static statictramp_captured_variable found(statictramp_fn trampoline, const char *name, size_t size)
{
    statictramp_captured_variable variable;
    CHECK(statictramp_captured(trampoline, getenv("LAYOUT"), name, &variable) == 0);
    CHECK(variable.kind == STATICTRAMP_CAPTURED_KIND_NUMBER && variable.size == size);
    return variable;
}

__attribute__((noinline)) static int call(int (*f)(int))
{
    statictramp_fn trampoline = (statictramp_fn)f;
    CHECK(*(int *)found(trampoline, "count", 4).address == 42);
    CHECK(*(double *)found(trampoline, "scale", 8).address == 1.5);
    CHECK(*(signed char *)found(trampoline, "sign", 1).address == -1);
    return f(10);
}

int main(int argc, char **argv)
{
    (void)argv;
    int count = 41 + argc;
    double scale = 1.5 * argc;
    signed char sign = (signed char)-argc;
    int nested(int x) { return (int)(x * scale) * sign + count++; }
    CHECK(call(nested) == 27 && count == 43);
    return 0;
}
