/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* statictramp for the code of other compilers: function pointers on OpenMP's devices, what Fortran's internal procedures
   capture, Fortran's descriptors, MLIR's memrefs. On Linux with 64 bits.

   Made from the library's sources by cbindgen; a test keeps the two equal.

   Not declared here: __tgt_rtl_set_function_ptr_map, by which a runtime sets a table, and __kmpc_target_translate_fptr
   and __llvm_omp_indirect_call_lookup, which device code calls, and which tell by their caller's place which device that is.

   The library shows the table that was set last in two variables: __omp_offloading_fptr_map_p points to pairs in ascending order
   of the host's addresses, __omp_offloading_fptr_map_size is their number. If no function of the library has set a table, the
   lookup uses the one that a runtime has written there while no code of the device was running. */

#ifndef STATICTRAMP_INTEROP_H
#define STATICTRAMP_INTEROP_H

#include <stddef.h>
#include <stdint.h>
#include "statictramp.h"
#if !(defined __linux__ && defined __LP64__)
#error "the library has the functions of statictramp_interop.h on Linux with 64 bits alone: closures over memrefs on x86-64, AArch64, RISC-V, LoongArch, little-endian PowerPC and s390x"
#endif
#if !(defined __x86_64__ || defined __aarch64__ || defined __riscv || defined __loongarch_lp64 || (defined __powerpc64__ && defined __LITTLE_ENDIAN__) || defined __s390x__)
#define statictramp_bind_memref statictramp_has_no_closures_over_memrefs_for_this_processor
#endif

/* The type of a memref's descriptor with elements T and N dimensions, N at least 1: typedef STATICTRAMP_MEMREF(float, 2) matrix;
   offset, sizes and strides are counted in elements. The element at indices i and j is
   aligned[offset + i * strides[0] + j * strides[1]]. */
#define STATICTRAMP_MEMREF(T, N) \
  struct { T *allocated; T *aligned; intptr_t offset; intptr_t sizes[N]; intptr_t strides[N]; }
/* The same without dimensions: memref<f32>. */
#define STATICTRAMP_MEMREF_0(T) \
  struct { T *allocated; T *aligned; intptr_t offset; }
/* A memref without a rank: memref<*xf32>. `descriptor` has `rank` dimensions. */
typedef struct { intptr_t rank; void *descriptor; } statictramp_unranked_memref;

#ifdef __cplusplus
extern "C++" {
namespace statictramp {
/* STATICTRAMP_MEMREF for C++. */
template <typename T, size_t N> struct MemRefDescriptor {
  T *allocated;
  T *aligned;
  intptr_t offset;
  intptr_t sizes[N];
  intptr_t strides[N];
};
template <typename T> struct MemRefDescriptor<T, 0> {
  T *allocated;
  T *aligned;
  intptr_t offset;
};
/* statictramp_unranked_memref by the name that goes with it. */
typedef statictramp_unranked_memref UnrankedMemRefDescriptor;
}
}
#endif

/*
 What is wrong with a table of pairs. The table before stays then.
 */
typedef enum {
  /*
   Nothing: the table is in use.
   */
  STATICTRAMP_MAP_ERROR_SET = 0,
  /*
   The table is NULL, or not aligned to 8 bytes, though it has entries; of a section, one of the two ends is NULL.
   */
  STATICTRAMP_MAP_ERROR_TABLE,
  /*
   It has more than 1,048,576 entries.
   */
  STATICTRAMP_MAP_ERROR_TOO_MANY,
  /*
   The address of the host is 0 in an entry.
   */
  STATICTRAMP_MAP_ERROR_NULL_HOST,
  /*
   The address of the device is 0 in an entry.
   */
  STATICTRAMP_MAP_ERROR_NULL_TARGET,
  /*
   Two entries give different addresses of the device for one of the host.
   */
  STATICTRAMP_MAP_ERROR_CONFLICT,
  /*
   There is no such device: they are numbered from 0 to 63.
   */
  STATICTRAMP_MAP_ERROR_DEVICE,
  /*
   There is no memory for the table.
   */
  STATICTRAMP_MAP_ERROR_NO_MEMORY,
  /*
   The number of the layout of entries is neither 32 nor 56.
   */
  STATICTRAMP_MAP_ERROR_LAYOUT,
  /*
   An entry is of a procedure or of virtual functions by its flags, but of no form that is known by its size (0 or 8; a
   multiple of 8), or it is of a version that is not known.
   */
  STATICTRAMP_MAP_ERROR_ENTRY
} statictramp_map_error;

