/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* statictramp: trampolines that never need executable + writable memory.

   Generated from the library's sources by cbindgen; a test checks that this file is up to date.

   A trampoline is an ordinary function pointer with a context bound to it. Each takes one slot of a table.
   The table begins with STATICTRAMP_SLOTS slots, a number set when the library is built (1024 by default, 16 on boards),
   and doubles when it is full.

   All functions may be called from any thread at any time, even in a signal handler, and none blocks. Memory is
   allocated and system calls are made in two cases only. In the first, no slot is free, so slots of abandoned frames are
   reclaimed or the table grows. In the second, statictramp_free checks whether an unknown pointer is a trampoline of
   another copy of the library. A function changes errno only if its comment says so.

   For a target without an operating system, the library needs no C library. It has no errno: the result is only NULL
   or -1. The table does not grow. A call through a freed trampoline calls the handler set with statictramp_on_dead_call,
   then traps. On Armv6-M, and on RISC-V without the extension A, the functions mask interrupts for a few instructions;
   there a program for several cores must define _critical_section_1_0_acquire and _release itself. */

#ifndef STATICTRAMP_H
#define STATICTRAMP_H

#include <stddef.h>
/* The version of this header: major * 10000 + minor * 100 + patch. */
#define STATICTRAMP_VERSION 100

/* For statictramp_raw_expect: the function is not variadic. */
#define STATICTRAMP_NOT_VARIADIC ((size_t)-1)

#if defined __powerpc__ && defined __LONG_DOUBLE_IEEE128__ && !defined STATICTRAMP_WITHOUT_LONG_DOUBLE
#error "the library's long double has IBM's format: compile with -mabi=ibmlongdouble, or define STATICTRAMP_WITHOUT_LONG_DOUBLE and pass no long double"
#endif


/*
 A flag added to the `used` of statictramp_bind_first: the result is returned in memory. In general this applies to a
 struct of more than 16 bytes; the manual page statictramp_registers(3) states the rules for each processor. If the
 result's hidden pointer is in the first integer register (not on AArch64), or in the first word of the stack (on
 i386), the pointer remains there, and the context comes after it. `used` does not count that register or word.
 */
#define STATICTRAMP_RESULT_IN_MEMORY 256

/*
 A flag added to the `used` of statictramp_bind_first: one of the caller's arguments must begin in an even register.
 The manual page statictramp_registers(3) lists the affected types for each processor; x86-64 and s390x have none.
 */
#define STATICTRAMP_EVEN_PAIR 512

/*
 The scalar types. `bool` is STATICTRAMP_KIND_UINT8, `char` is that or STATICTRAMP_KIND_INT8 depending on CHAR_MIN,
 and an enumeration is the integer that represents it.
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
   A 128-bit integer, signed or unsigned; not on 32-bit processors.
   */
  STATICTRAMP_KIND_INT128,
  STATICTRAMP_KIND_POINTER,
  STATICTRAMP_KIND_FLOAT,
  STATICTRAMP_KIND_DOUBLE,
  /*
   The compiler's default `long double`, without options such as `-mlong-double-64`.
   */
  STATICTRAMP_KIND_LONG_DOUBLE
} statictramp_kind;

/*
 A call to a raw trampoline, as its handler sees it: the caller's arguments, and the result. The object is valid
 until the handler returns.
 */
typedef struct statictramp_raw_call statictramp_raw_call;

/*
 A function pointer. Cast it to the function's type before calling it.
 */
typedef void (*statictramp_fn)(void);

/*
 The handler for a call through a freed trampoline: it receives the number of the trampoline's slot ((size_t)-1 if
 unknown) and its former callee (or NULL). The handler runs on the caller's thread and stack. When the handler
 returns, the process is aborted.
 */
typedef void (*statictramp_dead_call_handler)(size_t slot, statictramp_fn late_callee);

/*
 The function that a raw trampoline calls. It may call the statictramp_raw_ functions for `call`. A C++ exception or
 a longjmp from the handler passes through to the caller.
 */
typedef void (*statictramp_raw_handler)(void *context, statictramp_raw_call *call);

/*
 A scalar within a struct, with its offset as given by offsetof.
 */
typedef struct {
  /*
   Offset in bytes from the beginning of the struct.
   */
  size_t offset;
  /*
   A statictramp_kind.
   */
  unsigned int kind;
} statictramp_leaf;

/*
 A struct type, described by the scalars in it: those of its members, of nested members, and of each array element,
 in the order of their offsets. Unions, vectors, bit-fields, packed and over-aligned structs cannot be described, nor
 can structs with both a floating-point number and a zero-sized member (an empty struct, a zero-length array, a
 flexible array). On Windows an empty struct cannot be described; on s390x, neither can a struct whose only member is
 an array of one floating-point number. A complex member is two scalars. A complex number by itself is not always a
 struct of two: statictramp_bind_raw(3) lists the exceptions. For example, the result `long double _Complex` is not
 supported on x86-64.
 */
