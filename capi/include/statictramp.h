/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* statictramp: function pointers with a context bound to them, without memory that is both writable and executable.

   A trampoline is an ordinary function pointer that calls a function, passing a context before the caller's own arguments.
   In C11:

     int by_key(const int *keys, const char *a, const char *b) { return keys[(int)*a] - keys[(int)*b]; }
     ...
     statictramp_fn compare = STATICTRAMP_BIND(by_key, keys, int, const char *, const char *);
     qsort(order, count, 1, (int (*)(const void *, const void *))compare);
     statictramp_free(compare);

   The functions that most programs need come first, followed by the types, the functions for other ways of binding, and
   the macro STATICTRAMP_BIND. In C++, use statictramp.hpp.

   Each trampoline occupies one slot of a table, which doubles in size when full. The initial number of slots,
   STATICTRAMP_SLOTS, is set when the library is built (1024 by default, 16 on boards).

   Every function is thread-safe, async-signal-safe and lock-free, except on Armv6-M and on RISC-V without the A extension
   (see below). The functions neither allocate memory nor make system calls, except in these cases:

   - If no slot is free, making a trampoline reclaims the slots of abandoned frames, or grows the table. On Linux, if a
     table of more than 1,024 slots cannot grow, the library calls membarrier.
   - statictramp_reserve grows the table in advance.
   - statictramp_free checks whether an unknown pointer is a trampoline of another copy of the library.
   - To move arguments on the stack, statictramp_bind_types and statictramp_bind_types_last allocate a plan, shared by
     all signatures with the same moves.

   A function changes errno only if its comment says so.

   On targets without an operating system, the library needs no libc and does not set errno, and the table cannot grow. A
   call through a freed trampoline runs the handlers installed with statictramp_on_dead_call_from and
   statictramp_on_dead_call, then traps. On Armv6-M, and on RISC-V without the A extension, the functions that make a
   trampoline mask interrupts for a few instructions. On these processors, a multi-core program must itself define
   _critical_section_1_0_acquire and _critical_section_1_0_release.

   Generated from the library's sources by cbindgen; a test checks that this file is up to date. */

#ifndef STATICTRAMP_H
#define STATICTRAMP_H

#include <stdarg.h>
#include <stddef.h>
/* The version of this header: major * 10000 + minor * 100 + patch. */
#define STATICTRAMP_VERSION 100

/* The value to pass to statictramp_raw_expect or statictramp_raw_check for a function that is not variadic. */
#define STATICTRAMP_NOT_VARIADIC ((size_t)-1)

#if defined __powerpc__ && defined __LONG_DOUBLE_IEEE128__ && !defined STATICTRAMP_WITHOUT_LONG_DOUBLE
#error "the library's long double has IBM's format: compile with -mabi=ibmlongdouble, or define STATICTRAMP_WITHOUT_LONG_DOUBLE and pass no long double"
#endif


