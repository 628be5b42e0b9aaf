/* Linked with grow.c: before main, the file of the library is unlinked (DOOMED), or its file system is remounted
   without the right to execute (REMOUNTED). */

#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <unistd.h>

__attribute__((constructor)) static void gone(void)
{
#ifdef DOOMED
    int failed = unlink(DOOMED);
#else
    int failed = mount(NULL, REMOUNTED, NULL, MS_REMOUNT | MS_BIND | MS_NOEXEC, NULL);
#endif
    if (failed) {
        perror("gone.c");
        exit(1);
    }
}