typedef struct {
  /*
   The size of the struct as given by sizeof.
   */
  size_t size;
  /*
   The number of leaves; an empty C struct has none.
   */
  size_t count;
  /*
   The scalars in the struct.
   */
  const statictramp_leaf *leaves;
} statictramp_struct;

#ifdef __cplusplus
extern "C" {
#endif /* __cplusplus */

/*
 Makes a trampoline for an ordinary C function: at each call, integer-argument register `position` is overwritten
 with `context`. The caller's argument in that register is lost, so callee and caller have the same parameters: for
 `int f(void *context, int x)` with position 0 the caller's pointer is `int (*)(void *, int)`, and it may pass any
 first argument. If the caller does not have that parameter, use statictramp_bind_first.

 `position` counts registers, from 0; it does not count parameters. Floating-point parameters usually do not count,
 and a struct passed in registers takes one for each half that is not floating-point. A result returned in memory
 takes the first register, for its hidden pointer (not on AArch64). The manual page statictramp_registers(3) states
 the rules for each processor. The register may be one after those that the caller uses: in that case no argument is
 lost, and the callee has one more parameter than the caller passes. But on i386, where all arguments are on the
 stack, words of the stack are counted, and `position` must be that of a word that the caller passes: any other word
 belongs to the caller.

 Returns NULL and sets errno to EINVAL if callee is NULL or the register does not exist, to ENOMEM if all slots are
 in use. For the rest see statictramp_alloc.
 */
statictramp_fn statictramp_bind(statictramp_fn callee,
                                void *context,
                                unsigned int position);

/*
 Gives a live trampoline made by statictramp_bind, statictramp_bind_first or statictramp_bind_raw a new context, for
 example when an object moves and its function pointer must remain valid. No call through the trampoline may be in
 progress.

 Returns 0. Returns -1 and sets errno to EINVAL for any other pointer.
 */
int statictramp_rebind(statictramp_fn trampoline,
                       void *context);

/*
 Makes a trampoline for an ordinary C function that has one more parameter than its caller passes. At each call
 `context` is inserted as the first argument, and the caller's arguments in the `used` integer registers move up by
 one register. So for `int f(void *context, int x, double y)` the caller's pointer is `int (*)(int, double)`, and
 `used` is 1.

 `used` counts registers; it does not count parameters. Floating-point parameters usually do not count, as long as
 floating-point registers remain for them. A struct passed in registers takes one for each half that is not
 floating-point; a struct passed as the address of a copy takes one. Arguments on the stack remain there.
 STATICTRAMP_RESULT_IN_MEMORY and STATICTRAMP_EVEN_PAIR must be added if they apply. The manual page
 statictramp_registers(3) states the rules for each processor; on i386, words of the stack are counted instead.

 Returns NULL and sets errno to EINVAL if callee is NULL, if an even pair would move, or if no register is left for
 the context: all are used, or all except that of a hidden pointer. Sets errno to ENOMEM if all slots are in use. For
 the rest see statictramp_alloc.
 */
statictramp_fn statictramp_bind_first(statictramp_fn callee,
                                      void *context,
                                      unsigned int used);

/*
 Makes a trampoline: calling the result enters `callee` with `chain` in the static-chain register, and with every
 argument as the caller passed it. The register is r10 on x86-64, and x15 and x18 on AArch64 (on macOS x15 and x16);
 the manual page statictramp_registers(3) names it for each processor. Use this for callees that expect their context
 in that register, such as compiled nested functions; for a C function use statictramp_bind or
 statictramp_bind_first.

 Returns NULL and sets errno to EINVAL if callee is NULL, to ENOMEM if all slots are in use and the table cannot
 grow. The result is valid until statictramp_free. A later call prints a message and aborts the program, until the
 slot is reused; a freed slot is reused for other callees only when every slot has been used.
 */
statictramp_fn statictramp_alloc(statictramp_fn callee,
                                 void *chain);

/*
 Frees a trampoline that a function of this library's headers has made. No call through it may be in progress, and
 none may follow: until the slot is reused, a later call prints a line that names the slot and the former callee, and
 aborts (see statictramp_on_dead_call). A freed slot is reused for other callees only when every slot has been used.

 Returns 0. Returns -1, sets errno to EINVAL and changes nothing if the pointer is NULL, is not a trampoline of this
 copy of the library, or is a trampoline that is already dead or was never made. If the slot has been reused, a
 second free frees the new trampoline, which cannot be detected. If the pointer is a trampoline of another copy of
 the library, a line on standard error also reports this.
 */
int statictramp_free(statictramp_fn trampoline);

/*
 Reports whether any given pointer is a trampoline, and what it was made from.

 Returns 1 if the pointer is a live trampoline, and stores its callee and its chain (for a bound one, the context;
 for a raw one, the handler as callee). Returns 0 if the trampoline is dead, or was never made, and stores its former
 callee, or NULL, and a NULL chain. Returns -1 if the pointer is not a trampoline of this copy of the library, and
 stores nothing. `callee` and `chain` may each be NULL, in which case that value is not stored.
 */
int statictramp_lookup(statictramp_fn trampoline,
                       statictramp_fn *callee,
                       void **chain);

/*
 The number of live trampolines, regardless of which code made them. They are counted one by one: the result is exact
 if none is made or freed meanwhile.
 */
size_t statictramp_live(void);

/*
 The number of trampolines that can currently be live at the same time: the slots of the static table and those that
 growth has added. When the table is full, it doubles, as long as the file that this code was loaded from can be
 mapped again and still contains the running code. (On Linux this excludes a shared library that was deleted or
 replaced, one whose path ends in " (deleted)" or has more than 1,023 bytes, and every program on a system without
 /proc.) Added slots remain until the process ends.
 */
size_t statictramp_capacity(void);

/*
 Sets the maximum number of slots; the table does not shrink. Replaces the environment variable STATICTRAMP_LIMIT.
 The maximum is 1,048,576. The last doubling stops at the limit. If the limit is raised afterwards, the slots from
 the old limit to the end of that doubling are skipped, but still count towards the new limit.

 The variable is read when the table grows for the first time, unless this function was called before. No other
 thread may change the environment (setenv, putenv) at that moment, because getenv reads it: a program that changes
 the environment while it has several threads must call this function first. Set-user-ID and set-group-ID programs,
 and programs with file capabilities, do not read the variable at all.
 */
void statictramp_set_limit(size_t slots);

/*
 Sets the handler for calls through freed trampolines, in place of the previous one; NULL restores the default. The
 default handler prints one line on standard error, which starts with "statictramp: " and names the slot and the
 former callee, and aborts.
 */
void statictramp_on_dead_call(statictramp_dead_call_handler handler);

/*
 The version of the running library, in the form of STATICTRAMP_VERSION: major * 10000 + minor * 100 + patch.
 */
unsigned int statictramp_version(void);

/*
 Makes a trampoline for functions whose type is known only at run time, as needed by interpreters and FFI modules.
 The result can be cast to a function pointer of any type. A call to the trampoline calls `handler` with `context`
 and an object for the call, from which the handler takes the arguments in order (statictramp_raw_next,
 statictramp_raw_next_struct). The handler sets the result with statictramp_raw_return or
 statictramp_raw_return_struct; otherwise the result is 0 (but a long double on x86-64, any floating-point number on
 i386 and a float on RISC-V must be set). If the result is a struct, or the caller's function is variadic, the
 handler must call statictramp_raw_expect first.

 Returns NULL and sets errno to EINVAL if handler is NULL, to ENOMEM if all slots are in use. For the rest see
 statictramp_alloc. statictramp_lookup stores the handler as callee.
 */
statictramp_fn statictramp_bind_raw(statictramp_raw_handler handler,
                                    void *context);

/*
 Declares special properties of the function type; must be called before the first argument is taken. The function's
 result has the struct type `result` (NULL: the result is not a struct). The first `named` arguments are named, the
 others variadic (STATICTRAMP_NOT_VARIADIC: all are named). On s390x a scalar of 16 bytes counts as a struct with
 only that member, and on Windows so does a long double.

 Returns 0; -1 with errno EINVAL if an argument has already been taken, or the type cannot be described.
 */
int statictramp_raw_expect(statictramp_raw_call *call,
                           const statictramp_struct *result,
                           size_t named);

/*
 Takes the next argument, of a scalar type, and stores it at `value`.

 Returns 0; -1 with errno EINVAL if the type does not exist on this target. The number of arguments that the caller
 has passed is unknown to the library: a next argument must exist, and have this type (for a variadic argument, the
 type to which C promotes it).
 */
int statictramp_raw_next(statictramp_raw_call *call,
                         unsigned int kind,
                         void *value);

/*
 Takes the next argument, of a struct type, and stores it at `value`. A non-trivial C++ class is passed as a pointer;
 it cannot be a result.

 Returns 0; -1 with errno EINVAL if the type cannot be described. The caller must have passed a next argument of this
 type.
 */
int statictramp_raw_next_struct(statictramp_raw_call *call,
                                const statictramp_struct *of,
                                void *value);

/*
 Sets the result, of a scalar type, from `value`.

 Returns 0; -1 with errno EINVAL if the type does not exist on this target, or if statictramp_raw_expect was not
 called with a struct of only this scalar where it must be: for 16 bytes on s390x and a long double on Windows.
 */
int statictramp_raw_return(statictramp_raw_call *call,
                           unsigned int kind,
                           const void *value);

/*
 Sets the result, of a struct type, from `value`.

 Returns 0; -1 with errno EINVAL if the type cannot be described, or if the result is returned in memory and
 statictramp_raw_expect was not called with its type.
 */
int statictramp_raw_return_struct(statictramp_raw_call *call,
                                  const statictramp_struct *of,
                                  const void *value);

#ifdef __cplusplus
}  /* extern "C" */
#endif  /* __cplusplus */

#endif  /* STATICTRAMP_H */
