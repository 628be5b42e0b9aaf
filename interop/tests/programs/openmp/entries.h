/* The location of the entries that this clang emits in an image, and their size. */
#if __clang_major__ >= 21
#define ENTRIES(end) __##end##_llvm_offload_entries
enum { ENTRY_SIZE = 56 };
#else
#define ENTRIES(end) __##end##_omp_offloading_entries
enum { ENTRY_SIZE = 32 };
#endif

#pragma omp begin declare target
extern char ENTRIES(start)[], ENTRIES(stop)[];
#pragma omp end declare target
