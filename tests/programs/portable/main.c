/* Calls functions that were built for another system, in a program for Linux: main.c FUNCTION. The functions are those of
   tests/programs/macos/src/lib.rs or, with LIBRARY, tests/programs/macos/library.c. Of the system's library, the crates use only
   write, signal and abort; the C library also uses errno and, on Android, pthread keys. */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#ifdef LIBRARY
#define FUNCTIONS(each) \
    each(library) each(raw) each(raw_on_stack) each(nested_functions_that_end) each(dead_call) each(free_twice) each(full)
int *__error(void) { return &errno; } /* FreeBSD's name; library.c calls it on every system */
int *__errno(void) { return &errno; } /* Android's name */

/* For functions of library.c that only macOS's test calls. */
void stand_in_denies(const char *what) { (void)what; }
unsigned long stand_in_allocated(void) { return 0; }
int stand_in_took_away(void) { return 0; }
#else
#define FUNCTIONS(each) each(closures) each(table) each(raw) each(dead_call) each(write_stub) each(run_stack)
#endif
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