/*
 Why a trampoline has no version on a device.
 */
typedef enum {
  /*
   It has one.
   */
  STATICTRAMP_NOT_ON_DEVICE_HAS = 0,
  /*
   The pointer is not a trampoline of this copy of the library.
   */
  STATICTRAMP_NOT_ON_DEVICE_FOREIGN,
  /*
   The trampoline is dead.
   */
  STATICTRAMP_NOT_ON_DEVICE_DEAD,
  /*
   The device has no version of the callee, or there is no such device.
   */
  STATICTRAMP_NOT_ON_DEVICE_NO_FUNCTION,
  /*
   The memory of the chain is not on the device.
   */
  STATICTRAMP_NOT_ON_DEVICE_NOT_MAPPED
} statictramp_not_on_device;

/*
 What a captured variable is.
 */
typedef enum {
  /*
   A number: its size in bytes.
   */
  STATICTRAMP_CAPTURED_KIND_NUMBER,
  /*
   A character: its length in bytes.
   */
  STATICTRAMP_CAPTURED_KIND_CHARACTER,
  /*
   What has a descriptor: its rank, and the descriptor's address.
   */
  STATICTRAMP_CAPTURED_KIND_DESCRIPTOR,
  /*
   A procedure, or an address of something: 0.
   */
  STATICTRAMP_CAPTURED_KIND_ADDRESS
} statictramp_captured_kind;

/*
 What is wrong with a descriptor.
 */
typedef enum {
  /*
   Nothing.
   */
  STATICTRAMP_DESCRIPTOR_ERROR_NONE = 0,
  /*
   Its address, or that of its copy, is NULL.
   */
  STATICTRAMP_DESCRIPTOR_ERROR_NULL,
  /*
   Its address, or that of its copy, is not a multiple of 8.
   */
  STATICTRAMP_DESCRIPTOR_ERROR_MISALIGNED,
  /*
   It is of no version that is known, or the layout that was asked for is none.
   */
  STATICTRAMP_DESCRIPTOR_ERROR_VERSION,
  /*
   It has more than 15 dimensions.
   */
  STATICTRAMP_DESCRIPTOR_ERROR_RANK,
  /*
   The number of its type means nothing, or the other layout has no number for its type.
   */
  STATICTRAMP_DESCRIPTOR_ERROR_TYPE,
  /*
   The number of its attribute means nothing.
   */
  STATICTRAMP_DESCRIPTOR_ERROR_ATTRIBUTE,
  /*
   A dimension has a negative extent.
   */
  STATICTRAMP_DESCRIPTOR_ERROR_EXTENT,
  /*
   An element's address is outside of what an address can be.
   */
  STATICTRAMP_DESCRIPTOR_ERROR_OVERFLOW,
  /*
   The two differ in rank, type or attribute, or are neither pointers nor allocatable.
   */
  STATICTRAMP_DESCRIPTOR_ERROR_UNLIKE,
  /*
   Elements are not a whole number of elements apart, as gfortran has it of what is no pointer.
   */
  STATICTRAMP_DESCRIPTOR_ERROR_STRIDE,
  /*
   A subscript is not within the bounds of its dimension.
   */
  STATICTRAMP_DESCRIPTOR_ERROR_SUBSCRIPT
} statictramp_descriptor_error;

/*
 Layout of a descriptor.
 */
