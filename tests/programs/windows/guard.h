/* What guard.c and guard_config.c share. */

#include <stdint.h>

#include "statictramp.h"

/* IMAGE_LOAD_CONFIG_DIRECTORY64 up to what Control Flow Guard wants; mingw's header ends before. */
struct load_config {
    uint32_t size;
    uint8_t other[108];
    void *check, *dispatch;
    const void *functions;
    uint64_t count;
    uint64_t flags; /* and two fields of 16 bits, which are 0 */
};

#ifdef DLL
__declspec(dllexport)
#endif
statictramp_fn make(statictramp_fn callee);
