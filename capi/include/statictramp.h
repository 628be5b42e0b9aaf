/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* statictramp: trampolines that never need executable + writable memory.

   Made from the library's sources by cbindgen; a test keeps the two equal.

   A trampoline is an ordinary function pointer with a context bound to it. Each takes a slot of a table
   (STATICTRAMP_SLOTS when the library is built; 1024 by default, 16 on boards), which doubles when it is full. All
   functions may be called from any thread at any time, also in a signal handler; none waits. None allocates
   or makes a system call, but in two cases: no slot is free, and those of hosts that are gone are looked
   for or the table grows; or statictramp_free looks whether a pointer that it does not know is a
   trampoline of another copy of the library. They change errno only where that is said.

   Built for a target without an operating system the library needs no C library. There is no errno then: NULL or
   -1 is the whole answer. The table does not grow, and a call through a freed trampoline goes to the handler that
   statictramp_on_dead_call was given, and ends in a trap. On an Armv6-M, and on a RISC-V without the extension A, the
   functions mask interrupts for a few instructions; a program for several cores defines
   _critical_section_1_0_acquire and _release itself. */

#ifndef STATICTRAMP_H
#define STATICTRAMP_H

#include <stddef.h>
/* The version of this header: major * 10000 + minor * 100 + patch. */
#define STATICTRAMP_VERSION 100

/* For statictramp_raw_expect: the function is not variadic. */
#define STATICTRAMP_NOT_VARIADIC ((size_t)-1)

#if defined __powerpc__ && defined __LONG_DOUBLE_IEEE128__ && !defined STATICTRAMP_WITHOUT_LONG_DOUBLE
#error "the library's long double is of IBM's format: compile with -mabi=ibmlongdouble, or define STATICTRAMP_WITHOUT_LONG_DOUBLE and pass it none"
#endif


/*
 Added to the `used` of statictramp_bind_first: the result is returned in memory. In general that is a struct of more
 than 16 bytes; the manual page statictramp_registers(3) has the rules for each processor. If its hidden pointer is
 in the first integer register (not on AArch64), or in the first word of the stack (on i386), it stays there, and the
 context comes after it. `used` does not count that register.
 */
#define STATICTRAMP_RESULT_IN_MEMORY 256

/*
 Added to the `used` of statictramp_bind_first: one of the caller's arguments must begin in an even register. The
 manual page statictramp_registers(3) lists these arguments for each processor; there are none on x86-64 and s390x.
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
   Signed or unsigned; not on 32-bit processors.
   */
  STATICTRAMP_KIND_INT128,
  STATICTRAMP_KIND_POINTER,
  STATICTRAMP_KIND_FLOAT,
  STATICTRAMP_KIND_DOUBLE,
  /*
   The compiler's default, without options such as `-mlong-double-64`.
   */
  STATICTRAMP_KIND_LONG_DOUBLE
} statictramp_kind;

/*
 A call of a raw trampoline, as its handler sees it: the caller's arguments, and the result. It ends when the handler
 returns.
 */
typedef struct statictramp_raw_call statictramp_raw_call;

/*
 A function pointer: cast it to the type of the function before calling it.
 */
typedef void (*statictramp_fn)(void);

/*
 Called for a call through a freed trampoline, with the number of its slot ((size_t)-1 if unknown) and its former
 callee (or NULL). It runs on the thread and the stack of the caller. When it returns, the process is aborted.
 */
typedef void (*statictramp_dead_call_handler)(size_t slot, statictramp_fn late_callee);

/*
 The function that a raw trampoline calls. It may call the statictramp_raw_ functions for `call`. A C++ exception or
 a longjmp from it passes through to the caller.
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
 can floating-point numbers beside a zero-sized member (an empty struct, a zero-length array, a flexible array). On
 Windows an empty struct cannot be described, and on s390x a struct of just an array of one floating-point number. A
 complex member is two scalars; a complex number by itself is not always a struct of two: statictramp_bind_raw(3)
 lists the exceptions, and says that on x86-64 the result `long double _Complex` is not supported.
 */
