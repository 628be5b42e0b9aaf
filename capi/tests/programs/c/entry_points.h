/* The functions that code compiled by flang and by GCC calls, and FUNCTION(name), which declares name_, a pointer to a function of
   the library: the linked one or, with -DDLOPENED, the one in `library`. */

#include <dlfcn.h>

void *_FortranATrampolineInit(void *scratch, const void *callee, const void *chain);
void *_FortranATrampolineAdjust(void *handle);
void _FortranATrampolineFree(void *handle);
void __gcc_nested_func_ptr_created(void *chain, const void *callee, void *memory);
void __gcc_nested_func_ptr_deleted(void);

#ifdef DLOPENED
static void *library;
#define FUNCTION(name) __typeof__(&name) name##_ = (__typeof__(&name))dlsym(library, #name)
#else
#define FUNCTION(name) __typeof__(&name) name##_ = name
#endif
