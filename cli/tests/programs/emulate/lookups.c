/* Calls functions that the emulation library interposes, some of which a signal handler or the child of a vfork may call. */
#define _GNU_SOURCE
#include <limits.h>
#include <mqueue.h>
#include <netdb.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

ssize_t __readlink_chk(const char *link, char *buffer, size_t size, size_t room);
ssize_t __readlinkat_chk(int directory, const char *link, char *buffer, size_t size, size_t room);
char *__realpath_chk(const char *link, char *buffer, size_t room);

int main(void)
{
    char path[PATH_MAX];
    int failures = 0;
    failures += readlink("/proc/self/exe", path, sizeof path) <= 0;
    failures += readlinkat(-1, "/proc/self/exe", path, sizeof path) <= 0;
    failures += __readlink_chk("/proc/self/exe", path, sizeof path, sizeof path) <= 0;
    failures += __readlinkat_chk(-1, "/proc/self/exe", path, sizeof path, sizeof path) <= 0;
    failures += !realpath("/proc/self/exe", path) || !__realpath_chk("/proc/self/exe", path, sizeof path);
    failures += !canonicalize_file_name("/proc/self/exe");
    failures += syscall(SYS_getpid) != getpid();
    timer_t timer;
    struct sigevent none = {.sigev_notify = SIGEV_NONE};
    failures += timer_create(CLOCK_MONOTONIC, &none, &timer) != 0;
    failures += mq_notify(-1, &none) == 0;
    failures += getaddrinfo_a(GAI_NOWAIT, NULL, 0, &none) != 0;
    for (int cleared = 0; cleared < 2; cleared++) { /* without a PATH, execvp searches the directories of the system */
        char *no_arguments[] = {"no-such-program", NULL};
        int status;
        pid_t child = vfork();
        if (child == 0) {
            execvp(no_arguments[0], no_arguments);
            _exit(7);
        }
        failures += waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 7;
        clearenv();
    }
    return failures;
}
