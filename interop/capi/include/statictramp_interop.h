/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* statictramp for code from other compilers: function pointers on OpenMP devices, captured variables of Fortran internal
   procedures, Fortran descriptors, and MLIR memrefs. These functions exist only on 64-bit Linux. Those for memrefs also
   exist on x86-64 Windows.

   Generated from the library's sources by cbindgen; a test checks that this file is up to date.

   Three functions are not declared here. An OpenMP runtime calls __tgt_rtl_set_function_ptr_map to set a device's table.
   Device code calls __kmpc_target_translate_fptr and __llvm_omp_indirect_call_lookup, which identify the device by the
   address of their caller.

   The library exposes the most recently set table in two variables. The variable __omp_offloading_fptr_map_p points to the
   pairs, in ascending order of host addresses, and __omp_offloading_fptr_map_size is the number of pairs. A runtime may
   itself store a table in these variables while no device code is running. Lookups by device code use that table if no
   function of the library has set one. */

#ifndef STATICTRAMP_INTEROP_H
#define STATICTRAMP_INTEROP_H

#include <stddef.h>
#include <stdint.h>
#include "statictramp.h"
#if !(defined __linux__ && defined __LP64__) && !(defined _WIN64 && defined __x86_64__)
#error "the functions of statictramp_interop.h exist only on 64-bit Linux and, those for memrefs, on x86-64 Windows: memref closures on x86-64, AArch64, RISC-V, LoongArch, little-endian PowerPC and s390x"
#endif
#if !(defined __x86_64__ || defined __aarch64__ || defined __riscv || defined __loongarch_lp64 || (defined __powerpc64__ && defined __LITTLE_ENDIAN__) || defined __s390x__)
#define statictramp_bind_memref statictramp_has_no_closures_over_memrefs_for_this_processor
#endif

/* The type of a descriptor for a memref with elements of type T and N dimensions, where N is at least 1. The offset,
   the sizes and the strides are counted in elements. For N = 2, the element at indices i and j is
   aligned[offset + i * strides[0] + j * strides[1]].
   Example: typedef STATICTRAMP_MEMREF(float, 2) matrix; */
#define STATICTRAMP_MEMREF(T, N) \
  struct { T *allocated; T *aligned; intptr_t offset; intptr_t sizes[N]; intptr_t strides[N]; }
/* The type of a descriptor for a memref without dimensions, such as memref<f32>. */
#define STATICTRAMP_MEMREF_0(T) \
  struct { T *allocated; T *aligned; intptr_t offset; }
/* An unranked memref, such as memref<*xf32>. `descriptor` points to a descriptor with `rank` dimensions. */
typedef struct { intptr_t rank; void *descriptor; } statictramp_unranked_memref;

#ifdef __cplusplus
extern "C++" {
namespace statictramp {
/* The C++ counterpart of STATICTRAMP_MEMREF. */
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
/* The C++ name of statictramp_unranked_memref, in the style of MemRefDescriptor. */
typedef statictramp_unranked_memref UnrankedMemRefDescriptor;
}
}
#endif

/*
 An error in a table of pairs. On error, the previous table remains in use.
 */
typedef enum {
  /*
   No error: the table is in use.
   */
  STATICTRAMP_MAP_ERROR_SET = 0,
  /*
   A non-empty table is NULL or not aligned to 8 bytes, or exactly one of a section's two bounds is NULL.
   */
  STATICTRAMP_MAP_ERROR_TABLE,
  /*
   The table has more than 1,048,576 entries.
   */
  STATICTRAMP_MAP_ERROR_TOO_MANY,
  /*
   An entry has the host address 0.
   */
  STATICTRAMP_MAP_ERROR_NULL_HOST,
  /*
   An entry has the device address 0.
   */
  STATICTRAMP_MAP_ERROR_NULL_TARGET,
  /*
   Two entries have different device addresses for the same host address, or two entries in a device image have the
   same name but differ.
   */
  STATICTRAMP_MAP_ERROR_CONFLICT,
  /*
   The device does not exist. Devices are numbered from 0 to 63.
   */
  STATICTRAMP_MAP_ERROR_DEVICE,
  /*
   Not enough memory for the table.
   */
  STATICTRAMP_MAP_ERROR_NO_MEMORY,
  /*
   The size of an entry is neither 32 nor 56.
   */
  STATICTRAMP_MAP_ERROR_LAYOUT,
  /*
   An entry has an unknown version, or records an invalid size for a procedure or a vtable, or does not match the
   entry with the same name in the other image. (A procedure's size must be 0 or 8, and a vtable's size must be a
   multiple of 8.)
   */
  STATICTRAMP_MAP_ERROR_ENTRY
} statictramp_map_error;