typedef enum {
  /*
   libgfortran's, version 1.
   */
  STATICTRAMP_DESCRIPTOR_LAYOUT_GFORTRAN,
  /*
   flang's layout in LLVM 19.
   */
  STATICTRAMP_DESCRIPTOR_LAYOUT_FLANG2018,
  /*
   flang's layout in LLVM 20 and later.
   */
  STATICTRAMP_DESCRIPTOR_LAYOUT_FLANG2024
} statictramp_descriptor_layout;

/*
 Category of an element type.
 */
typedef enum {
  /*
   INTEGER.
   */
  STATICTRAMP_CATEGORY_INTEGER,
  /*
   UNSIGNED (a flang extension).
   */
  STATICTRAMP_CATEGORY_UNSIGNED,
  /*
   LOGICAL.
   */
  STATICTRAMP_CATEGORY_LOGICAL,
  /*
   REAL.
   */
  STATICTRAMP_CATEGORY_REAL,
  /*
   COMPLEX.
   */
  STATICTRAMP_CATEGORY_COMPLEX,
  /*
   CHARACTER.
   */
  STATICTRAMP_CATEGORY_CHARACTER,
  /*
   A derived type.
   */
  STATICTRAMP_CATEGORY_STRUCT,
  /*
   `type(c_ptr)`.
   */
  STATICTRAMP_CATEGORY_POINTER,
  /*
   `type(c_funptr)`; flang numbers it as a derived type or a pointer.
   */
  STATICTRAMP_CATEGORY_FUNCTION_POINTER,
  /*
   Anything else.
   */
  STATICTRAMP_CATEGORY_OTHER
} statictramp_category;

/*
 POINTER, ALLOCATABLE or neither.
 */
typedef enum {
  /*
   A pointer.
   */
  STATICTRAMP_ATTRIBUTE_POINTER,
  /*
   An allocatable.
   */
  STATICTRAMP_ATTRIBUTE_ALLOCATABLE,
  /*
   Neither.
   */
  STATICTRAMP_ATTRIBUTE_OTHER
} statictramp_attribute;

/*
 What is wrong with a memref.
 */
typedef enum {
  /*
   Nothing.
   */
  STATICTRAMP_MEMREF_ERROR_NONE = 0,
  /*
   A dimension has a negative size.
   */
  STATICTRAMP_MEMREF_ERROR_NEGATIVE_SIZE,
  /*
   An element lies outside of the memory that is there, or the product of the sizes is more than can be, or there are
   more than 255 dimensions.
   */
  STATICTRAMP_MEMREF_ERROR_OUT_OF_BOUNDS,
  /*
   The aligned pointer is NULL though there are elements, or the descriptor's address is NULL.
   */
  STATICTRAMP_MEMREF_ERROR_NULL,
  /*
   The aligned pointer is not aligned for the element type, or the alignment is no power of two, or the descriptor's
   address is not a multiple of 8.
   */
  STATICTRAMP_MEMREF_ERROR_MISALIGNED,
  /*
   There is an offset, or the strides are not those of the sizes.
   */
  STATICTRAMP_MEMREF_ERROR_NOT_IDENTITY,
  /*
   A dimension has another size than the type says, or there are not as many dimensions.
   */
  STATICTRAMP_MEMREF_ERROR_SIZE
} statictramp_memref_error;

/*
 What is known of a procedure, its dummy argument and what a call passes to it: bits for statictramp_may_capture.
 */
