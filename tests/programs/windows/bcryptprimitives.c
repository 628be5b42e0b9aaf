/* The source of random numbers that Rust's std needs and Wine lacks, implemented with an older library. */

#include <windows.h>

#include <ntsecapi.h>

__declspec(dllexport) BOOL ProcessPrng(unsigned char *data, size_t size) { return RtlGenRandom(data, size); }