/*
 The reason why the library cannot determine a device's versions of a trampoline's callee and chain.
 */
typedef enum {
  /*
   No error: the device has versions of both the callee and the chain.
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
   The memory to which the chain or the context points is not mapped to the device.
   */
  STATICTRAMP_NOT_ON_DEVICE_NOT_MAPPED
} statictramp_not_on_device;

/*
 The kind of a captured variable.
 */
typedef enum {
  /*
   A number of `size` bytes.
   */
  STATICTRAMP_CAPTURED_KIND_NUMBER,
  /*
   A character object of `size` bytes.
   */
  STATICTRAMP_CAPTURED_KIND_CHARACTER,
  /*
   An object with a descriptor. `size` is the object's rank, and `address` is the descriptor's address.
   */
  STATICTRAMP_CAPTURED_KIND_DESCRIPTOR,
  /*
   A procedure or another address. `size` is 0.
   */
  STATICTRAMP_CAPTURED_KIND_ADDRESS
} statictramp_captured_kind;

/*
 An error in a descriptor.
 */
typedef enum {
  /*
   No error.
   */
  STATICTRAMP_DESCRIPTOR_ERROR_NONE = 0,
  /*
   A required address, such as a descriptor's or its copy's, is NULL; or, for a section, nothing is allocated or
   associated; or, for a CLASS dummy argument, the virtual table is missing.
   */
  STATICTRAMP_DESCRIPTOR_ERROR_NULL,
  /*
   A required address, such as a descriptor's or its copy's, is not a multiple of 8.
   */
  STATICTRAMP_DESCRIPTOR_ERROR_MISALIGNED,
  /*
   The descriptor version is unknown, or the requested layout is invalid.
   */
  STATICTRAMP_DESCRIPTOR_ERROR_VERSION,
  /*
   The rank is negative or exceeds the maximum: 15, or 14 for a new descriptor with an addendum.
   */
  STATICTRAMP_DESCRIPTOR_ERROR_RANK,
  /*
   The type is invalid, or the layout of the new descriptor has no code for the type.
   */
  STATICTRAMP_DESCRIPTOR_ERROR_TYPE,
  /*
   The attribute code is invalid.
   */
  STATICTRAMP_DESCRIPTOR_ERROR_ATTRIBUTE,
  /*
   A dimension has an invalid negative extent.
   */
  STATICTRAMP_DESCRIPTOR_ERROR_EXTENT,
  /*
   The address of an element is outside the address space.
   */
  STATICTRAMP_DESCRIPTOR_ERROR_OVERFLOW,
  /*
   The two descriptors differ in rank, type or attribute, or describe objects that are neither pointers nor
   allocatable.
   */
  STATICTRAMP_DESCRIPTOR_ERROR_UNLIKE,
  /*
   A stride is not a multiple of the element size; gfortran supports such a stride only for pointers.
   */
  STATICTRAMP_DESCRIPTOR_ERROR_STRIDE,
  /*
   A subscript is out of bounds.
   */
  STATICTRAMP_DESCRIPTOR_ERROR_SUBSCRIPT,
  /*
   A function of a compiler's run-time library failed, usually because memory is exhausted.
   */
  STATICTRAMP_DESCRIPTOR_ERROR_RUNTIME,
  /*
   A table of a derived type contradicts itself or the object's descriptor.
   */
  STATICTRAMP_DESCRIPTOR_ERROR_TABLE,
  /*
   A derived type has length parameters, a component's memory does not come from the default allocator, or an
   argument has an unknown value.
   */
  STATICTRAMP_DESCRIPTOR_ERROR_UNSUPPORTED
} statictramp_descriptor_error;