typedef enum {
  /*
   The procedure has an explicit interface.
   */
  STATICTRAMP_CAPTURE_EXPLICIT_INTERFACE = 1,
  /*
   The procedure has BIND(C).
   */
  STATICTRAMP_CAPTURE_BIND_C = 2,
  /*
   The dummy argument is a procedure.
   */
  STATICTRAMP_CAPTURE_DUMMY_PROCEDURE = 4,
  /*
   The dummy argument has TARGET.
   */
  STATICTRAMP_CAPTURE_DUMMY_TARGET = 8,
  /*
   The dummy argument has POINTER.
   */
  STATICTRAMP_CAPTURE_DUMMY_POINTER = 16,
  /*
   The dummy argument has ASYNCHRONOUS.
   */
  STATICTRAMP_CAPTURE_DUMMY_ASYNCHRONOUS = 32,
  /*
   The dummy argument has VOLATILE.
   */
  STATICTRAMP_CAPTURE_DUMMY_VOLATILE = 64,
  /*
   The dummy argument has VALUE.
   */
  STATICTRAMP_CAPTURE_DUMMY_VALUE = 128,
  /*
   This is about one call, whose actual argument has the attributes that follow; without it, about every call.
   */
  STATICTRAMP_CAPTURE_THIS_CALL = 256,
  /*
   The actual argument has TARGET.
   */
  STATICTRAMP_CAPTURE_ACTUAL_TARGET = 512,
  /*
   The actual argument has POINTER.
   */
  STATICTRAMP_CAPTURE_ACTUAL_POINTER = 1024,
  /*
   A copy of the actual argument is passed.
   */
  STATICTRAMP_CAPTURE_ACTUAL_TEMPORARY = 2048,
  /*
   This is about the address of the descriptor that a call passes, not of the data.
   */
  STATICTRAMP_CAPTURE_OF_DESCRIPTOR = 4096
} statictramp_capture;

/*
 The address of a procedure on the host and of its version on a device (`__omp_offloading_fptr_map_ty`).
 */
typedef struct {
  /*
   On the host: the key.
   */
  uint64_t host;
  /*
   On the device.
   */
  uint64_t target;
} statictramp_function_pair;

/*
 What a trampoline is made of on a device: there statictramp_bind(callee, chain, position) makes one that does the same,
 or statictramp_alloc(callee, chain) if the position is -1.
 */
typedef struct {
  /*
   The device's version of the callee.
   */
  statictramp_fn callee;
  /*
   Where the chain, or the context, lies on the device.
   */
  void *chain;
  /*
   The register that the context goes to, or -1: the static chain. Below that it was made by statictramp_bind_first, -2
   with no registers used, -3 with one, ..., or by statictramp_bind_raw, -64.
   */
  int position;
} statictramp_parts_on_device;

/*
 A variable that a trampoline's procedure has captured from its host.
 */
typedef struct {
  /*
   What it is.
   */
  statictramp_captured_kind kind;
  /*
   Where it is.
   */
  void *address;
  /*
   As its kind says.
   */
  size_t size;
} statictramp_captured_variable;

/*
 A dimension (`CFI_dim_t`).
 */
typedef struct {
  /*
   The lowest subscript.
   */
  ptrdiff_t lower_bound;
  /*
   The number of subscripts; -1 in the last dimension of an assumed-size array.
   */
  ptrdiff_t extent;
  /*
   The distance in bytes from one element to the next; may be negative.
   */
  ptrdiff_t stride;
} statictramp_dimension;

/*
 One picture of a descriptor of either compiler.
 */
typedef struct {
  /*
   Whose layout it has.
   */
  statictramp_descriptor_layout layout;
  /*
   Where the first element is; NULL if nothing is allocated or associated.
   */
  void *base;
  /*
   Bytes of an element.
   */
  size_t element_len;
  /*
   What an element is.
   */
  statictramp_category category;
  /*
   Its kind; 0 where there are none.
   */
  int kind;
  /*
   POINTER, ALLOCATABLE or neither.
   */
  statictramp_attribute attribute;
  /*
   How many dimensions it has.
   */
  int rank;
  /*
   The dimensions, in the descriptor itself.
   */
  const statictramp_dimension *dimensions;
  /*
   flang's addendum, which follows the dimensions if the type is a derived type, or NULL.
   */
  const void *addendum;
} statictramp_view;

/*
 A descriptor in either layout, with room for every rank.
 */
