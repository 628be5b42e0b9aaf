/* Calls a function that writes a trampoline, and then waits to be inspected. */
#include <unistd.h>

int once(void);

#undef main
int main(void)
{
    once();
    return (int)sleep(60);
}