/*
 The layout of a descriptor.
 */
typedef enum {
  /*
   libgfortran's layout (descriptor version 1).
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
 The category of an element type.
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
   `type(c_funptr)`, which flang encodes as a derived type or as a pointer.
   */
  STATICTRAMP_CATEGORY_FUNCTION_POINTER,
  /*
   Any other type.
   */
  STATICTRAMP_CATEGORY_OTHER
} statictramp_category;

/*
 The attribute of an object: POINTER, ALLOCATABLE or neither.
 */
typedef enum {
  /*
   The object is a pointer.
   */
  STATICTRAMP_ATTRIBUTE_POINTER,
  /*
   The object is allocatable.
   */
  STATICTRAMP_ATTRIBUTE_ALLOCATABLE,
  /*
   The object is neither a pointer nor allocatable.
   */
  STATICTRAMP_ATTRIBUTE_OTHER
} statictramp_attribute;

/*
 An error in a memref.
 */
typedef enum {
  /*
   No error.
   */
  STATICTRAMP_MEMREF_ERROR_NONE = 0,
  /*
   A dimension has a negative size.
   */
  STATICTRAMP_MEMREF_ERROR_NEGATIVE_SIZE,
  /*
   An element is outside the memory, the product of the sizes overflows, or there are more than 255 dimensions.
   */
  STATICTRAMP_MEMREF_ERROR_OUT_OF_BOUNDS,
  /*
   The aligned pointer is NULL although there are elements, or a required address, such as the descriptor's, is
   NULL.
   */
  STATICTRAMP_MEMREF_ERROR_NULL,
  /*
   The aligned pointer is misaligned for the element type, the alignment is not a power of two, or the descriptor's
   address is not a multiple of 8.
   */
  STATICTRAMP_MEMREF_ERROR_MISALIGNED,
  /*
   The memref has an offset, or its strides do not make it contiguous.
   */
  STATICTRAMP_MEMREF_ERROR_NOT_IDENTITY,
  /*
   The size of a dimension differs from the size in the type.
   */
  STATICTRAMP_MEMREF_ERROR_SIZE,
  /*
   MLIR code passes memrefs as bare pointers (use-bare-ptr-memref-call-conv).
   */
  STATICTRAMP_MEMREF_ERROR_BARE_POINTERS,
  /*
   In MLIR code, index does not have 64 bits (index-bitwidth).
   */
  STATICTRAMP_MEMREF_ERROR_INDEX_BITS
} statictramp_memref_error;

/*
 Facts about a procedure, its dummy argument and a call's actual argument, as bits for statictramp_may_capture.
 */
typedef enum {
  /*
   The procedure has an explicit interface.
   */
  STATICTRAMP_CAPTURE_EXPLICIT_INTERFACE = 1,
  /*
   The procedure has the BIND(C) attribute.
   */
  STATICTRAMP_CAPTURE_BIND_C = 2,
  /*
   The dummy argument is a procedure.
   */
  STATICTRAMP_CAPTURE_DUMMY_PROCEDURE = 4,
  /*
   The dummy argument has the TARGET attribute.
   */
  STATICTRAMP_CAPTURE_DUMMY_TARGET = 8,
  /*
   The dummy argument has the POINTER attribute.
   */
  STATICTRAMP_CAPTURE_DUMMY_POINTER = 16,
  /*
   The dummy argument has the ASYNCHRONOUS attribute.
   */
  STATICTRAMP_CAPTURE_DUMMY_ASYNCHRONOUS = 32,
  /*
   The dummy argument has the VOLATILE attribute.
   */
  STATICTRAMP_CAPTURE_DUMMY_VOLATILE = 64,
  /*
   The dummy argument has the VALUE attribute.
   */
  STATICTRAMP_CAPTURE_DUMMY_VALUE = 128,
  /*
   The query concerns a single call. The larger values describe that call, and are allowed only with this bit.
   Without this bit, the query concerns all calls to the procedure.
   */
  STATICTRAMP_CAPTURE_THIS_CALL = 256,
  /*
   The actual argument has the TARGET attribute.
   */
  STATICTRAMP_CAPTURE_ACTUAL_TARGET = 512,
  /*
   The actual argument has the POINTER attribute.
   */
  STATICTRAMP_CAPTURE_ACTUAL_POINTER = 1024,
  /*
   The call passes a copy of the actual argument.
   */
  STATICTRAMP_CAPTURE_ACTUAL_TEMPORARY = 2048,
  /*
   The query concerns the address of the descriptor that a call passes, not the address of the data.
   */
  STATICTRAMP_CAPTURE_OF_DESCRIPTOR = 4096
} statictramp_capture;