#ifdef __cplusplus
extern "C" {
#endif /* __cplusplus */

/*
 A pointer to a function of any type. Cast it to the actual type before calling it.
 */
typedef void (*statictramp_fn)(void);

/*
 Changes the context of a live trampoline made by statictramp_bind_types, statictramp_bind_types_last,
 statictramp_bind, statictramp_bind_first or statictramp_bind_raw, for example when the context object moves but the
 function pointer must remain valid. No call through the trampoline may be in progress.

 Returns 0, or returns -1 and sets errno to EINVAL if the pointer is not a live trampoline made by one of these
 functions. In a library built with signed slots (STATICTRAMP_SIGN), prints a message and aborts if other code has
 changed the words that store the callee and the context; on processors with FEAT_FPAC, the process receives SIGILL
 instead.
 */
int statictramp_rebind(statictramp_fn trampoline,
                       void *context);

/*
 Frees a trampoline made by any function declared in this library's headers. No call through the trampoline may be in
 progress, and none may follow. Until the slot is reused, a later call prints a message that names the slot and the
 former callee, and aborts (see statictramp_on_dead_call). A freed slot is reused for other callees only after every
 slot has been used.

 Returns 0 on success. Returns -1, sets errno to EINVAL and changes nothing if the pointer is NULL, is not a
 trampoline of this copy of the library, or is the address of a stub whose slot is dead or unused. If the slot has
 been reused, a second free frees the new trampoline; the library cannot detect this error. On Linux and Windows,
 also prints a message on standard error if the pointer is a trampoline of another copy of the library.
 */
int statictramp_free(statictramp_fn trampoline);

/*
 The handler for a call through a freed trampoline, which runs on the caller's thread and stack. It receives the slot
 number ((size_t)-1 if unknown) and the former callee (NULL if unknown). If it returns, the process aborts; without an
 operating system, the processor traps.
 */
typedef void (*statictramp_dead_call_handler)(size_t slot, statictramp_fn late_callee);

/*
 Sets the handler for calls through freed trampolines. NULL restores the default, which prints a one-line message on
 standard error and aborts. The message begins with "statictramp: " and names the slot and the former callee if they
 are known.
 */
void statictramp_on_dead_call(statictramp_dead_call_handler handler);

/*
 Reports whether a pointer is a trampoline and, if so, its callee and chain. Any pointer may be passed.

 Returns 1 and stores the callee and the chain if the pointer is a live trampoline (for a bound trampoline, the context
 is stored as the chain; for a raw trampoline, the handler is stored as the callee). Returns 0 and stores the former
 callee (NULL if there is none) and a NULL chain if the pointer is the address of a stub whose slot is dead or unused.
 Returns -1 and stores nothing if the pointer is not a trampoline of this copy of the library. If `callee` or `chain`
 is NULL, that value is not stored.
 */
int statictramp_lookup(statictramp_fn trampoline,
                       statictramp_fn *callee,
                       void **chain);

/*
 Counts the live trampolines one by one, including those made by other code. The result is exact only if no
 trampoline is made or freed concurrently.
 */
size_t statictramp_live(void);

/*
 Grows the table until it can hold at least `slots` live trampolines in total, including those made by other code.
 Call this function, for example, before installing a system-call filter that prevents growth. It also allocates
 memory for the plans that statictramp_bind_types and statictramp_bind_types_last use to move arguments on the stack:
 enough for at least 25 different signatures.

 Returns 0 if the table now has at least `slots` slots, whether or not the table had to grow. Returns -1 and sets
 errno to ENOMEM if `slots` exceeds the limit (see statictramp_set_limit), if memory runs out, or if the table cannot
 grow that far. In the last two cases, the table may have grown by fewer slots than requested.
 */
int statictramp_reserve(size_t slots);

/*
 Reports the version of the running library, encoded like STATICTRAMP_VERSION: major * 10000 + minor * 100 + patch.
 */
unsigned int statictramp_version(void);

/*
 A flag to add to the `used` argument of statictramp_bind_first if the result is returned in memory, as structs of more
 than 16 bytes usually are on 64-bit processors (the manual page statictramp_registers(3) lists the rules for each
 processor). Except on AArch64, the hidden pointer to the result remains in the first integer-argument register (on
 i386, in the first argument word), and the context comes after it. `used` does not count that register or word.
 */
#define STATICTRAMP_RESULT_IN_MEMORY 256

/*
 A flag to add to the `used` argument of statictramp_bind_first if an argument that the caller passes must begin in an
 even-numbered register. The manual page statictramp_registers(3) lists the affected types for each processor; on
 x86-64 and s390x, there are none.
 */
#define STATICTRAMP_EVEN_PAIR 512

/*
 The kinds of types. `bool` has the kind STATICTRAMP_KIND_UINT8. `char` has STATICTRAMP_KIND_UINT8 or
 STATICTRAMP_KIND_INT8, depending on CHAR_MIN. An enumeration has the kind of its underlying integer type.
 */
typedef enum {
  STATICTRAMP_KIND_INT8 = 1,
  STATICTRAMP_KIND_UINT8,
  STATICTRAMP_KIND_INT16,
  STATICTRAMP_KIND_UINT16,
  STATICTRAMP_KIND_INT32,
  STATICTRAMP_KIND_UINT32,
  STATICTRAMP_KIND_INT64,
  STATICTRAMP_KIND_UINT64,
  /*
   A 128-bit integer, signed or unsigned (not on 32-bit processors).
   */
  STATICTRAMP_KIND_INT128,
  STATICTRAMP_KIND_POINTER,
  STATICTRAMP_KIND_FLOAT,
  STATICTRAMP_KIND_DOUBLE,
  /*
   `long double` in the compiler's default format, without options such as `-mlong-double-64`.
   */
  STATICTRAMP_KIND_LONG_DOUBLE,
  /*
   A struct, described by a statictramp_struct.
   */
  STATICTRAMP_KIND_STRUCT,
  /*
   `float _Complex`. The complex kinds are not available on 32-bit PowerPC, because compilers disagree on how to
   pass them.
   */
  STATICTRAMP_KIND_COMPLEX_FLOAT,
  /*
   `double _Complex` (not on 32-bit PowerPC).
   */
  STATICTRAMP_KIND_COMPLEX_DOUBLE,
  /*
   `long double _Complex` (not on 32-bit PowerPC).
   */
  STATICTRAMP_KIND_COMPLEX_LONG_DOUBLE,
  /*
   An 8-byte vector with at least two elements (`float32x2_t`, `__attribute__((vector_size(8)))`). It is available
   on x86-64 (except Windows), AArch64, and hard-float Arm.
   */
  STATICTRAMP_KIND_VECTOR64,
  /*
   A 16-byte vector with at least two elements (`__m128`, `float32x4_t`, `__attribute__((vector_size(16)))`). It is
   available on x86-64, AArch64, hard-float Arm and 64-bit PowerPC.
   */
  STATICTRAMP_KIND_VECTOR128
} statictramp_kind;

/*
 A call to a raw trampoline, as seen by its handler: the caller's arguments and the result. The object is valid
 until the handler returns.
 */
typedef struct statictramp_raw_call statictramp_raw_call;

/*
 A part of a struct: a member that is not an array, or one element of an array.
 */
typedef struct {
  /*
   The offset in bytes from the beginning of the struct, as given by offsetof.
   */
  size_t offset;
  /*
   A statictramp_kind.
   */
  unsigned int kind;
  /*
   The nested struct for STATICTRAMP_KIND_STRUCT; ignored for other kinds.
   */
  const struct statictramp_struct *of;
} statictramp_leaf;

/*
 A struct type, described by its members and the elements of its arrays, in order of their offsets. A member that is
 a struct is described by one leaf, or by the leaves of its members. Structs may be nested up to 16 levels deep in
 the outermost struct. A complex member is described by a leaf of a complex kind, or by two leaves. If a struct is
 described only by its scalars, they are treated as its own members. The manual page statictramp_registers(3) lists
 the processors on which that makes a difference, and explains how members that are structs, arrays or complex
 numbers must be described there. Unions, bit-fields, and packed or over-aligned structs are not supported, nor are
 structs that contain both a floating-point number and a zero-sized member (an empty struct, a zero-length array, a
 flexible array). Empty structs are not supported on Windows. Structs whose only member is an array containing a
 single floating-point number are not supported on s390x. If a struct contains no floating-point number, omit its
 zero-sized members.
 */
typedef struct statictramp_struct {
  /*
   The size of the struct as given by sizeof.
   */
  size_t size;
  /*
   The number of leaves, which is 0 for an empty C struct.
   */
  size_t count;
  /*
   The leaves, which describe the members.
   */
  const statictramp_leaf *leaves;
} statictramp_struct;

/*
 The type of a parameter or a result.
 */
typedef struct {
  /*
   A statictramp_kind.
   */
  unsigned int kind;
  /*
   The struct for STATICTRAMP_KIND_STRUCT, or NULL for other kinds.
   */
  const statictramp_struct *of;
} statictramp_type;

/*
 A handler for statictramp_on_dead_call_from. Unlike a statictramp_dead_call_handler, it also receives the call's
 return address, which is NULL if there is an operating system.
 */
typedef void (*statictramp_dead_call_from_handler)(size_t slot,
                                                   statictramp_fn late_callee,
                                                   const void *return_address);

/*
 The function that a raw trampoline calls. It may pass `call` to the statictramp_raw_ functions. It may also exit
 through longjmp, or throw a C++ exception, which propagates to the caller.
 */
typedef void (*statictramp_raw_handler)(void *context, statictramp_raw_call *call);

/*
 Makes a trampoline for an ordinary C function. At each call, the context replaces the caller's argument in
 integer-argument register `position`, so the function type that the caller uses has the same parameters as `callee`.
 For `int f(void *context, int x)` with position 0, the caller's pointer has the type `int (*)(void *, int)`, and the
 caller may pass anything as the first argument. If the caller's pointer type lacks that parameter, use
 statictramp_bind_first.

 `position` is a register number, counted from 0, rather than a parameter number. A floating-point parameter usually
 takes no integer register. A struct passed in registers usually takes an integer register for each register-sized
 part, except parts that contain only floating-point members. If the result is returned in memory, its hidden pointer
 takes the first register (except on AArch64). The manual page statictramp_registers(3) lists the rules for each
 processor. `position` may also be the number of the first register that the caller does not use: no argument is then
 lost, and the callee takes one more argument than the caller passes. On i386, all arguments are on the stack, and
 `position` counts stack words. There, `position` must be the number of a word that the caller passes, because the
 words after the arguments belong to the caller.

 Returns NULL and sets errno to EINVAL if `callee` is NULL or the register does not exist, or to ENOMEM if all slots
 are in use. In all other respects, the trampoline is like one made by statictramp_alloc.
 */
statictramp_fn statictramp_bind(statictramp_fn callee,
                                void *context,
                                unsigned int position);

/*
 Makes a trampoline for an ordinary C function that takes one more argument than its caller passes. At each call,
 `context` is inserted as the first argument, and the caller's arguments in the first `used` integer-argument
 registers move up by one. For `int f(void *context, int x, double y)`, for example, `used` is 1, and the caller's
 pointer has the type `int (*)(int, double)`.

 `used` counts registers, not parameters. A floating-point parameter usually takes no integer register as long as
 floating-point registers remain. A struct passed in registers usually takes an integer register for each
 register-sized part, except parts that contain only floating-point members. A struct passed as the address of a copy
 takes one register. Stack arguments do not move. Add STATICTRAMP_RESULT_IN_MEMORY and STATICTRAMP_EVEN_PAIR to
 `used` if they apply. The manual page statictramp_registers(3) lists the rules for each processor. On i386, `used`
 counts stack words instead.

 Returns NULL and sets errno to EINVAL if `callee` is NULL, if an argument that must begin in an even-numbered
 register would move, or if the arguments and any hidden pointer leave no register for the context. Returns NULL and
 sets errno to ENOMEM if all slots are in use. In all other respects, the trampoline is like one made by
 statictramp_alloc.
 */
statictramp_fn statictramp_bind_first(statictramp_fn callee,
                                      void *context,
                                      unsigned int used);

/*
 Makes a trampoline as statictramp_bind_types does, but takes the signature as a string. `signature` describes the
 function type that the caller uses: the result, then the parameters in parentheses. For example, "i(pp)" is `int
 (void *, void *)`, and "v()" is `void (void)`. `callee` takes a `void *` before these parameters. The library reads
 the string only during this call.

 Each type is a letter; an upper-case integer letter denotes the unsigned type: `c C` signed char, `s S` short, `i I`
 int, `l L` long, `q Q` 64 bits, `t T` 128 bits, `n N` ptrdiff_t and size_t, `B` _Bool, `p` pointer, `f` float, `d`
 double, `D` long double, `jf jd jD` the complex types, `w` an 8-byte vector, `W` a 16-byte vector, `v` void (only as
 the result). A struct is written as the letters of its members in braces: "{dd}(i)". Its members cannot be structs; an
 array is written as its elements. The grammar, in which `|` separates alternatives and `*` means any number:

     signature = (`v` | type) `(` type* `)`
     type      = letter | `j` (`f` | `d` | `D`) | `{` (letter | `j` (`f` | `d` | `D`))* `}`

 A signature may have up to 64 parameters, and up to 16 structs with 64 members in total.

 Returns NULL and sets errno to EINVAL if `callee` or `signature` is NULL, if the string is not a signature
 (statictramp_signature_error returns the position of the error), or if the context cannot be inserted. Returns NULL and
 sets errno to ENOMEM if all slots are in use, or if no memory is available.
 */
statictramp_fn statictramp_bind_signature(statictramp_fn callee,
                                          void *context,
                                          const char *signature);

/*
 Returns the position of the error in a string for statictramp_bind_signature, that is, the number of bytes before
 the error. Returns -1 if the string is a valid signature and all its types exist on the target, and 0 if it is NULL.
 */
ptrdiff_t statictramp_signature_error(const char *signature);

/*
 Makes a trampoline for an ordinary C function that takes one more argument than its caller passes. At each call,
 `context` is passed before the caller's arguments. The function type used by the caller has the result type `result`
 (NULL for void) and `count` parameters of the types in `parameters`. `callee` has the same result type, and takes a
 `void *` (or another pointer to data) before the same parameters. The library reads the types only during this call.
 In C11 and later, the macro STATICTRAMP_BIND determines the types.

 If each argument either stays where it is or moves up by one integer register, a call is as fast as one through a
 trampoline made by statictramp_bind_first. Otherwise, each call copies the arguments. Neither the caller's function
 type nor `callee` may be variadic (statictramp_bind_raw supports variadic functions). If only one register is left
 for a 128-bit integer, compilers for x86-64 disagree on how to pass the next integer; the library follows gcc.

 Without an operating system, the library does not copy arguments. The context must then fit into a register, and each
 argument must stay where it is or move up by one integer register.

 Returns NULL and sets errno to EINVAL if `callee` is NULL, if there are more than 64 parameters, if one of the types
 does not exist on the target, or if the context cannot be inserted. Returns NULL and sets errno to ENOMEM if all
 slots are in use, or if no memory is available. In all other respects, the trampoline is like one made by
 statictramp_alloc.
 */
statictramp_fn statictramp_bind_types(statictramp_fn callee,
                                      void *context,
                                      const statictramp_type *result,
                                      const statictramp_type *parameters,
                                      size_t count);

/*
 Makes a trampoline as statictramp_bind_types does, except that each call passes `context` after the caller's
 arguments. `callee` has the same result type and the same parameters, followed by a `void *` (or another pointer to
 data). No argument moves to another register, so if an argument register is left for the context, a call is as fast
 as one through a trampoline made by statictramp_bind. On i386, where every argument is on the stack,
 statictramp_bind_types is faster. `statictramp.hpp` therefore uses this function on all processors except i386.

 Returns NULL and sets errno under the same conditions as statictramp_bind_types.
 */
statictramp_fn statictramp_bind_types_last(statictramp_fn callee,
                                           void *context,
                                           const statictramp_type *result,
                                           const statictramp_type *parameters,
                                           size_t count);

/*
 Makes a trampoline. A call through the trampoline jumps to `callee` with `chain` in the static-chain register and
 all arguments unchanged. The static-chain register is r10 on x86-64, and both x15 and x18 on AArch64 (x15 and x16 on
 macOS); the manual page statictramp_registers(3) lists the register for each processor. This function is for callees
 that expect their context in that register, such as compiled nested functions. For a C function, use
 statictramp_bind_types, statictramp_bind_first or statictramp_bind.

 Returns NULL and sets errno to EINVAL if `callee` is NULL, or to ENOMEM if all slots are in use and the table cannot
 grow. The trampoline is valid until it is passed to statictramp_free. A later call prints a message and aborts (see
 statictramp_on_dead_call), unless the slot has been reused. A freed slot is reused for other callees only after
 every slot has been used.
 */
statictramp_fn statictramp_alloc(statictramp_fn callee,
                                 void *chain);

/*
 Reports the number of trampolines that can be live at the same time without further growth. Slots added by growth
 are included; they remain until the process ends. A full table doubles in size if it can grow. On Linux and Windows,
 it can grow only if the file from which this code was loaded can be mapped again and still contains the running
 code. On Linux, the table therefore cannot grow if /proc is unavailable, or if the code is in a shared library that
 was deleted or replaced, or whose path ends in " (deleted)" or is longer than 1,023 bytes.
 */
size_t statictramp_capacity(void);

/*
 Sets the maximum number of slots, overriding the environment variable STATICTRAMP_LIMIT. The table never has more
 than 1,048,576 slots, and never shrinks. If the limit cuts a doubling short, the missing slots are never added, even
 if the limit is raised later, but still count towards the limit.

 If this function has not been called by the time the table first grows, the limit is read from STATICTRAMP_LIMIT
 (with getenv). No other thread may change the environment (setenv, putenv) at that moment, so a multithreaded
 program that changes its environment must call this function first. Set-user-ID and set-group-ID programs, and those
 with file capabilities, ignore the variable.
 */
void statictramp_set_limit(size_t slots);

/*
 Sets a handler that receives the return address of a call through a freed trampoline, so that code on a board can
 report the caller. A handler installed with statictramp_on_dead_call runs afterwards. NULL removes the handler.
 */
void statictramp_on_dead_call_from(statictramp_dead_call_from_handler handler);

/*
 Frees all trampolines, even if their slots have lost their contents, as happens when a RAM bank is powered down.
 Later calls through them are handled like calls after statictramp_free. While this function runs, no other thread or
 interrupt handler may call, make, change or free a trampoline.
 */
void statictramp_free_all(void);

/*
 Makes a trampoline for functions whose type is known only at run time, as needed by interpreters and FFI modules.
 The result can be cast to a function pointer of any type. Each call runs `handler` with `context` and an object that
 represents the call. The handler uses this object to read the arguments in order (statictramp_raw_next,
 statictramp_raw_next_struct) and to set the result (statictramp_raw_return, statictramp_raw_return_struct). If the
 result is a struct or is returned in memory, or if the caller's function type is variadic, the handler must call
 statictramp_raw_expect first.

 A result that the handler does not set is 0. The handler must, however, set a result of these types: `long double`
 or `long double _Complex` on x86-64, any floating-point type on i386, and `float` or `float _Complex` on RISC-V if
 the ABI passes a `double` in a floating-point register.

 Returns NULL and sets errno to EINVAL if `handler` is NULL, or to ENOMEM if all slots are in use. In all other
 respects, the trampoline is like one made by statictramp_alloc. For a raw trampoline, statictramp_lookup stores the
 handler as the callee.
 */
statictramp_fn statictramp_bind_raw(statictramp_raw_handler handler,
                                    void *context);

/*
 Declares that the caller's function type has a struct result or is variadic. This function must be called before the
 first argument is taken.

 `result` is the struct type that the function returns, or NULL if the result is not a struct. The first `named`
 arguments are named, and the others are variadic. If all are named, pass STATICTRAMP_NOT_VARIADIC.

 A result that is not a struct must also be declared if it is returned in memory. Declare a scalar as a struct with
 the scalar as its only member, and a complex number as a struct of its two parts. The following results are returned
 in memory: on s390x, 16-byte scalars and complex numbers; on Windows, a long double and complex numbers of more than
 8 bytes; on i386, `double _Complex` and `long double _Complex`; on Arm, complex numbers in soft-float code and from
 variadic functions. RISC-V, LoongArch and MIPS also return `long double _Complex` in memory. 32-bit RISC-V also
 returns `long double` in memory, as well as `double _Complex` unless the ABI passes a `double` in a floating-point
 register. Do not declare any other scalar or complex result.

 Returns 0, or returns -1 and sets errno to EINVAL if an argument has already been taken or the type cannot be
 described.
 */
int statictramp_raw_expect(statictramp_raw_call *call,
                           const statictramp_struct *result,
                           size_t named);

/*
 Takes the next argument, which must not be a struct, and stores it at `value`.

 Returns 0, or returns -1 and sets errno to EINVAL if the type does not exist on this target or is
 STATICTRAMP_KIND_STRUCT. There must be a next argument of this type (for a variadic argument, the promoted type):
 the library does not know how many arguments the caller has passed.
 */
int statictramp_raw_next(statictramp_raw_call *call,
                         unsigned int kind,
                         void *value);

/*
 Takes the next argument, which must have the struct type `of`, and stores it at `value`. An object of a non-trivial
 C++ class is passed by address, and cannot be returned by a raw trampoline.

 Returns 0, or returns -1 and sets errno to EINVAL if the type cannot be described. There must be a next argument, and
 it must have this type.
 */
int statictramp_raw_next_struct(statictramp_raw_call *call,
                                const statictramp_struct *of,
                                void *value);

/*
 Stores the remaining arguments at `list`, for functions such as vsnprintf. These arguments must all be variadic. The
 list is valid until the handler returns, and needs no va_end. The arguments remain available, so the handler may
 obtain several lists, or also take the arguments with statictramp_raw_next.

 Returns 0, or returns -1 and sets errno to EINVAL if statictramp_raw_expect has not declared the function variadic, or
 if `list` is NULL. All named arguments must have been taken. On processors that pass named and variadic arguments
 differently, the function also fails if a named argument is left.
 */
int statictramp_raw_va_list(statictramp_raw_call *call,
                            va_list *list);

/*
 Sets the result, which must not be a struct, to the value at `value`.

 Returns 0, or returns -1 and sets errno to EINVAL if the type does not exist on this target or is
 STATICTRAMP_KIND_STRUCT, or if the result is returned in memory and was not declared with statictramp_raw_expect.
 */
int statictramp_raw_return(statictramp_raw_call *call,
                           unsigned int kind,
                           const void *value);

/*
 Sets the result, which must have the struct type `of`, to the value at `value`.

 Returns 0, or returns -1 and sets errno to EINVAL if the type cannot be described, or if the result is returned in
 memory and its type was not declared with statictramp_raw_expect.
 */
int statictramp_raw_return_struct(statictramp_raw_call *call,
                                  const statictramp_struct *of,
                                  const void *value);

/*
 Checks in advance whether a raw trampoline's handler can take arguments and set a result of the given types.
 `result` is NULL for a function without a result. The first `named` of the `count` parameters are named, and the
 others are variadic. If all parameters are named, pass STATICTRAMP_NOT_VARIADIC.

 Returns 0 if the statictramp_raw_* functions support all of these types. Otherwise returns -1 and sets errno to
 EINVAL.
 */
int statictramp_raw_check(const statictramp_type *result,
                          const statictramp_type *parameters,
                          size_t count,
                          size_t named);

#ifdef __cplusplus
}  /* extern "C" */
#endif  /* __cplusplus */

