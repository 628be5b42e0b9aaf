/* A stand-in for the compilers' run-time libraries. */
void *_FortranATrampolineInit(void *scratch, void *callee, void *chain) { (void)scratch, (void)chain; return callee; }
void __gcc_nested_func_ptr_created(void *chain, void *callee, void **memory) { (void)chain; *memory = callee; }
