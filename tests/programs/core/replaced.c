/* The library's file is deleted, replaced or moved while the program runs: `replaced HOW LIBRARY COPY`. COPY has the
   bytes of LIBRARY. Prints whether the table still grows, and the library's function name in the message for a call
   after free. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../common/check.h"
#include "statictramp.h"

enum { COUNT = 3000 };
static statictramp_fn all[COUNT];

static size_t descriptors(void)
{
    size_t count = 0;
    DIR *directory = opendir("/proc/self/fd");
    CHECK(directory != NULL);
    while (readdir(directory))
        count++;
    closedir(directory);
    return count;
}

static void put_aside(const char *how, const char *library, const char *copy)
{
    char deleted[4096];
    snprintf(deleted, sizeof deleted, "%s (deleted)", library);
    if (strcmp(how, "deleted-name") == 0)
        CHECK(unlink(library) == 0 && rename(copy, deleted) == 0);
    else if (strcmp(how, "pipe") == 0)
        CHECK(unlink(library) == 0 && mkfifo(deleted, 0600) == 0);
    else if (strcmp(how, "replaced") == 0)
        CHECK(rename(copy, library) == 0);
    else if (strcmp(how, "mounted") == 0)
        CHECK(mount(copy, library, NULL, MS_BIND, NULL) == 0);
    else if (strcmp(how, "link") == 0)
        CHECK(rename(library, deleted) == 0 && symlink(copy, library) == 0);
    else if (strcmp(how, "moved") == 0)
        CHECK(unlink(copy) == 0 && rename(library, copy) == 0);
    else
        CHECK(strcmp(how, "as-it-was") == 0);
}

/* The message for a call through a freed trampoline whose callee is a library function: the line contains its name. */
static void call_after_free(char *line, size_t size)
{
    int ends[2], status;
    CHECK(pipe(ends) == 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], 2);
        statictramp_fn late = statictramp_alloc((statictramp_fn)statictramp_version, NULL);
        statictramp_free(late);
        late();
        _exit(1);
    }
    close(ends[1]);
    ssize_t len = read(ends[0], line, size - 1);
    line[len > 0 ? len : 0] = 0;
    close(ends[0]);
    CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

int main(int argc, char **argv)
{
    char line[1024];
    CHECK(argc == 4);
    put_aside(argv[1], argv[2], argv[3]);
    call_after_free(line, sizeof line);
    const size_t before = descriptors(), at_first = statictramp_capacity();
    size_t count = 0;
    errno = 4711;
    while (count < COUNT && (all[count] = statictramp_alloc((statictramp_fn)the_chain, all + count)))
        count++;
    CHECK(errno == (count < COUNT ? ENOMEM : 4711));
    CHECK(count == COUNT || count == at_first);
    for (size_t i = 0; i < count; i++)
        CHECK(((void *(*)(void))all[i])() == all + i && statictramp_free(all[i]) == 0);
    CHECK(descriptors() == before);
    printf("%s, %s\n", count < COUNT ? "full" : "grown", strstr(line, "(statictramp_version)") ? "named" : "nameless");
    return 0;
}