typedef struct {
  /*
   The size as given by sizeof.
   */
  size_t size;
  /*
   The number of leaves; an empty C struct has none.
   */
  size_t count;
  /*
   The scalars.
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
 first argument. For callers without that parameter use statictramp_bind_first.

 Registers are counted from 0, not parameters: in general floating-point parameters take none, a struct passed in
 registers takes one for each half that is not floating-point, and a result returned in memory takes the first, for
 its hidden pointer (not on AArch64). The manual page statictramp_registers(3) has the rules for each processor. A
 register after those of the caller's arguments is allowed: then nothing is lost, and the callee has one parameter
 more than the caller passes. But on i386, where all arguments are on the stack, words of the stack are counted, and
 `position` must be that of a word that the caller passes: any other word is the caller's own memory.

 Returns NULL and sets errno to EINVAL if callee is NULL or the register does not exist, to ENOMEM if all slots are
 in use. For the rest see statictramp_alloc.
 */
statictramp_fn statictramp_bind(statictramp_fn callee,
                                void *context,
                                unsigned int position);

/*
 Gives a live trampoline of statictramp_bind, statictramp_bind_first or statictramp_bind_raw a new context, for
 example if an object moves and its function pointer must remain valid. No call through the trampoline may be in
 progress.

 Returns 0. Returns -1 and sets errno to EINVAL for any other pointer.
 */
int statictramp_rebind(statictramp_fn trampoline,
                       void *context);

/*
 Makes a trampoline for an ordinary C function that has one parameter more than its caller passes: at each call,
 `context` is inserted as the first argument, before the `used` integer registers that the caller's arguments take,
 which move up by one. So for `int f(void *context, int x, double y)` the caller's pointer is `int (*)(int, double)`,
 and `used` is 1.

 Registers are counted, not parameters: in general floating-point parameters take none, as long as floating-point
 registers are left for them; a struct passed in registers takes one for each half that is not floating-point; a
 struct passed as the address of a copy takes one. Arguments on the stack stay there. STATICTRAMP_RESULT_IN_MEMORY
 and STATICTRAMP_EVEN_PAIR must be added if they apply. The manual page statictramp_registers(3) has the rules for
 each processor; on i386 they count words of the stack.

 Returns NULL and sets errno to EINVAL if callee is NULL; if no register is left for the context, because all are
 used, or all except that of a hidden pointer; and if an even pair would move. Sets errno to ENOMEM if all slots are
 in use. For the rest see statictramp_alloc.
 */
statictramp_fn statictramp_bind_first(statictramp_fn callee,
                                      void *context,
                                      unsigned int used);

/*
 Makes a trampoline: calling the result enters `callee` with `chain` in the static-chain register (x86-64: r10;
 AArch64: x15 and x18, on macOS x15 and x16; RISC-V: t2; LoongArch: t8; PowerPC: r11; Arm: r12; s390x: r0; i386: ecx)
 and every argument as the caller passed it. This is for callees that expect their context there, such as compiled
 nested functions; for a C function use statictramp_bind or statictramp_bind_first.

 Returns NULL and sets errno to EINVAL if callee is NULL, to ENOMEM if all slots are in use and the table cannot
 grow. The result is valid until statictramp_free. A later call prints a message and aborts the program, until the
 slot is reused; a freed slot is reused for other callees only when every slot has been used.
 */
statictramp_fn statictramp_alloc(statictramp_fn callee,
                                 void *chain);

/*
 Frees a trampoline that a function of this library's headers has made. No call through it may be in progress, and
 none may follow: a later call prints a line that names the slot and the former callee, and aborts, until the slot is
 reused (statictramp_on_dead_call). A freed slot is reused for other callees only when every slot has been used.

 Returns 0. Returns -1, sets errno to EINVAL and changes nothing if the pointer is NULL, is not a trampoline of this
 copy of the library, or is a trampoline that is already dead or was never made. If the slot has been reused, a
 second free frees the new trampoline, which cannot be detected. If the pointer is a trampoline of another copy of
 the library, a line on standard error says so as well.
 */
int statictramp_free(statictramp_fn trampoline);

/*
 Looks up any pointer.

 Returns
   1 if it is a live trampoline: stores its callee and its chain (for a bound one, the context; for a raw one, the handler as callee);
   0 if it is a dead one, or one that was never made: stores its former callee, or NULL, and a NULL chain;
  -1 if it is not a trampoline of this copy of the library: stores nothing.
 `callee` and `chain` may each be NULL: then that value is not stored.
 */
int statictramp_lookup(statictramp_fn trampoline,
                       statictramp_fn *callee,
                       void **chain);

/*
 The number of live trampolines, whoever made them. They are counted one by one: the result is exact if no thread
 makes or frees any concurrently.
 */
size_t statictramp_live(void);

/*
 The number of trampolines that can currently live at the same time: the static table and the slots by which it has
 grown. When the table is full, it doubles, as long as the file that this code was loaded from can be mapped again
 and still contains the running code. (On Linux that excludes a shared library that was deleted or replaced, one
 whose path ends in " (deleted)" or has more than 1,023 bytes, and every program where there is no /proc.) Added
 slots stay until the process ends.
 */
size_t statictramp_capacity(void);

/*
 Sets the maximum number of slots; the table does not shrink. Replaces the environment variable STATICTRAMP_LIMIT.
 The maximum is 1,048,576. A limit that is raised after the table has reached it leaves out the slots up to where the
 last doubling would have ended; they count towards it.

 The variable is read when the table grows for the first time, unless this was called before. As with every getenv,
 no other thread may change the environment (setenv, putenv) at that moment: a program that does so while it has
 threads must call this first. A set-user-ID program, and one with set-group-ID or file capabilities, does not read
 the variable at all.
 */
void statictramp_set_limit(size_t slots);

/*
 Replaces the default handler for a call through a freed trampoline; NULL restores the default: one line on standard
 error, which starts with "statictramp: " and names the slot and the former callee, and abort.
 */
void statictramp_on_dead_call(statictramp_dead_call_handler handler);

/*
 The version of the running library, in the form of the header's STATICTRAMP_VERSION: major * 10000 + minor * 100 +
 patch.
 */
unsigned int statictramp_version(void);

/*
 Makes a trampoline for functions whose type is known only at run time, as needed by interpreters and FFI modules.
 Whatever the type of the caller's pointer is, a call calls `handler` with `context` and with the call itself, from
 which it takes the arguments in order (statictramp_raw_next, statictramp_raw_next_struct). It sets the result with
 statictramp_raw_return or statictramp_raw_return_struct; otherwise the result is 0 (but a long double on x86-64, any
 floating-point number on i386 and a float on RISC-V must be set). If the result is a struct, or the caller's
 function is variadic, the handler must call statictramp_raw_expect first.

 Returns NULL and sets errno to EINVAL if handler is NULL, to ENOMEM if all slots are in use. For the rest see
 statictramp_alloc. statictramp_lookup stores the handler as callee.
 */
statictramp_fn statictramp_bind_raw(statictramp_raw_handler handler,
                                    void *context);

/*
 Declares special properties of the caller's function, before the first argument is taken: that its result has a
 struct type (NULL: it has not; on s390x a scalar of 16 bytes counts as a struct of just that, and on Windows so does
 a long double), and that `named` of its parameters are named and the others variadic (or STATICTRAMP_NOT_VARIADIC).

 Returns 0; -1 with errno EINVAL if an argument was taken before, or the type cannot be described.
 */
int statictramp_raw_expect(statictramp_raw_call *call,
                           const statictramp_struct *result,
                           size_t named);

/*
 Takes the next argument, of a scalar type, and stores it at `value`.

 Returns 0; -1 with errno EINVAL if the type does not exist on this target. The number of arguments that the caller
 has passed is unknown: there must be one, of this type (for a variadic argument, of the type to which C promotes
 it).
 */
int statictramp_raw_next(statictramp_raw_call *call,
                         unsigned int kind,
                         void *value);

/*
 Takes the next argument, of a struct type, and stores it at `value`. A non-trivial C++ class is passed as a pointer;
 it cannot be a result.

 Returns 0; -1 with errno EINVAL if the type cannot be described. There must be such an argument.
 */
int statictramp_raw_next_struct(statictramp_raw_call *call,
                                const statictramp_struct *of,
                                void *value);

/*
 Sets the result, of a scalar type, from `value`.

 Returns 0; -1 with errno EINVAL if the type does not exist on this target, or if statictramp_raw_expect was required
 and not called: for 16 bytes on s390x and a long double on Windows.
 */
int statictramp_raw_return(statictramp_raw_call *call,
                           unsigned int kind,
                           const void *value);

/*
 Sets the result, of a struct type, from `value`.

 Returns 0; -1 with errno EINVAL if the type cannot be described, or if statictramp_raw_expect was not called for it.
 */
int statictramp_raw_return_struct(statictramp_raw_call *call,
                                  const statictramp_struct *of,
                                  const void *value);

#ifdef __cplusplus
}  /* extern "C" */
#endif  /* __cplusplus */

#endif  /* STATICTRAMP_H */
