/* Calls the functions of tests/programs/macos/src/lib.rs, which were built for another system, in a program for Linux: main.c
   FUNCTION. Of the system's library, these functions use only write, signal and abort. */

#include <stdio.h>
#include <string.h>

#define FUNCTIONS(each) each(closures) each(table) each(raw) each(dead_call) each(write_stub) each(run_stack)
#define DECLARED(name) unsigned name(void);
FUNCTIONS(DECLARED)

int main(int argc, char **argv)
{
#define CALLED(name)                             \
    if (argc > 1 && strcmp(argv[1], #name) == 0) \
        printf("%u\n", name());
    FUNCTIONS(CALLED)
    return 0;
}
