/* Calls the functions that both compilers' run-time libraries define; with -DUNUSED, uses nothing else from the library. */
#include "statictramp.h"
#include <stdio.h>
#ifdef UNUSED
#define live() 0
#else
#define live() statictramp_live()
#endif
void *_FortranATrampolineInit(void *, void *, void *), *_FortranATrampolineAdjust(void *);
void _FortranATrampolineFree(void *);
void __gcc_nested_func_ptr_created(void *, void *, void **), __gcc_nested_func_ptr_deleted(void);
static int callee(void) { return 0; }
int main(void)
{
    void *nested, *handle = _FortranATrampolineInit(0, (void *)callee, 0);
    __gcc_nested_func_ptr_created(0, (void *)callee, &nested);
    int bad = ((int (*)(void))_FortranATrampolineAdjust(handle))() + ((int (*)(void))nested)();
    printf("%d ours\n", (int)live());
    __gcc_nested_func_ptr_deleted();
    _FortranATrampolineFree(handle);
    return bad || live() != 0;
}
