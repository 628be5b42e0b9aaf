/* Calls what writes a trampoline, then waits to be looked at. */
#include <unistd.h>

int once(void);

#undef main
int main(void)
{
    once();
    return (int)sleep(60);
}