#endif  /* STATICTRAMP_H */


#ifndef STATICTRAMP_BIND
#if defined __cplusplus && __cplusplus >= 201103L
#define STATICTRAMP_BIND(...) _Pragma("GCC error \"STATICTRAMP_BIND is a macro for C: in C++, use statictramp::callback from statictramp.hpp\"") 0
#elif defined __cplusplus
#define STATICTRAMP_BIND _Pragma("GCC error \"STATICTRAMP_BIND is a macro for C: in C++, use statictramp::callback from statictramp.hpp\"")
#elif !defined __STDC_VERSION__ || __STDC_VERSION__ < 199901L
#define STATICTRAMP_BIND _Pragma("GCC error \"STATICTRAMP_BIND requires C11: compile with -std=c11 or later, or call statictramp_bind_types\"")
#elif __STDC_VERSION__ < 201112L
#define STATICTRAMP_BIND(...) _Pragma("GCC error \"STATICTRAMP_BIND requires C11: compile with -std=c11 or later, or call statictramp_bind_types\"") 0
#else
/*
 STATICTRAMP_BIND(callee, context, result type, parameter types...) calls statictramp_bind_types for a C function type,
 for example STATICTRAMP_BIND(by_key, keys, int, const char *, const char *). The callee takes a pointer to the context,
 followed by these parameters (at most 64). STATICTRAMP_BIND(f, c, void) is for a callee that takes only the context and
 returns nothing.

 The result and the parameters may be of arithmetic types (including complex types and 128-bit integers), enumeration
 types, or pointer types. A parameter may also be a va_list, or an array (which is passed as a pointer). The result may
 also be void. Any other type is rejected at compile time. So are atomic complex types (with clang), typedefs whose
 alignment exceeds their size, and long double if compiler options select a format that the library does not support.
 For structs and vectors, use statictramp_bind_types.

 The context must point to data. The macro compiles only if the list exactly matches the callee's type, and the callee's
 first parameter points to void or to the context's type, with at least the context's qualifiers. If the context is a
 `void *` or a null pointer constant and the callee's first parameter has another type, cast the context to that type.
 Without a prototype, only the result is checked, and parameter lists with `float` or an integer narrower than `int` are
 rejected.

 The macro is available in C11 and later, with gcc and clang. In C++, use statictramp.hpp.
 */
