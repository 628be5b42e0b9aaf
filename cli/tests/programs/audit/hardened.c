// A program or library with a buffer, whose canary and bounds depend on the compiler's options.

#ifndef EMPTY
#include <stdio.h>
#include <string.h>
#endif

static int counter;
int *counter_address(void) { return &counter; }

#ifndef EMPTY
int greet(const char *name, char *to) {
    char buffer[64];
    strcpy(buffer, name);
    memcpy(to, buffer, sizeof buffer);
    return puts(buffer);
}

#ifndef LIBRARY
int main(int argc, char **arguments) {
    char copy[64];
    (void)argc;
    return greet(arguments[0], copy) < 0;
}
#endif
#endif