/*
 The targets of pointer components in a deep copy.
 */
typedef enum {
  /*
   The copy's pointers have the same targets as the original's, as after an assignment in Fortran.
   */
  STATICTRAMP_TARGETS_SHARED,
  /*
   The targets are also copied. If two pointers in the original have the same target, so do the corresponding
   pointers in the copy, even in a cycle. If a pointer's target is part of an array or object that was copied
   earlier, the copied pointer points to the same part of the copy. Every pointer component must be associated or
   disassociated, not undefined.
   */
  STATICTRAMP_TARGETS_COPIED
} statictramp_targets;

/*
 The host address of a procedure, and the address of its version on a device (`__omp_offloading_fptr_map_ty`).
 */
typedef struct {
  /*
   The address on the host, which is the key.
   */
  uint64_t host;
  /*
   The address on the device.
   */
  uint64_t target;
} statictramp_function_pair;

/*
 The device's versions of a trampoline's callee and chain. To make an equivalent trampoline on a device that runs
 host code, call statictramp_bind(callee, chain, position) there if the position is not negative, or
 statictramp_alloc(callee, chain) if the position is -1.
 */
typedef struct {
  /*
   The device's version of the callee.
   */
  statictramp_fn callee;
  /*
   The device address of the memory to which the chain or the context points.
   */
  void *chain;
  /*
   The position of the register for the context, or -1 for a static chain. From -2 to -63, the trampoline inserts
   the context before the caller's arguments, as with statictramp_bind_first; if the result is not returned in
   memory, the value is -2 minus the number of argument registers that move up. -64 means that statictramp_bind_raw
   made the trampoline. -65 means that statictramp_bind_types or statictramp_bind_types_last made it, and that it
   copies arguments; in this case, call the same function on the device, with the same types.
   */
  int position;
} statictramp_parts_on_device;

/*
 A host variable captured by a trampoline's procedure.
 */
typedef struct {
  /*
   The kind of the variable.
   */
  statictramp_captured_kind kind;
  /*
   The address of the variable or of its descriptor, or the captured address itself.
   */
  void *address;
  /*
   The variable's size, length or rank, depending on the kind.
   */
  size_t size;
} statictramp_captured_variable;

/*
 The bounds and the stride of a dimension (`CFI_dim_t`).
 */
typedef struct {
  /*
   The lower bound: the lowest subscript.
   */
  ptrdiff_t lower_bound;
  /*
   The extent: the number of subscripts, or -1 in the last dimension of an assumed-size array.
   */
  ptrdiff_t extent;
  /*
   The distance in bytes, possibly negative, from one element to the next in this dimension.
   */
  ptrdiff_t stride;
} statictramp_dimension;

/*
 The contents of a descriptor in gfortran's or flang's layout.
 */
typedef struct {
  /*
   The descriptor's layout.
   */
  statictramp_descriptor_layout layout;
  /*
   The address of the first element, or NULL if nothing is allocated or associated.
   */
  void *base;
  /*
   The size of an element in bytes.
   */
  size_t element_len;
  /*
   The category of the element type.
   */
  statictramp_category category;
  /*
   The kind of the element type, or 0 if the category has no kinds.
   */
  int kind;
  /*
   The attribute: POINTER, ALLOCATABLE or neither.
   */
  statictramp_attribute attribute;
  /*
   The number of dimensions.
   */
  int rank;
  /*
   The address of the dimensions, which are in the descriptor itself if statictramp_view_descriptor filled the
   view.
   */
  const statictramp_dimension *dimensions;
  /*
   The address of flang's addendum, or NULL if there is none. In some descriptors, the addendum follows the
   dimensions.
   */
  const void *addendum;
} statictramp_view;