#define STATICTRAMP_BIND(callee, context, ...) \
  STATICTRAMP_UNLESS_EMPTY_(STATICTRAMP_FIRST_(__VA_ARGS__, 0))(callee, context, __VA_ARGS__)

/* Implementation of STATICTRAMP_BIND. Programs must not use these names. */
/* If the list contains no type, R is empty; only then is STATICTRAMP_EMPTY_##R a macro. */
#define STATICTRAMP_UNLESS_EMPTY_(R) STATICTRAMP_UNLESS_EMPTY_IS_(R)
#define STATICTRAMP_UNLESS_EMPTY_IS_(R) STATICTRAMP_SECOND_(STATICTRAMP_EMPTY_##R, STATICTRAMP_BIND_, 0)
#define STATICTRAMP_EMPTY_ 0, STATICTRAMP_BIND_EMPTY_
#define STATICTRAMP_SECOND_(...) STATICTRAMP_SECOND_OF_(__VA_ARGS__)
#define STATICTRAMP_SECOND_OF_(a, b, ...) b
#define STATICTRAMP_BIND_EMPTY_(...) \
  ((statictramp_fn)sizeof(struct { \
    int unused; \
    _Static_assert(0, "STATICTRAMP_BIND: the list of types is empty: it begins with the type of the result"); \
  }))
/* If the list has an empty parameter or a 65th parameter, X is not empty, so STATICTRAMP_LISTED_##X is not a macro. */
#define STATICTRAMP_BIND_(callee, context, ...) \
  STATICTRAMP_IF_LISTED_(STATICTRAMP_65TH_(__VA_ARGS__) STATICTRAMP_EACH_(STATICTRAMP_IF_EMPTY_, __VA_ARGS__))(callee, context, __VA_ARGS__)
