/* Jumps to a trampoline on the stack after setting the maximum size of files to 0. */

#include <sys/resource.h>

static __attribute__((noinline)) int apply(int (*function)(int), int argument) { return function(argument); }

int main(int count, char **arguments)
{
    (void)arguments;
    int nested(int more) { return count + more; }
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_FSIZE, &none);
    return apply(nested, 5);
}
