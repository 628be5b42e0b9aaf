/* statictramp: trampolines that never need executable + writable memory.

   Made from the library's sources by cbindgen; a test keeps the two equal.

   A trampoline is an ordinary function pointer with a context bound to it. Each takes a slot of a table
   (STATICTRAMP_SLOTS when the library is built, 1024 by default), which doubles when it is full. All
   functions may be called from any thread at any time, also in a signal handler; none allocates or waits,
   and none makes a system call but to grow the table. They change errno only where that is said.

   Built for a target without an operating system the library needs no C library. There is no errno then: NULL or
   -1 is the whole answer. The table does not grow, and a call through a freed trampoline goes to the handler that
   statictramp_on_dead_call was given, and ends in a trap. On an Armv6-M the functions mask interrupts for a few
   instructions; a program for several cores defines _critical_section_1_0_acquire and _release itself. */

#ifndef STATICTRAMP_H
#define STATICTRAMP_H

#include <stddef.h>
/* The version of this header: major * 10000 + minor * 100 + patch. */
#define STATICTRAMP_VERSION 100


/*
 A function pointer: cast it to the type of the function before calling it.
 */
typedef void (*statictramp_fn)(void);

/*
 Told of a call through a freed trampoline: the number of its slot ((size_t)-1 if it could not be told)
 and the callee it had (or NULL). It runs on the thread and the stack of the caller. When it returns, the
 process is aborted.
 */
typedef void (*statictramp_dead_call_handler)(size_t slot, statictramp_fn late_callee);

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/*
 Makes a trampoline for an ordinary C function: at each call, integer-argument register `position` is
 overwritten with `context`. Registers are counted from 0, not parameters: floating-point parameters take
 none; a result returned in memory takes the first, for its hidden pointer (not on AArch64); a struct passed
 in registers takes one for each half that is not floating-point. So for `int f(void *context, int x)` the
 position is 0, and the caller's `int (*)(void *, int)` passes anything as first argument.

 Returns NULL and sets errno to EINVAL if callee is NULL or there is no such register (x86-64: 0 to 5,
 AArch64 and RISC-V: 0 to 7, Arm: 0 to 3), to ENOMEM if all slots are in use. For the rest see statictramp_alloc.
 */
statictramp_fn statictramp_bind(statictramp_fn callee,
                                void *context,
                                unsigned int position);

/*
 Makes a trampoline: calling the result enters `callee` with `chain` in the static-chain register (x86-64:
 r10; AArch64: x15 and x18; RISC-V: t2; Arm: r12) and every argument as the caller passed it. This is for callees that
 expect their context there, as compilers make of nested functions; a C function gets its context by
 statictramp_bind.

 Returns NULL and sets errno to EINVAL if callee is NULL, to ENOMEM if all slots are in use and there can be no
 more. The result lives until statictramp_free. A program that calls it later is told so and aborted, until the slot is
 used again; a freed slot serves other callees only when no slot is left that was never used.
 */
statictramp_fn statictramp_alloc(statictramp_fn callee,
                                 void *chain);

/*
 Frees a trampoline made by statictramp_alloc or statictramp_bind. No call through it may be under way or
 come later.

 Returns 0. Returns -1, sets errno to EINVAL and changes nothing if the pointer is NULL, not a
 trampoline of this copy of the library, one that is dead already, or one that was never made. If the
 slot was used again since, a second free ends the new trampoline: that cannot be told. If the pointer is a
 trampoline of another copy of the library, a line on standard error says so besides.
 */
int statictramp_free(statictramp_fn trampoline);

/*
 Looks up any pointer whatever. Returns
   1 if it is a live trampoline: stores its callee and its chain (of a bound one, the context);
   0 if it is a dead one, or one that was never made: stores the callee it had, or NULL, and a NULL chain;
  -1 if it is not a trampoline of this copy of the library: stores nothing.
 `callee` and `chain` may each be NULL: then that is not stored.
 */
int statictramp_lookup(statictramp_fn trampoline, statictramp_fn *callee, void **chain);

/*
 How many trampolines live now, whoever made them. Counted one by one: exact if nobody makes or frees any
 meanwhile.
 */
size_t statictramp_live(void);

/*
 How many trampolines can live at once, now: the static table and what it has grown by. When it is full it
 doubles, as long as the very file that this code was loaded from can be mapped again (Linux: a shared library
 that was deleted or replaced cannot, nor one whose path ends in " (deleted)" or has more than 1,023 bytes, nor
 anything where there is no /proc); what was added stays until the process ends.
 */
size_t statictramp_capacity(void);

/*
 Sets how many slots there may be in all; the table does not shrink. Replaces the variable STATICTRAMP_LIMIT
 of the environment. 1,048,576 are the most.

 The variable is read when the table grows for the first time, unless this was called before. As with every
 getenv, no other thread may change the environment (setenv, putenv) at that moment: a program that does so
 while it has threads calls this first. A program with more rights than who has started it (set-user-ID,
 set-group-ID, file capabilities) does not read it at all.
 */
void statictramp_set_limit(size_t slots);

/*
 Replaces what a call through a freed trampoline does; NULL restores the default: one line on standard
 error, which starts with "statictramp: " and names the slot and the late callee, and abort.
 */
void statictramp_on_dead_call(statictramp_dead_call_handler handler);

/*
 The version of the library, as STATICTRAMP_VERSION is that of the header.
 */
unsigned int statictramp_version(void);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* STATICTRAMP_H */