#define STATICTRAMP_IF_LISTED_(X) STATICTRAMP_IF_LISTED_IS_(X)
#define STATICTRAMP_IF_LISTED_IS_(X) STATICTRAMP_SECOND_(STATICTRAMP_LISTED_##X, STATICTRAMP_BIND_MALFORMED_, 0)
#define STATICTRAMP_LISTED_ 0, STATICTRAMP_BIND_LIST_
#define STATICTRAMP_IF_EMPTY_(T) STATICTRAMP_SECOND_(STATICTRAMP_EMPTY_##T, , 0)
#define STATICTRAMP_65TH_(...) \
  STATICTRAMP_PICK_(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, __VA_ARGS__, , , , , , , , , , , , , , , , , , , , , , , , , , , , , , , , , , \
                    , , , , , , , , , , , , , , , , , , , , , , , , , , , , , , , , , , )
#define STATICTRAMP_BIND_MALFORMED_(...) \
  ((statictramp_fn)sizeof(struct { \
    int unused; \
    _Static_assert(0, "STATICTRAMP_BIND: there are more than 64 parameters, or a comma without a type"); \
  }))
#define STATICTRAMP_BIND_LIST_(callee, context, ...) \
  ((STATICTRAMP_IS_SIMPLE_(__VA_ARGS__) ? statictramp_bind_counted_ : statictramp_bind_listed_) \
   ((statictramp_fn)(callee), (__UINTPTR_TYPE__)(1 ? (context) : (void *)0), __extension__({ \
      STATICTRAMP_CHECK_LIST_(STATICTRAMP_FIRST_(__VA_ARGS__, 0), __VA_ARGS__) \
      _Static_assert(STATICTRAMP_IS_POINTER_(context), "STATICTRAMP_BIND: the context is not a pointer"); \
      typedef __typeof__(1 ? (context) : (void *)0) statictramp_context_; \
      _Static_assert(!STATICTRAMP_IS_FUNCTION_, "STATICTRAMP_BIND: the context is a pointer to a function: it must point to data"); \
      _Static_assert(STATICTRAMP_IS_A_POINTER_(callee), "STATICTRAMP_BIND: the callee is not a function"); \
      typedef __typeof__(&*(callee)) statictramp_callee_; \
      typedef STATICTRAMP_UNQUALIFIED_(STATICTRAMP_FIRST_(__VA_ARGS__, 0)) statictramp_result_; \
      _Static_assert(STATICTRAMP_MATCHES_(__VA_ARGS__), \
                     "STATICTRAMP_BIND: the type of the callee does not match the list: the callee must have the default " \
                     "calling convention (not ms_abi), return the first listed type, and take a pointer to the context and " \
                     "the other listed types (cast a context of type void *, or a null pointer, to the type of the callee's " \
                     "first parameter)"); \
      static const statictramp_type statictramp_types_[] = { \
        {STATICTRAMP_RESULT_KIND_(STATICTRAMP_FIRST_(__VA_ARGS__, 0)), NULL} STATICTRAMP_EACH_(STATICTRAMP_TYPE_, __VA_ARGS__)}; \
      statictramp_types_; }), STATICTRAMP_COUNT_(__VA_ARGS__)))

/* Compiler options can change the format of long double, either to that of double or to one that the library does not
   support. The kind is 0 for types that the macro does not support. */
#if defined __LDBL_MANT_DIG__ && __LDBL_MANT_DIG__ == __DBL_MANT_DIG__
#define STATICTRAMP_KIND_LDBL_ STATICTRAMP_KIND_DOUBLE
#define STATICTRAMP_KIND_CLDBL_ STATICTRAMP_KIND_COMPLEX_DOUBLE
#elif (defined __i386__ && __SIZEOF_LONG_DOUBLE__ != 12) || (defined __x86_64__ && __LDBL_MANT_DIG__ != 64)
#define STATICTRAMP_KIND_LDBL_ 0
#define STATICTRAMP_KIND_CLDBL_ 0
#else
#define STATICTRAMP_KIND_LDBL_ STATICTRAMP_KIND_LONG_DOUBLE
#define STATICTRAMP_KIND_CLDBL_ STATICTRAMP_KIND_COMPLEX_LONG_DOUBLE
#endif
#ifdef __CHAR_UNSIGNED__
#define STATICTRAMP_KIND_CHAR_ STATICTRAMP_KIND_UINT8
#else
#define STATICTRAMP_KIND_CHAR_ STATICTRAMP_KIND_INT8
#endif
#if __SIZEOF_LONG__ == 8
#define STATICTRAMP_KIND_LONG_ STATICTRAMP_KIND_INT64
#else
#define STATICTRAMP_KIND_LONG_ STATICTRAMP_KIND_INT32
#endif
#ifdef __SIZEOF_INT128__
__extension__ typedef __int128 statictramp_int128_;
__extension__ typedef unsigned __int128 statictramp_uint128_;
#define STATICTRAMP_INT128_ statictramp_int128_: STATICTRAMP_KIND_INT128, statictramp_uint128_: STATICTRAMP_KIND_INT128,
#else
#define STATICTRAMP_INT128_
#endif
/* On AArch64 and Arm, a va_list is a struct that is passed like a pointer: on AArch64 by the address of a copy, and on Arm in
   one word. Elsewhere, it is either a pointer or an array (which is passed as a pointer). */
#if defined __aarch64__ || defined __arm__
#define STATICTRAMP_VA_LIST_ __builtin_va_list: STATICTRAMP_KIND_POINTER,
#else
#define STATICTRAMP_VA_LIST_
#endif
/* clang passes atomic complex numbers differently from other complex numbers. Both definitions compile only if T is a type, not a
   value. */
#if defined __clang__ && !defined __STDC_NO_ATOMICS__
#define STATICTRAMP_IS_ATOMIC_COMPLEX_(T) \
  _Generic((void (*)(T))0, void (*)(_Atomic(float _Complex)): 1, void (*)(_Atomic(double _Complex)): 1, \
           void (*)(_Atomic(long double _Complex)): 1, default: 0)
#else
#define STATICTRAMP_IS_ATOMIC_COMPLEX_(T) (0 * sizeof(void (*)(T)))
#endif
/* The maximum number of parameters, each in one integer register, for which statictramp_bind_first can always insert the
   context. */
#if defined __riscv && !defined __riscv_abi_rve
#define STATICTRAMP_COUNTED_ 7
#else
#define STATICTRAMP_COUNTED_ 3
#endif

/* An lvalue of type T (int if T is void), which is never evaluated. */
#define STATICTRAMP_OBJECT_(T) (*_Generic((__typeof__(T) *)0, void *: (int *)0, default: (__typeof__(T) *)0))
#define STATICTRAMP_IS_A_POINTER_(value) (__builtin_classify_type(value) == __builtin_classify_type((void *)0))
#define STATICTRAMP_KIND_OF_(value, more) \
  _Generic((value), _Bool: STATICTRAMP_KIND_UINT8, char: STATICTRAMP_KIND_CHAR_, signed char: STATICTRAMP_KIND_INT8, \
           unsigned char: STATICTRAMP_KIND_UINT8, short: STATICTRAMP_KIND_INT16, unsigned short: STATICTRAMP_KIND_UINT16, \
           int: STATICTRAMP_KIND_INT32, unsigned: STATICTRAMP_KIND_UINT32, long: STATICTRAMP_KIND_LONG_, \
           unsigned long: STATICTRAMP_KIND_LONG_ + 1, long long: STATICTRAMP_KIND_INT64, \
           unsigned long long: STATICTRAMP_KIND_UINT64, float: STATICTRAMP_KIND_FLOAT, double: STATICTRAMP_KIND_DOUBLE, \
           long double: STATICTRAMP_KIND_LDBL_, float _Complex: STATICTRAMP_KIND_COMPLEX_FLOAT, \
           double _Complex: STATICTRAMP_KIND_COMPLEX_DOUBLE, long double _Complex: STATICTRAMP_KIND_CLDBL_, \
           STATICTRAMP_INT128_ more default: STATICTRAMP_IS_A_POINTER_(value) ? STATICTRAMP_KIND_POINTER : 0)
