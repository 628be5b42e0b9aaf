/* Functions that flang 22 makes a device's region call before and after it, as if the device were a GPU: LLVM's runtime
   for host-like devices has neither. Only the main thread (-1) exists, instead of a GPU's threads. */
int __kmpc_target_init(void *environment, void *launch);
void __kmpc_target_deinit(void);

int __kmpc_target_init(void *environment, void *launch)
{
    (void)environment, (void)launch;
    return -1;
}
void __kmpc_target_deinit(void) {}