typedef struct {
  /*
   The descriptor's words.
   */
  uint64_t words[48];
} statictramp_descriptor;

/*
 A descriptor that gfortran passes to procedures without BIND(C), with room for every rank.
 */
typedef struct {
  /*
   The descriptor's words.
   */
  uint64_t words[50];
} statictramp_gfortran_descriptor;

/*
 Memory for a function of statictramp_bind_memref.
 */
typedef struct {
  /*
   The library's.
   */
  uint64_t words[64];
} statictramp_memref_closure;

/*
 What MLIR code calls: the context, the address of each argument, and the place of the results. A memref is a descriptor as
 llvm.emit_c_interface has it; one without a rank is the rank and the descriptor's address; a complex number its two parts;
 a vector its elements, aligned to 16; an i1 a byte. The results lie one after the other, each aligned, as in a struct; a
 memref without a rank is returned by statictramp_unranked_result.
 */
typedef void (*statictramp_memref_handler)(void *context, const void *const *arguments, void *results);

#ifdef __cplusplus
extern "C" {
#endif /* __cplusplus */

/*
 Sets the table of a device, in place of the one before: `count` pairs in any order, which are copied; equal ones become
 one, and none empties it. Other threads may look addresses up meanwhile. Not for signal handlers.
 */
statictramp_map_error statictramp_set_functions(int device,
                                                uint64_t count,
                                                const statictramp_function_pair *pairs);

/*
 Sets the table of a device that shares the host's memory (LLVM's host plugin) from the offload entries of the program
 and of the device's image: what lies between __start_ and __stop_ of their sections. `size` is that of an entry: 32
 (omp_offloading_entries, up to LLVM 20) or 56 (llvm_offload_entries, from LLVM 21 on). A procedure's entry is read in both
 its forms: of size 8, on the device of a variable that holds its address, as clang writes it; of size 0, of the procedure
 itself, as LLVM's document has it. One of any other form is an error, and so is a name that is of a function in one image
 and of a vtable, or a vtable of another size, in the other (size 8 there: a variable that holds its address). If the device
 has no entry of a name, a variable that its image exports by that name holds the address: clang 22 leaves one for each vtable.
 */
statictramp_map_error statictramp_set_functions_of_entries(int device,
                                                           size_t size,
                                                           const void *host_start,
                                                           const void *host_stop,
                                                           const void *device_start,
                                                           const void *device_stop);

/*
 A function's address on a device; NULL if the device has no version of it, or there is no such device. May be called
 anywhere, also in a signal handler.
 */
statictramp_fn statictramp_function_on(int device,
                                       statictramp_fn host);

/*
 Tells what any pointer whatever, if it is a live trampoline, is made of on a device: a stub is the host's code and
 cannot go there. `mapped` says where memory of the host lies on the device (OpenMP's omp_get_mapped_ptr does), or NULL;
 it is not asked for a NULL chain. If there is no such function, nothing is on the device. `parts` may be NULL: then they
 are not stored. A GPU has no static chain and no stubs: there the two parts go to code that
 takes a procedure and a context.
 */
statictramp_not_on_device statictramp_on_device(int device,
                                                statictramp_fn trampoline,
                                                void *(*mapped)(const void *memory, int device),
                                                statictramp_parts_on_device *parts);

/*
 Finds a variable that the host of a live trampoline's procedure has, as the procedure sees it. `layout` says what is
 where the static chain points: a list such as "n: integer(4), name: character, a: descriptor(2), p: pointer", in the order in
 which the host's tuple has them, or the tuple's type in LLVM's text, followed by names. Kinds are: integer, unsigned,
 logical, real, complex, with the bytes of a number in parentheses, and `value` after that where the number itself is there
 (GCC's frames) and not its address (flang's tuples); character; descriptor and class, with the rank; pointer,
 allocatable; procedure; address. The host must be active. Of a bound trampoline, the context is what is looked into.

 Returns 0 and stores what it has found. Returns -1 and sets errno to EINVAL if the pointer is not a live trampoline or has no
 chain, if the layout is wrong or names no such variable, if the variable's descriptor is wrong, or if one of the other
 pointers is NULL.
 */
int statictramp_captured(statictramp_fn trampoline,
                         const char *layout,
                         const char *name,
                         statictramp_captured_variable *found);

/*
 Whether a Fortran procedure may keep the address of what is passed to a dummy argument beyond the call, by the language's
 rules: 1 or 0, or -1 with errno EINVAL. `known` is the sum of what is true of statictramp_capture; attributes of the actual
 argument, and the descriptor's address, go with STATICTRAMP_CAPTURE_THIS_CALL alone.
 */
int statictramp_may_capture(unsigned int known);

/*
 Finds out whose layout a descriptor (CFI_cdesc_t) has, checks it and shows it. The header and as many dimensions as it
 says are read, and nothing else. `view` may be NULL: then it is only checked. On an error nothing is stored.
 */
statictramp_descriptor_error statictramp_view_descriptor(const void *descriptor,
                                                         statictramp_view *view);

/*
 Makes a descriptor of a layout (a statictramp_descriptor_layout) that shows what another shows, for code of the other
 compiler that looks at type or attribute. Of a derived type flang's addendum is lost. On an error nothing is stored.
 */
statictramp_descriptor_error statictramp_convert_descriptor(const void *descriptor,
                                                            unsigned int layout,
                                                            statictramp_descriptor *copy);

/*
 Gives what a procedure has done to a copy of statictramp_convert_descriptor back to the descriptor that it was made from:
 it may have allocated, freed or pointed elsewhere. On an error nothing is changed.
 */
statictramp_descriptor_error statictramp_copy_back_descriptor(const statictramp_descriptor *copy,
                                                              void *descriptor);

/*
 Makes the descriptor that shows what `shown` says, in its layout: of an array of the program's own, or, if its base is
 NULL, of a pointer or an allocatable without memory. `shown->dimensions` are as many as its rank; they are not needed if
 the base is NULL or the rank 0. The addendum is not looked at. On an error nothing is stored.
 */
statictramp_descriptor_error statictramp_make_descriptor(const statictramp_view *shown,
                                                         statictramp_descriptor *made);

/*
 Makes the descriptor of a section of an array, in its layout: in each dimension from `lower` to `upper` by steps of
 `stride`, or, if that is 0, the elements of `lower` alone, and the section has a dimension less. Its lower bounds are 1, and
 it is neither a pointer nor allocatable. On an error nothing is stored.
 */
statictramp_descriptor_error statictramp_section_descriptor(const void *descriptor,
                                                            const ptrdiff_t *lower,
                                                            const ptrdiff_t *upper,
                                                            const ptrdiff_t *stride,
                                                            statictramp_descriptor *made);

/*
 Whether the elements follow each other without gaps, the first subscript varying fastest: 1 or 0, or -1 with errno EINVAL
 if the descriptor is wrong. Where nothing is allocated or associated they do not.
 */
int statictramp_is_contiguous(const void *descriptor);

/*
 The name of the dynamic type of a derived type, in small letters, from flang's tables, and its length: it does not end with
 0. NULL where there is none; gfortran has no names. The descriptor is one of a compiler's own making. `len` may be NULL.
 */
const char *statictramp_type_name(const void *descriptor,
                                  size_t *len);

/*
 Makes a descriptor of what gfortran passes to a procedure without BIND(C) for an assumed-shape, pointer or allocatable
 dummy argument. `declared` says what the procedure's interface does, since gfortran's own descriptor cannot be relied upon:
 category, kind, element_len (of a character what the hidden length says), attribute, rank; and the layout to make. An
 absent OPTIONAL argument is STATICTRAMP_DESCRIPTOR_ERROR_NULL. On an error nothing is stored.
 */
statictramp_descriptor_error statictramp_of_gfortran(const void *own,
                                                     const statictramp_view *declared,
                                                     statictramp_descriptor *made);

/*
 Like statictramp_of_gfortran, for a CLASS dummy argument. The elements have the size of the dynamic type, whose name gfortran
 does not keep. The category is STATICTRAMP_CATEGORY_OTHER of a class(*), STATICTRAMP_CATEGORY_STRUCT of any other; element_len means
 nothing.
 */
statictramp_descriptor_error statictramp_of_gfortran_class(const void *own,
                                                           const statictramp_view *declared,
                                                           statictramp_descriptor *made);

/*
 Makes what is passed to a procedure of gfortran's without BIND(C), of a descriptor of any layout. On an error nothing is
 stored.
 */
statictramp_descriptor_error statictramp_to_gfortran(const void *descriptor,
                                                     statictramp_gfortran_descriptor *own);

/*
 Gives what a procedure has done to a pointer's or an allocatable's copy of statictramp_of_gfortran back to what gfortran has
 passed. On an error nothing is changed.
 */
statictramp_descriptor_error statictramp_copy_back_to_gfortran(const statictramp_descriptor *copy,
                                                               void *own);

/*
 Checks that every element of a memref lies within the `len` elements from its aligned pointer on, and that this is a
 multiple of `align` bytes, a power of two. `descriptor` points to what llvm.emit_c_interface passes: the allocated and the
 aligned pointer, the offset, `rank` sizes, `rank` strides. Nothing else is read.
 */
statictramp_memref_error statictramp_check_memref(unsigned int rank,
                                                  const void *descriptor,
                                                  size_t len,
                                                  size_t align);

/*
 Checks that a memref is what a type without a layout (memref<?x?xf32>) takes it for: no offset, no gaps, row-major.
 */
statictramp_memref_error statictramp_check_memref_identity(unsigned int rank,
                                                           const void *descriptor);

/*
 Checks that a memref has the sizes of its type (memref<4x?xf32>): `sizes` has as many as there are dimensions, INT64_MIN
 where the type has none. Code that MLIR has lowered takes them for granted.
 */
statictramp_memref_error statictramp_check_memref_sizes(unsigned int rank,
                                                        const void *descriptor,
                                                        const int64_t *sizes);

/*
 Makes a function for MLIR code to call through func.call_indirect, which calls `handler`. `signature` is its type in MLIR's
 words: "memref<?x?xf32>, i64 -> memref<?xf32>, f64" (without -> there are no results), with i1 to i64, index, f32, f64, on x86-64, AArch64 and RISC-V f16 and
 bf16, complex, !llvm.ptr, memrefs of 8 dimensions at most and without a rank, on x86-64 and AArch64 vectors of 16 bytes; 16
 arguments, 8 results and 32 sizes at most. Each memref that comes is compared with the sizes in its type: one of another size
 ends the program with a line, as MLIR's code takes them for granted. Layouts are passed over. STATICTRAMP_MEMREF and
 statictramp_unranked_memref are the types of what comes.

 `closure` is the caller's memory, and stays as it is until statictramp_free of the result. Returns NULL and sets errno to
 EINVAL if something is NULL, `closure` is not aligned or the signature cannot be read, to ENOMEM if all slots are in use.
 */
statictramp_fn statictramp_bind_memref(statictramp_memref_closure *closure,
                                       const char *signature,
                                       statictramp_memref_handler handler,
                                       void *context);

/*
 Copies a memref's descriptor to memory of malloc, as a function returns it whose result has no rank (memref<*xf32>): its
 caller frees it. Returns NULL and sets errno to ENOMEM if there is none, to EINVAL if the descriptor is NULL or not
 aligned or has more than 255 dimensions.
 */
void *statictramp_unranked_result(unsigned int rank,
                                  const void *descriptor);

#ifdef __cplusplus
}  /* extern "C" */
#endif  /* __cplusplus */

#endif  /* STATICTRAMP_INTEROP_H */