#define STATICTRAMP_PARAMETER_KIND_(T) \
  (STATICTRAMP_IS_ATOMIC_COMPLEX_(T) ? 0u : (unsigned)STATICTRAMP_KIND_OF_(STATICTRAMP_OBJECT_(T), STATICTRAMP_VA_LIST_))
/* The kind of a result type, which is 0 for void. */
#define STATICTRAMP_RESULT_KIND_(T) \
  (_Generic((__typeof__(T) *)0, void *: 1, default: STATICTRAMP_IS_ATOMIC_COMPLEX_(T)) ? 0u : (unsigned)STATICTRAMP_KIND_OF_(STATICTRAMP_OBJECT_(T), ))
#define STATICTRAMP_TYPE_(T) , {STATICTRAMP_PARAMETER_KIND_(T), NULL}

/* Whether the result takes at most 8 bytes, and each parameter takes exactly one register, as pointers and integers of at
   most one word do. */
#define STATICTRAMP_IS_WORD_(kind) \
  ((kind) <= (sizeof(void *) == 8 ? STATICTRAMP_KIND_UINT64 : STATICTRAMP_KIND_UINT32) || (kind) == STATICTRAMP_KIND_POINTER)
#define STATICTRAMP_IS_SMALL_(kind) ((kind) <= STATICTRAMP_KIND_DOUBLE && (kind) != STATICTRAMP_KIND_INT128)
#define STATICTRAMP_AND_IS_WORD_(T) && STATICTRAMP_IS_WORD_(STATICTRAMP_PARAMETER_KIND_(T))
#define STATICTRAMP_IS_SIMPLE_(...) \
  (STATICTRAMP_COUNT_(__VA_ARGS__) <= STATICTRAMP_COUNTED_ && \
   STATICTRAMP_IS_SMALL_(STATICTRAMP_RESULT_KIND_(STATICTRAMP_FIRST_(__VA_ARGS__, 0))) \
   STATICTRAMP_EACH_(STATICTRAMP_AND_IS_WORD_, __VA_ARGS__))

#if __STDC_VERSION__ >= 202311L || (__STDC_VERSION__ > 201710L && __GNUC__ >= 13)
#define STATICTRAMP_OR_NULLPTR_(context) || __builtin_types_compatible_p(__typeof__(context), __typeof__(nullptr))
#else
#define STATICTRAMP_OR_NULLPTR_(context)
#endif
/* Whether `context` is a pointer or a null pointer constant. */
#define STATICTRAMP_IS_POINTER_(context) \
  (_Generic(1 ? (void *)(__INTPTR_TYPE__)STATICTRAMP_VALUE_(context) : (int *)0, \
            int *: 1, default: 0) STATICTRAMP_OR_NULLPTR_(context))
/* The context if it is an integer, 0 if it is a pointer, and 1 otherwise. */
#define STATICTRAMP_VALUE_(context) \
  __builtin_choose_expr(__builtin_classify_type(context) == __builtin_classify_type(0), (context), !STATICTRAMP_IS_A_POINTER_(context))
/* Whether the context is a pointer to a function. The test relies on the rule that a parameter of function type is
   adjusted to a pointer to that type. */
#define STATICTRAMP_IS_FUNCTION_ \
  _Generic((void (*)(__typeof__(*_Generic((statictramp_context_)0, void *: (int *)0, const void *: (int *)0, \
                                          volatile void *: (int *)0, const volatile void *: (int *)0, \
                                          default: (statictramp_context_)0))))0, \
           void (*)(statictramp_context_): 1, default: 0)
/* R without its qualifiers or, if R is an array or function type, the pointer type that it decays to. */
#define STATICTRAMP_UNQUALIFIED_(R) \
  __typeof__(*_Generic((__typeof__(R) *)0, void *: (void *)0, default: (__typeof__(((void)0, STATICTRAMP_OBJECT_(R))) *)0))
/* The type of a pointer to a function that takes a value of type C before the listed parameters, and returns an R. */
#define STATICTRAMP_FUNCTION_(R, C, ...) __typeof__(R (*)(C STATICTRAMP_EACH_(STATICTRAMP_AND_TYPE_, __VA_ARGS__)))
#define STATICTRAMP_AND_TYPE_(T) , __typeof__(STATICTRAMP_OBJECT_(T))
/* Whether the callee takes a pointer of type C before the listed parameters. In clang, function types whose results
   differ only in qualifiers are different types. */
#ifdef __clang__
#define STATICTRAMP_TAKES_(C, ...) \
  _Generic((statictramp_callee_)0, STATICTRAMP_FUNCTION_(statictramp_result_, C, __VA_ARGS__): 1, \
           STATICTRAMP_FUNCTION_(__typeof__(const statictramp_result_), C, __VA_ARGS__): 1, default: 0)
#else
#define STATICTRAMP_TAKES_(C, ...) \
  _Generic((statictramp_callee_)0, STATICTRAMP_FUNCTION_(statictramp_result_, C, __VA_ARGS__): 1, default: 0)
#endif
/* Whether the callee takes a pointer to the context's type or to void, with at least the same qualifiers. */
#define STATICTRAMP_MATCHES_(...) \
  (STATICTRAMP_TAKES_(statictramp_context_, __VA_ARGS__) || \
   STATICTRAMP_TAKES_(const __typeof__(*(statictramp_context_)0) *, __VA_ARGS__) || \
   STATICTRAMP_TAKES_(volatile __typeof__(*(statictramp_context_)0) *, __VA_ARGS__) || \
   STATICTRAMP_TAKES_(const volatile __typeof__(*(statictramp_context_)0) *, __VA_ARGS__) || \
   (STATICTRAMP_TAKES_(void *, __VA_ARGS__) && !STATICTRAMP_POINTS_TO_(const) && !STATICTRAMP_POINTS_TO_(volatile)) || \
   (STATICTRAMP_TAKES_(const void *, __VA_ARGS__) && !STATICTRAMP_POINTS_TO_(volatile)) || \
   (STATICTRAMP_TAKES_(volatile void *, __VA_ARGS__) && !STATICTRAMP_POINTS_TO_(const)) || \
   STATICTRAMP_TAKES_(const volatile void *, __VA_ARGS__))
/* Whether the context points to a type that has the qualifier. */
#define STATICTRAMP_POINTS_TO_(qualifier) \
  _Generic((statictramp_context_)0, qualifier __typeof__(*(statictramp_context_)0) *: 1, default: 0)

#define STATICTRAMP_CHECK_LIST_(R, ...) \
  _Static_assert(_Generic((__typeof__(R) *)0, void *: 1, default: STATICTRAMP_RESULT_KIND_(R)), \
                 "STATICTRAMP_BIND: the result is not void, an arithmetic type, an enumeration or a pointer: use statictramp_bind_types"); \
  STATICTRAMP_CHECK_ALIGNMENT_(R) \
  STATICTRAMP_EACH_(STATICTRAMP_CHECK_PARAMETER_, __VA_ARGS__)
#define STATICTRAMP_CHECK_PARAMETER_(T) \
  _Static_assert(_Generic((__typeof__(T) *)0, void *: 0, default: 1), \
                 "STATICTRAMP_BIND: a parameter has the type void: the first listed type is that of the result, and no parameters need no types"); \
  _Static_assert(STATICTRAMP_PARAMETER_KIND_(T), \
                 "STATICTRAMP_BIND: a parameter is not an arithmetic type, an enumeration, a pointer or a va_list: use statictramp_bind_types"); \
  STATICTRAMP_CHECK_ALIGNMENT_(T)
/* Some processors pass an over-aligned scalar differently. An array or a function is passed as a pointer. */
#define STATICTRAMP_CHECK_ALIGNMENT_(T) \
  _Static_assert(_Alignof(STATICTRAMP_SCALAR_(T)) <= sizeof(STATICTRAMP_SCALAR_(T)), \
                 "STATICTRAMP_BIND: a listed type has a larger alignment than its size");
