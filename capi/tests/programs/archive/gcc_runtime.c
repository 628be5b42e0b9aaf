void __gcc_nested_func_ptr_created(void *c, void *f, void **d) { (void)c; *d = f; }
void __gcc_nested_func_ptr_deleted(void) {}