/*
 Memory for a descriptor in any layout, with room for up to 15 dimensions, or up to 14 if it has an
 addendum.
 */
typedef struct {
  /*
   The descriptor's words.
   */
  uint64_t words[48];
} statictramp_descriptor;

/*
 Memory for a descriptor in the layout that gfortran uses for procedures without BIND(C), with room for up to 15
 dimensions.
 */
typedef struct {
  /*
   The descriptor's words.
   */
  uint64_t words[50];
} statictramp_gfortran_descriptor;

/*
 CFI_allocate and CFI_deallocate from a compiler's run-time library, cast to these types.
 */
typedef struct {
  /*
   CFI_allocate.
   */
  int (*allocate)(void*, const ptrdiff_t*, const ptrdiff_t*, size_t);
  /*
   CFI_deallocate.
   */
  int (*deallocate)(void*);
} statictramp_descriptor_runtime;

/*
 Memory for a closure made by statictramp_bind_memref.
 */
typedef struct {
  /*
   These words are reserved for the library.
   */
  uint64_t words[64];
} statictramp_memref_closure;

/*
 Handles calls from MLIR code, given the context, the address of each argument, and the address of memory for the
 results. A memref is stored as a descriptor, as with llvm.emit_c_interface; an unranked memref, as its rank followed
 by the address of its descriptor; a complex number, as its two parts; a vector, as its elements (aligned to 16 bytes);
 and an i1, as a byte. The results are laid out like the members of a struct. An unranked memref that the handler
 returns must come from statictramp_unranked_result.
 */
typedef void (*statictramp_memref_handler)(void *context, const void *const *arguments, void *results);