/* The type T, or char if T is void, an array or a function. */
#define STATICTRAMP_SCALAR_(T) \
  __typeof__(*__builtin_choose_expr(__builtin_types_compatible_p(__typeof__(STATICTRAMP_OBJECT_(T)), STATICTRAMP_UNQUALIFIED_(T)), \
                                    (__typeof__(STATICTRAMP_OBJECT_(T)) *)0, (char *)0))
static inline statictramp_fn statictramp_bind_listed_(statictramp_fn callee, __UINTPTR_TYPE__ context,
                                                      const statictramp_type *types, size_t count)
{
  return statictramp_bind_types(callee, (void *)context, types->kind ? types : NULL, types + 1, count);
}
static inline statictramp_fn statictramp_bind_counted_(statictramp_fn callee, __UINTPTR_TYPE__ context,
                                                       const statictramp_type *types, size_t count)
{
  (void)types;
  return statictramp_bind_first(callee, (void *)context, (unsigned)count);
}

/* STATICTRAMP_EACH_(M, result type, parameter types...) applies the macro M to each parameter type. */
#define STATICTRAMP_EACH_(M, ...) STATICTRAMP_LIST_(__VA_ARGS__)(M, __VA_ARGS__)
#define STATICTRAMP_FIRST_(R, ...) R
#define STATICTRAMP_TOO_MANY_(M, ...)
#define STATICTRAMP_LIST_(...) STATICTRAMP_PICK_(__VA_ARGS__, \
  STATICTRAMP_TOO_MANY_, STATICTRAMP_TOO_MANY_, STATICTRAMP_TOO_MANY_, STATICTRAMP_TOO_MANY_, STATICTRAMP_TOO_MANY_, \
  STATICTRAMP_TOO_MANY_, STATICTRAMP_TOO_MANY_, STATICTRAMP_TOO_MANY_, STATICTRAMP_TOO_MANY_, STATICTRAMP_TOO_MANY_, \
  STATICTRAMP_TOO_MANY_, STATICTRAMP_TOO_MANY_, STATICTRAMP_TOO_MANY_, STATICTRAMP_TOO_MANY_, STATICTRAMP_TOO_MANY_, \
  STATICTRAMP_TOO_MANY_, STATICTRAMP_LIST_64_, STATICTRAMP_LIST_63_, STATICTRAMP_LIST_62_, STATICTRAMP_LIST_61_, \
  STATICTRAMP_LIST_60_, STATICTRAMP_LIST_59_, STATICTRAMP_LIST_58_, STATICTRAMP_LIST_57_, STATICTRAMP_LIST_56_, \
  STATICTRAMP_LIST_55_, STATICTRAMP_LIST_54_, STATICTRAMP_LIST_53_, STATICTRAMP_LIST_52_, STATICTRAMP_LIST_51_, \
  STATICTRAMP_LIST_50_, STATICTRAMP_LIST_49_, STATICTRAMP_LIST_48_, STATICTRAMP_LIST_47_, STATICTRAMP_LIST_46_, \
  STATICTRAMP_LIST_45_, STATICTRAMP_LIST_44_, STATICTRAMP_LIST_43_, STATICTRAMP_LIST_42_, STATICTRAMP_LIST_41_, \
  STATICTRAMP_LIST_40_, STATICTRAMP_LIST_39_, STATICTRAMP_LIST_38_, STATICTRAMP_LIST_37_, STATICTRAMP_LIST_36_, \
  STATICTRAMP_LIST_35_, STATICTRAMP_LIST_34_, STATICTRAMP_LIST_33_, STATICTRAMP_LIST_32_, STATICTRAMP_LIST_31_, \
  STATICTRAMP_LIST_30_, STATICTRAMP_LIST_29_, STATICTRAMP_LIST_28_, STATICTRAMP_LIST_27_, STATICTRAMP_LIST_26_, \
  STATICTRAMP_LIST_25_, STATICTRAMP_LIST_24_, STATICTRAMP_LIST_23_, STATICTRAMP_LIST_22_, STATICTRAMP_LIST_21_, \
  STATICTRAMP_LIST_20_, STATICTRAMP_LIST_19_, STATICTRAMP_LIST_18_, STATICTRAMP_LIST_17_, STATICTRAMP_LIST_16_, \
  STATICTRAMP_LIST_15_, STATICTRAMP_LIST_14_, STATICTRAMP_LIST_13_, STATICTRAMP_LIST_12_, STATICTRAMP_LIST_11_, \
  STATICTRAMP_LIST_10_, STATICTRAMP_LIST_9_, STATICTRAMP_LIST_8_, STATICTRAMP_LIST_7_, STATICTRAMP_LIST_6_, \
  STATICTRAMP_LIST_5_, STATICTRAMP_LIST_4_, STATICTRAMP_LIST_3_, STATICTRAMP_LIST_2_, STATICTRAMP_LIST_1_, \
  STATICTRAMP_LIST_0_, 0)
#define STATICTRAMP_COUNT_(...) STATICTRAMP_PICK_(__VA_ARGS__, \
  65, 65, 65, 65, 65, 65, 65, 65, 65, 65, 65, 65, 65, 65, 65, 65, 64, 63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, \
  51, 50, 49, 48, 47, 46, 45, 44, 43, 42, 41, 40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, \
  22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0)
#define STATICTRAMP_PICK_(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23, a24, \
  a25, a26, a27, a28, a29, a30, a31, a32, a33, a34, a35, a36, a37, a38, a39, a40, a41, a42, a43, a44, a45, a46, a47, \
  a48, a49, a50, a51, a52, a53, a54, a55, a56, a57, a58, a59, a60, a61, a62, a63, a64, a65, a66, a67, a68, a69, a70, \
  a71, a72, a73, a74, a75, a76, a77, a78, a79, a80, chosen, ...) chosen
