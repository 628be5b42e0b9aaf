/* Tests two copies in one process: the archive in the program, and another copy in a library. If this file is
   compiled with LIBRARY, it is the library. Otherwise it is the program: `copies LIBRARY`. */

#include "statictramp.h"

void *_FortranATrampolineInit(void *scratch, const void *callee, const void *chain);
void _FortranATrampolineFree(void *handle);

#ifdef LIBRARY

statictramp_fn other_alloc(statictramp_fn callee, void *chain) { return statictramp_alloc(callee, chain); }
int other_free(statictramp_fn f) { return statictramp_free(f); }
int other_lookup(statictramp_fn f) { return statictramp_lookup(f, 0, 0); }
size_t other_live(void) { return statictramp_live(); }

#else

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../../tests/common/check.h"

static statictramp_fn theirs, ours;
static int (*other_free)(statictramp_fn);

static void free_theirs(void) { CHECK(statictramp_free(theirs) == -1 && errno == EINVAL); }
static void free_ours(void) { CHECK(other_free(ours) == -1 && errno == EINVAL); }
static void free_theirs_as_flang(void) { _FortranATrampolineFree((void *)theirs); }

int main(int argc, char **argv)
{
    CHECK(argc == 2);
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (!library)
        fprintf(stderr, "%s\n", dlerror());
    CHECK(library);
    statictramp_fn (*other_alloc)(statictramp_fn, void *) =
        (statictramp_fn (*)(statictramp_fn, void *))dlsym(library, "other_alloc");
    int (*other_lookup)(statictramp_fn) = (int (*)(statictramp_fn))dlsym(library, "other_lookup");
    size_t (*other_live)(void) = (size_t (*)(void))dlsym(library, "other_live");
    other_free = (int (*)(statictramp_fn))dlsym(library, "other_free");

    int context;
    ours = statictramp_alloc(FN(the_chain), &context);
    theirs = other_alloc(FN(the_chain), &context);
    CHECK(statictramp_live() == 1 && other_live() == 1);
    CHECK(((void *(*)(void))ours)() == &context && ((void *(*)(void))theirs)() == &context);
    CHECK(statictramp_lookup(theirs, NULL, NULL) == -1 && other_lookup(ours) == -1);

    char text[1024];
    void (*invalid[])(void) = {free_theirs, free_ours, free_theirs_as_flang};
    for (int i = 0; i < 3; i++) {
        int status = in_child(invalid[i], text, sizeof text);
        CHECK(i == 2 ? WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT : WIFEXITED(status) && WEXITSTATUS(status) == 0);
        CHECK(strncmp(text, "statictramp: ", 13) == 0 && strstr(text, "two copies are loaded"));
        CHECK(strstr(text, i == 1 ? "copies" : strrchr(argv[1], '/') + 1));
    }
    fputs(text, stdout);

    /* Both tables grow independently. */
    for (int i = 0; i < 3000; i++)
        CHECK(statictramp_alloc(FN(the_chain), &context) && other_alloc(FN(the_long), &context));
    CHECK(statictramp_live() == 3001 && other_live() == 3001);
    puts("copies.c: ok");
    return 0;
}

#endif
