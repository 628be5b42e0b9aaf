/* What makes an image one with Control Flow Guard, as newer runtimes do: it says where the linker's list lies. And a function
   that makes trampolines of this image. */

#include <stddef.h>

#include "guard.h"

extern char __guard_fids_table[], __guard_fids_count[], __guard_flags[]; /* the linker's; the last two are numbers */

_Static_assert(offsetof(struct load_config, check) == 112 && offsetof(struct load_config, flags) == 144, "as in winnt.h");
const struct load_config _load_config_used = {
    .size = sizeof(struct load_config),
    .functions = __guard_fids_table,
    .count = (uint64_t)__guard_fids_count,
    .flags = (uint64_t)__guard_flags,
};

statictramp_fn make(statictramp_fn callee) { return statictramp_alloc(callee, NULL); }
