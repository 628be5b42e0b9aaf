/* Appended to the declarations of docs/compilers.md: the functions in both spellings create, adjust and free a
   trampoline, and free NULL. */
#include <stdio.h>

static int callee(void) { return 42; }

int main(void)
{
    int chain = 0;
    void *handle = _FortranATrampolineInit(NULL, (const void *)callee, &chain);
    const void *other = _FortranAInitTrampoline(NULL, (const void *)callee, &chain);
    int first = ((int (*)(void))_FortranATrampolineAdjust(handle))();
    int second = ((int (*)(void))_FortranAAdjustTrampoline(other))();
    _FortranATrampolineFree(handle);
    _FortranAFreeTrampoline((void *)other);
    _FortranATrampolineFree(NULL);
    _FortranAFreeTrampoline(NULL);
    printf("%d %d\n", first, second);
    return 0;
}
