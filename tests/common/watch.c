/* Linked into every Fortran test program: ends it with status 77 if a trampoline is still live at exit (unless
   MAY_LEAK is set), if any mapping is writable and executable, or if the stack is executable (MAY_BE_EXECUTABLE
   disables the last two checks). */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

size_t statictramp_live(void);

__attribute__((destructor)) static void watch(void)
{
    size_t live = statictramp_live();
    if (live != 0 && getenv("MAY_LEAK") == NULL) {
        fprintf(stderr, "watch: %zu trampolines are live at exit\n", live);
        _exit(77);
    }
    if (getenv("MAY_BE_EXECUTABLE") != NULL)
        return;
    char line[512];
    FILE *maps = fopen("/proc/self/maps", "r");
    if (maps == NULL) {
        perror("watch: /proc/self/maps");
        _exit(77);
    }
    while (fgets(line, sizeof line, maps) != NULL) {
        const char *rights = strchr(line, ' ');
        int w_and_x = rights != NULL && rights[2] == 'w' && rights[3] == 'x';
        if (w_and_x || (strstr(line, "[stack]") != NULL && rights[3] == 'x')) {
            fprintf(stderr, "watch: %s", line);
            _exit(77);
        }
    }
    fclose(maps);
}
