/* Linked with grow.c. Before main runs, unlinks the library's file (DOOMED), or remounts its file system without execute
   permission (REMOUNTED). */

#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <unistd.h>

__attribute__((constructor)) static void remove_or_remount(void)
{
#ifdef DOOMED
    int failed = unlink(DOOMED);
#else
    int failed = mount(NULL, REMOUNTED, NULL, MS_REMOUNT | MS_BIND | MS_NOEXEC, NULL);
#endif
    if (failed) {
        perror("removed.c");
        exit(1);
    }
}