#define STATICTRAMP_LIST_0_(M, R)
#define STATICTRAMP_LIST_1_(M, R, T) M(T)
#define STATICTRAMP_LIST_2_(M, R, T, ...) M(T) STATICTRAMP_LIST_1_(M, R, __VA_ARGS__)
#define STATICTRAMP_LIST_3_(M, R, T, ...) M(T) STATICTRAMP_LIST_2_(M, R, __VA_ARGS__)
#define STATICTRAMP_LIST_4_(M, R, T, ...) M(T) STATICTRAMP_LIST_3_(M, R, __VA_ARGS__)
#define STATICTRAMP_LIST_5_(M, R, T, ...) M(T) STATICTRAMP_LIST_4_(M, R, __VA_ARGS__)
#define STATICTRAMP_LIST_6_(M, R, T, ...) M(T) STATICTRAMP_LIST_5_(M, R, __VA_ARGS__)
#define STATICTRAMP_LIST_7_(M, R, T, ...) M(T) STATICTRAMP_LIST_6_(M, R, __VA_ARGS__)
#define STATICTRAMP_LIST_8_(M, R, T, ...) M(T) STATICTRAMP_LIST_7_(M, R, __VA_ARGS__)
#define STATICTRAMP_LIST_9_(M, R, T, ...) M(T) STATICTRAMP_LIST_8_(M, R, __VA_ARGS__)
#define STATICTRAMP_LIST_10_(M, R, T, ...) M(T) STATICTRAMP_LIST_9_(M, R, __VA_ARGS__)
#define STATICTRAMP_LIST_11_(M, R, T, ...) M(T) STATICTRAMP_LIST_10_(M, R, __VA_ARGS__)
#define STATICTRAMP_LIST_12_(M, R, T, ...) M(T) STATICTRAMP_LIST_11_(M, R, __VA_ARGS__)
#define STATICTRAMP_LIST_13_(M, R, T, ...) M(T) STATICTRAMP_LIST_12_(M, R, __VA_ARGS__)
#define STATICTRAMP_LIST_14_(M, R, T, ...) M(T) STATICTRAMP_LIST_13_(M, R, __VA_ARGS__)
#define STATICTRAMP_LIST_15_(M, R, T, ...) M(T) STATICTRAMP_LIST_14_(M, R, __VA_ARGS__)
#define STATICTRAMP_LIST_16_(M, R, T, ...) M(T) STATICTRAMP_LIST_15_(M, R, __VA_ARGS__)
#define STATICTRAMP_LIST_17_(M, R, T, ...) M(T) STATICTRAMP_LIST_16_(M, R, __VA_ARGS__)
#define STATICTRAMP_LIST_18_(M, R, T, ...) M(T) STATICTRAMP_LIST_17_(M, R, __VA_ARGS__)
#define STATICTRAMP_LIST_19_(M, R, T, ...) M(T) STATICTRAMP_LIST_18_(M, R, __VA_ARGS__)
#define STATICTRAMP_LIST_20_(M, R, T, ...) M(T) STATICTRAMP_LIST_19_(M, R, __VA_ARGS__)
#define STATICTRAMP_LIST_21_(M, R, T, ...) M(T) STATICTRAMP_LIST_20_(M, R, __VA_ARGS__)
#define STATICTRAMP_LIST_22_(M, R, T, ...) M(T) STATICTRAMP_LIST_21_(M, R, __VA_ARGS__)
#define STATICTRAMP_LIST_23_(M, R, T, ...) M(T) STATICTRAMP_LIST_22_(M, R, __VA_ARGS__)
#define STATICTRAMP_LIST_24_(M, R, T, ...) M(T) STATICTRAMP_LIST_23_(M, R, __VA_ARGS__)
#define STATICTRAMP_LIST_25_(M, R, T, ...) M(T) STATICTRAMP_LIST_24_(M, R, __VA_ARGS__)
#define STATICTRAMP_LIST_26_(M, R, T, ...) M(T) STATICTRAMP_LIST_25_(M, R, __VA_ARGS__)
#define STATICTRAMP_LIST_27_(M, R, T, ...) M(T) STATICTRAMP_LIST_26_(M, R, __VA_ARGS__)
#define STATICTRAMP_LIST_28_(M, R, T, ...) M(T) STATICTRAMP_LIST_27_(M, R, __VA_ARGS__)
#define STATICTRAMP_LIST_29_(M, R, T, ...) M(T) STATICTRAMP_LIST_28_(M, R, __VA_ARGS__)
#define STATICTRAMP_LIST_30_(M, R, T, ...) M(T) STATICTRAMP_LIST_29_(M, R, __VA_ARGS__)
#define STATICTRAMP_LIST_31_(M, R, T, ...) M(T) STATICTRAMP_LIST_30_(M, R, __VA_ARGS__)
#define STATICTRAMP_LIST_32_(M, R, T, ...) M(T) STATICTRAMP_LIST_31_(M, R, __VA_ARGS__)
#define STATICTRAMP_LIST_33_(M, R, T, ...) M(T) STATICTRAMP_LIST_32_(M, R, __VA_ARGS__)
#define STATICTRAMP_LIST_34_(M, R, T, ...) M(T) STATICTRAMP_LIST_33_(M, R, __VA_ARGS__)
#define STATICTRAMP_LIST_35_(M, R, T, ...) M(T) STATICTRAMP_LIST_34_(M, R, __VA_ARGS__)
#define STATICTRAMP_LIST_36_(M, R, T, ...) M(T) STATICTRAMP_LIST_35_(M, R, __VA_ARGS__)
#define STATICTRAMP_LIST_37_(M, R, T, ...) M(T) STATICTRAMP_LIST_36_(M, R, __VA_ARGS__)
#define STATICTRAMP_LIST_38_(M, R, T, ...) M(T) STATICTRAMP_LIST_37_(M, R, __VA_ARGS__)
#define STATICTRAMP_LIST_39_(M, R, T, ...) M(T) STATICTRAMP_LIST_38_(M, R, __VA_ARGS__)
#define STATICTRAMP_LIST_40_(M, R, T, ...) M(T) STATICTRAMP_LIST_39_(M, R, __VA_ARGS__)
#define STATICTRAMP_LIST_41_(M, R, T, ...) M(T) STATICTRAMP_LIST_40_(M, R, __VA_ARGS__)
#define STATICTRAMP_LIST_42_(M, R, T, ...) M(T) STATICTRAMP_LIST_41_(M, R, __VA_ARGS__)
#define STATICTRAMP_LIST_43_(M, R, T, ...) M(T) STATICTRAMP_LIST_42_(M, R, __VA_ARGS__)
#define STATICTRAMP_LIST_44_(M, R, T, ...) M(T) STATICTRAMP_LIST_43_(M, R, __VA_ARGS__)
#define STATICTRAMP_LIST_45_(M, R, T, ...) M(T) STATICTRAMP_LIST_44_(M, R, __VA_ARGS__)
#define STATICTRAMP_LIST_46_(M, R, T, ...) M(T) STATICTRAMP_LIST_45_(M, R, __VA_ARGS__)
#define STATICTRAMP_LIST_47_(M, R, T, ...) M(T) STATICTRAMP_LIST_46_(M, R, __VA_ARGS__)
#define STATICTRAMP_LIST_48_(M, R, T, ...) M(T) STATICTRAMP_LIST_47_(M, R, __VA_ARGS__)
#define STATICTRAMP_LIST_49_(M, R, T, ...) M(T) STATICTRAMP_LIST_48_(M, R, __VA_ARGS__)
#define STATICTRAMP_LIST_50_(M, R, T, ...) M(T) STATICTRAMP_LIST_49_(M, R, __VA_ARGS__)
#define STATICTRAMP_LIST_51_(M, R, T, ...) M(T) STATICTRAMP_LIST_50_(M, R, __VA_ARGS__)
#define STATICTRAMP_LIST_52_(M, R, T, ...) M(T) STATICTRAMP_LIST_51_(M, R, __VA_ARGS__)
#define STATICTRAMP_LIST_53_(M, R, T, ...) M(T) STATICTRAMP_LIST_52_(M, R, __VA_ARGS__)
#define STATICTRAMP_LIST_54_(M, R, T, ...) M(T) STATICTRAMP_LIST_53_(M, R, __VA_ARGS__)
#define STATICTRAMP_LIST_55_(M, R, T, ...) M(T) STATICTRAMP_LIST_54_(M, R, __VA_ARGS__)
#define STATICTRAMP_LIST_56_(M, R, T, ...) M(T) STATICTRAMP_LIST_55_(M, R, __VA_ARGS__)
#define STATICTRAMP_LIST_57_(M, R, T, ...) M(T) STATICTRAMP_LIST_56_(M, R, __VA_ARGS__)
#define STATICTRAMP_LIST_58_(M, R, T, ...) M(T) STATICTRAMP_LIST_57_(M, R, __VA_ARGS__)
#define STATICTRAMP_LIST_59_(M, R, T, ...) M(T) STATICTRAMP_LIST_58_(M, R, __VA_ARGS__)
#define STATICTRAMP_LIST_60_(M, R, T, ...) M(T) STATICTRAMP_LIST_59_(M, R, __VA_ARGS__)
#define STATICTRAMP_LIST_61_(M, R, T, ...) M(T) STATICTRAMP_LIST_60_(M, R, __VA_ARGS__)
#define STATICTRAMP_LIST_62_(M, R, T, ...) M(T) STATICTRAMP_LIST_61_(M, R, __VA_ARGS__)
#define STATICTRAMP_LIST_63_(M, R, T, ...) M(T) STATICTRAMP_LIST_62_(M, R, __VA_ARGS__)
#define STATICTRAMP_LIST_64_(M, R, T, ...) M(T) STATICTRAMP_LIST_63_(M, R, __VA_ARGS__)
#endif
#endif
