/* What Rust's std takes its random numbers from, where Wine does not have it: the same by an older library. */

#include <windows.h>

#include <ntsecapi.h>

__declspec(dllexport) BOOL ProcessPrng(unsigned char *data, size_t size) { return RtlGenRandom(data, size); }
