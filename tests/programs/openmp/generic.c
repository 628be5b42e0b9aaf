/* What flang 22 has a device's region call before and after it, as if the device were a GPU: LLVM's runtime for devices of the
   host's kind has neither. Of the threads that a GPU would start there is one, the main one (-1). */
int __kmpc_target_init(void *environment, void *launch);
void __kmpc_target_deinit(void);

int __kmpc_target_init(void *environment, void *launch)
{
    (void)environment, (void)launch;
    return -1;
}
void __kmpc_target_deinit(void) {}
