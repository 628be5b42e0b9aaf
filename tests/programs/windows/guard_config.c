/* The data that marks an image for Control Flow Guard, as in newer runtimes: the location of the linker's list. Also
   defines a function that creates trampolines of this image. */

#include <stddef.h>

#include "guard.h"

extern char __guard_fids_table[], __guard_fids_count[], __guard_flags[]; /* defined by the linker; the last two are numbers */

_Static_assert(offsetof(struct load_config, check) == 112 && offsetof(struct load_config, flags) == 144, "as in winnt.h");
const struct load_config _load_config_used = {
    .size = sizeof(struct load_config),
    .functions = __guard_fids_table,
    .count = (uint64_t)__guard_fids_count,
    .flags = (uint64_t)__guard_flags,
};

statictramp_fn make(statictramp_fn callee) { return statictramp_alloc(callee, NULL); }
