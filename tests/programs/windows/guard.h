/* Definitions that guard.c and guard_config.c share. */

#include <stdint.h>

#include "statictramp.h"

/* IMAGE_LOAD_CONFIG_DIRECTORY64 up to the fields for Control Flow Guard; mingw's header ends before them. */
struct load_config {
    uint32_t size;
    uint8_t other[108];
    void *check, *dispatch;
    const void *functions;
    uint64_t count;
    uint64_t flags; /* and two 16-bit fields, which are 0 */
};

#ifdef DLL
__declspec(dllexport)
#endif
statictramp_fn make(statictramp_fn callee);