#ifdef __cplusplus
extern "C" {
#endif /* __cplusplus */

/*
 Sets the table of a device to copies of `count` pairs, which may be in any order. Equal pairs are merged, and a
 count of 0 empties the table. Other threads may look up addresses concurrently. Not async-signal-safe.
 */
statictramp_map_error statictramp_set_functions(int device,
                                                uint64_t count,
                                                const statictramp_function_pair *pairs);

/*
 Sets the table of a device that shares the host's memory (LLVM's host plugin), from the offload entries of the
 program and of the device image. The entries are in the memory between the __start_ and __stop_ symbols of their
 sections. `size` is the size of an entry: 32 (omp_offloading_entries, up to LLVM 20) or 56 (llvm_offload_entries,
 since LLVM 21). If a procedure's entry in the device image records a size of 8, as emitted by clang, it describes a
 variable that holds the procedure's address. If the size is 0, as documented by LLVM, it describes the procedure
 itself. A vtable's entry in the device image may also describe a variable, with a size of 8. Any other size in a
 procedure's entry is an error, as are different vtable sizes in the two images, and a name that denotes a function
 in one image and a vtable in the other. Instead of an entry, the device image may export a variable that has the
 entry's name and holds the address, as clang 22 does for each vtable.
 */
statictramp_map_error statictramp_set_functions_of_entries(int device,
                                                           size_t size,
                                                           const void *host_start,
                                                           const void *host_stop,
                                                           const void *device_start,
                                                           const void *device_stop);

/*
 Returns the device address of a function, given its host address, or NULL if the device's table does not contain the
 function or there is no such device. Async-signal-safe.
 */
statictramp_fn statictramp_function_on(int device,
                                       statictramp_fn host);

/*
 Determines the device's versions of a live trampoline's callee and chain; the trampoline itself cannot be
 transferred, because its stub is host code. Any pointer may be passed. `mapped` is a function such as OpenMP's
 omp_get_mapped_ptr, which returns the device address of host memory, or NULL if the memory is not mapped. It is not
 called for a NULL chain or context; if `mapped` itself is NULL, no memory is treated as mapped. If `parts` is NULL,
 nothing is stored. A GPU has neither a static chain nor stubs, so pass the callee and the chain to GPU code that
 takes a procedure and a context.
 */
statictramp_not_on_device statictramp_on_device(int device,
                                                statictramp_fn trampoline,
                                                void *(*mapped)(const void *memory, int device),
                                                statictramp_parts_on_device *parts);

/*
 Finds a host variable captured by a live trampoline's procedure. `layout` describes the memory to which the static
 chain (for a bound trampoline, the context) points: a tuple if flang compiled the host, or a frame if GCC did.
 `layout` is a list of the items in order, such as "n: integer(4), name: character, a: descriptor(2), p: pointer", or
 the tuple's type as LLVM prints it, followed by names. The kinds of numbers are integer, unsigned, logical, real and
 complex, with Fortran's kind number in parentheses, followed by the keyword `value` if the memory contains the
 number itself (GCC's frames) rather than its address (flang's tuples). The other kinds are character, pointer,
 allocatable, procedure and address, and, with the rank in parentheses, descriptor and class. The host must be
 active.

 Returns 0 and stores the variable, or returns -1 and sets errno to EINVAL if the pointer is not a live trampoline
 with a chain, if the layout is invalid or lacks the variable, if the variable's descriptor is invalid, or if another
 argument is NULL.
 */
int statictramp_captured(statictramp_fn trampoline,
                         const char *layout,
                         const char *name,
                         statictramp_captured_variable *found);

/*
 Determines whether Fortran's rules allow a procedure to keep the address of an argument after the call. `known` is the
 sum of the statictramp_capture values for all known facts; values about the actual argument or the descriptor's
 address are allowed only with STATICTRAMP_CAPTURE_THIS_CALL. Returns 1 if the rules allow it and 0 if they do not, or
 returns -1 and sets errno to EINVAL if `known` is invalid.
 */
int statictramp_may_capture(unsigned int known);

/*
 Determines the layout of a descriptor (CFI_cdesc_t), checks it and stores its contents in `view`, unless `view` is
 NULL. Reads only the header, as many dimensions as the header specifies and, if flang's layout has an addendum, its
 first word. On error, nothing is stored.
 */
statictramp_descriptor_error statictramp_view_descriptor(const void *descriptor,
                                                         statictramp_view *view);

/*
 Converts a descriptor to the given layout (a statictramp_descriptor_layout) and stores the result at `copy`, for
 code that was compiled by the compiler with this layout and reads the type or the attribute. Between flang's
 layouts, the copy keeps the dynamic type, so that SELECT TYPE in flang's code chooses the same block; gfortran's
 layout cannot represent the dynamic type. On error, nothing is stored.
 */
statictramp_descriptor_error statictramp_convert_descriptor(const void *descriptor,
                                                            unsigned int layout,
                                                            statictramp_descriptor *copy);

/*
 Copies the changes that a procedure made to `copy` back to the original descriptor. `copy` must come from
 statictramp_convert_descriptor. The procedure may have allocated or freed memory, reassigned the pointer, or changed
 the dynamic type. On error, nothing is changed.
 */
statictramp_descriptor_error statictramp_copy_back_descriptor(const statictramp_descriptor *copy,
                                                              void *descriptor);

/*
 Makes a descriptor, with the contents and layout of `shown`, for an object that belongs to the program or, if the base
 is NULL, for a pointer or an allocatable without memory. `shown->dimensions` must have one element for each dimension,
 unless the base is NULL or the rank is 0. The addendum is ignored. On error, nothing is stored.
 */
statictramp_descriptor_error statictramp_make_descriptor(const statictramp_view *shown,
                                                         statictramp_descriptor *made);

/*
 Makes the descriptor of an array section, in the layout of the array's descriptor. For each dimension, the arrays
 `lower`, `upper` and `stride` select the elements with subscripts from `lower` to `upper`, in steps of `stride`. A
 `stride` of 0 selects only subscript `lower`, and the section has one dimension fewer. The section has lower bounds
 of 1, and is neither a pointer nor allocatable. On error, nothing is stored.
 */
statictramp_descriptor_error statictramp_section_descriptor(const void *descriptor,
                                                            const ptrdiff_t *lower,
                                                            const ptrdiff_t *upper,
                                                            const ptrdiff_t *stride,
                                                            statictramp_descriptor *made);

/*
 Determines whether the elements of an array are contiguous, with the first subscript varying fastest. Returns 1 if
 they are, or if the array has no elements; 0 if they are not, or if nothing is allocated or associated; or returns
 -1 and sets errno to EINVAL if the descriptor is invalid.
 */
int statictramp_is_contiguous(const void *descriptor);

/*
 Returns the name of a derived-type object's dynamic type, as recorded in flang's tables, and stores its length at
 `len`, unless `len` is NULL. The name is in lower case and not zero-terminated. If the descriptor does not refer to a
 name, the result is NULL and the length is 0; gfortran's descriptors never refer to a name. A compiler or its run-time
 library must have made the descriptor.
 */
const char *statictramp_type_name(const void *descriptor,
                                  size_t *len);

/*
 Makes a descriptor for an argument that gfortran passes to a procedure without BIND(C) for an assumed-shape, pointer
 or allocatable dummy argument. Some fields of gfortran's own descriptor are unreliable, so `declared` must repeat
 the procedure's interface: category, kind, element_len (for a character, the hidden length argument), attribute and
 rank. It also contains the layout of the new descriptor. For an absent OPTIONAL argument, the result is
 STATICTRAMP_DESCRIPTOR_ERROR_NULL. On error, nothing is stored.
 */
statictramp_descriptor_error statictramp_of_gfortran(const void *own,
                                                     const statictramp_view *declared,
                                                     statictramp_descriptor *made);

/*
 Makes a descriptor as statictramp_of_gfortran does, but for a CLASS dummy argument. The new descriptor contains the
 element size of the dynamic type, but not the type's name, which gfortran does not record. In `declared`, the
 category must be STATICTRAMP_CATEGORY_OTHER for class(*) and STATICTRAMP_CATEGORY_STRUCT otherwise, and element_len
 is ignored.
 */
statictramp_descriptor_error statictramp_of_gfortran_class(const void *own,
                                                           const statictramp_view *declared,
                                                           statictramp_descriptor *made);

/*
 Makes a descriptor for a gfortran procedure without BIND(C) from a descriptor in any layout. On error, nothing is
 stored.
 */
statictramp_descriptor_error statictramp_to_gfortran(const void *descriptor,
                                                     statictramp_gfortran_descriptor *own);

/*
 Copies the changes that a procedure made to `copy` back to `own`, the descriptor that gfortran passed for a pointer or
 an allocatable. `copy` must come from statictramp_of_gfortran. On error, nothing is changed.
 */
statictramp_descriptor_error statictramp_copy_back_to_gfortran(const statictramp_descriptor *copy,
                                                               void *own);

/*
 Copies an array or a scalar in flang's layout, with the allocatable components of a derived type and of its
 components; `targets` (a statictramp_targets) determines whether the targets of pointer components are also copied.
 The result is an allocatable; statictramp_copy_back_descriptor stores it in a Fortran variable that is not allocated.
 No user-defined assignment is called, and stack usage does not depend on the number of objects. The object and its
 descriptor must come from code compiled by flang, and `runtime` from the run-time library of the same version of
 flang. On error, nothing is stored, and everything that had been copied is freed. The result is
 STATICTRAMP_DESCRIPTOR_ERROR_RUNTIME if memory is exhausted.
 */
statictramp_descriptor_error statictramp_deep_copy(const void *descriptor,
                                                   const statictramp_descriptor_runtime *runtime,
                                                   unsigned int targets,
                                                   statictramp_descriptor *copy);

/*
 Frees a pointer or an allocatable and everything that statictramp_deep_copy with the same `targets` would copy,
 without finalization. All of it must have been allocated by the run-time library to which `runtime` belongs. On an
 error other than STATICTRAMP_DESCRIPTOR_ERROR_RUNTIME, nothing has been freed.
 */
statictramp_descriptor_error statictramp_deep_free(void *descriptor,
                                                   const statictramp_descriptor_runtime *runtime,
                                                   unsigned int targets);

/*
 Checks that every element of a memref is one of the `len` elements that begin at its aligned pointer, and that this
 pointer is aligned to `align` bytes. `align` must be a power of two. `descriptor` must have the form that
 llvm.emit_c_interface passes: the allocated pointer, the aligned pointer, the offset, `rank` sizes and `rank`
 strides. No other memory is read.
 */
statictramp_memref_error statictramp_check_memref(unsigned int rank,
                                                  const void *descriptor,
                                                  size_t len,
                                                  size_t align);

/*
 Checks that a memref has no offset and is contiguous and row-major, as a type without a layout, such as
 memref<?x?xf32>, implies.
 */
statictramp_memref_error statictramp_check_memref_identity(unsigned int rank, const void *descriptor);

/*
 Checks that a memref has the sizes specified by its type, such as memref<4x?xf32>. Lowered MLIR code relies on these
 sizes. `sizes` has one element for each dimension: its size in the type, or INT64_MIN if that is dynamic.
 */
statictramp_memref_error statictramp_check_memref_sizes(unsigned int rank,
                                                        const void *descriptor,
                                                        const int64_t *sizes);

/*
 Checks that MLIR code was lowered with the options that functions made by statictramp_bind_memref require: each memref
 as a descriptor, and index with 64 bits. `probe` must be this function, lowered together with the code:

 func.func @statictramp_probe(%m: memref<2xindex>) -> index {
   %one = arith.constant 1 : index
   %x = memref.load %m[%one] : memref<2xindex>
   return %x : index
 }

 The result is STATICTRAMP_MEMREF_ERROR_BARE_POINTERS for code lowered with use-bare-ptr-memref-call-conv, and
 STATICTRAMP_MEMREF_ERROR_INDEX_BITS for code lowered with an index-bitwidth of 32 or 128; if both apply, it is
 STATICTRAMP_MEMREF_ERROR_BARE_POINTERS. Values of index-bitwidth other than 32, 64 and 128 are not supported. If
 `probe` is NULL, the result is STATICTRAMP_MEMREF_ERROR_NULL.
 */
statictramp_memref_error statictramp_check_lowering(statictramp_fn probe);

/*
 Makes a function that calls `handler`, and that MLIR code can call through func.call_indirect. `signature` is the
 function's type in MLIR syntax, such as "memref<?x?xf32>, i64 -> memref<?xf32>, f64". A signature without -> has
 no results. The supported types are i1, i8, i16, i32, i64, index, f32, f64, complex numbers with floating-point
 parts, !llvm.ptr, and memrefs that are unranked or have at most 8 dimensions; f16 and bf16 on x86-64, AArch64 and
 RISC-V; and 16-byte vectors on x86-64 and AArch64. A signature may have at most 16 arguments, 8 results and 40
 static sizes, strides and offsets. MLIR code relies on these types, so each call prints a message and aborts if a
 memref has a negative size, if a memref argument contradicts the static sizes in its type, or if a memref result
 contradicts its whole type: static sizes, strides and offset, or, if the type has no layout, a contiguous row-major
 layout. Affine maps, the layouts of arguments, and the sizes of unranked memrefs are not checked. The C type of a
 memref argument is STATICTRAMP_MEMREF or, for an unranked memref, statictramp_unranked_memref.

 The caller provides the memory for `closure`, which must remain unchanged until the result is passed to
 statictramp_free. Returns NULL and sets errno to EINVAL if `closure`, `signature` or `handler` is NULL, if `closure`
 is misaligned, or if the signature is invalid. Returns NULL and sets errno to ENOMEM if all slots are in use.
 */
statictramp_fn statictramp_bind_memref(statictramp_memref_closure *closure,
                                       const char *signature,
                                       statictramp_memref_handler handler,
                                       void *context);

/*
 Copies a memref's descriptor to memory allocated with malloc, so that a function can return it as an unranked memref
 (memref<*xf32>). The function's caller must free the memory. Returns NULL and sets errno to ENOMEM if no memory is
 available, or to EINVAL if the descriptor is NULL or misaligned or has more than 255 dimensions.
 */
void *statictramp_unranked_result(unsigned int rank,
                                  const void *descriptor);

#ifdef __cplusplus
}  /* extern "C" */
#endif  /* __cplusplus */

#endif  /* STATICTRAMP_INTEROP_H */
