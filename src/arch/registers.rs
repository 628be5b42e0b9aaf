//! The registers and instructions of a processor, stated once: the macro `__processor!` in its folder's `registers.rs`,
//! which is compiled in place of this file. `aarch64/registers.rs` is the reference and explains the instructions; the
//! others say how they differ. A processor without such a file has no `__processor!`.
//!
//! An *adapter* is code between a stub and its callee. It enters with all registers as the caller left them, except the static
//! chain and the scratch registers of stubs. The adapters of the C library (`capi/src/arch/mod.rs`) and those of closures over
//! memrefs (`interop/src/memref/closure/mod.rs`) are made from the macro. It is exported for these two crates and for tests, and is
//! no part of the public interface: any version may change it.
//!
//! The first word chooses the arm. A list calls the macro MACRO with its registers behind the other words:
//! `__processor!(arguments [m] a b)` becomes `m! { a b "x0" "x1" ... }`. Other arms become text for the assembler or a
//! constant. The instruction in a jump's delay slot belongs to the arm of the jump.
//!
//! | arm, for the C library | |
//! |---|---|
//! | `arguments [MACRO]` | list of the registers that take integer arguments, in order; on i386 the numbers of words on the stack |
//! | `writable_arguments [MACRO]` | those of `arguments` that an adapter may write to |
//! | `chain [MACRO]` | the register of the static chain, as a list of one |
//! | `result_takes_first` | whether the address of a result in memory takes the first of them, or has a register of its own |
//! | `thread_variables_below` | whether thread-local variables are below the C library's description of the thread ("variant II" in ELF Handling for Thread-Local Storage); on Linux |
//! | `dynamic_is_read_only` | whether the dynamic section of a program is read-only, so that it has DT_MIPS_RLD_MAP_REL in place of DT_DEBUG; on Linux |
//! | `even_pairs` | whether some arguments begin in an even register |
//! | `begin`, `end` | unwind information and a landing pad around a function's instructions |
//! | `move TO FROM` | copies an argument's register |
//! | `bind REGISTER` | loads an argument's register from the static chain's pair {context, callee}, and jumps to the callee |
//! | `insert CONTEXT {TO FROM}...` | a whole function that moves arguments and binds the context; only if `begin`, `move`, `bind` and `end` in this order do not make one |
//! | `caller stack_pointer TO` | puts the caller's stack pointer into an argument's register; not for boards |
//! | `caller return_address TO` | puts the return address there; on 64-bit Linux |
//! | `jump TO` | jumps to a function by its name, after `caller`, in the function `{me}`; not for boards |
//! | `stack_pointer` | copies the stack pointer to the operand `{}` |
//! | `thread_word SYMBOL WORD` | an `asm!` that puts the address of a word of the running thread's own into the variable; on Linux and Windows, but for x86-64 Linux |
//!
//! | arm, for memrefs, of 64-bit Linux | |
//! |---|---|
//! | `floats [MACRO]` | list of the registers that take floating-point arguments, in order |
//! | `results [MACRO]`, `float_results [MACRO]` | lists of the registers that LLVM returns a struct of scalars in |
//! | `returned_floats` | how many of the second list, from the first on, return an `f32` or `f64`, an `f16` or `bf16`, a vector |
//! | `returned_together` | how many results there may be in both lists together; more are in memory |
//! | `returned_on_x87` | how many `f32` and `f64` the x87 returns once `float_results` are used up |
//! | `float_words` | 64-bit words in a floating-point register: two where it takes a vector |
//! | `floats_go_on_in_integers` | whether floating-point arguments take integer registers if no floating-point one is left |
//! | `floats_pass_over_integers` | whether a floating-point argument in a register leaves an integer register, or a word of the stack, unused |
//! | `narrow_floats` | how a register holds a number of fewer than 8 bytes: in its `Low` bits, its `High` ones, `Boxed` (low, all others 1) or `AsDouble` |
//! | `frame`, `leave` | makes a frame with a block of `{size}` bytes; leaves it and returns |
//! | `store [AT] REGISTERS...`, `store_float`, `load`, `load_float` | one register after the other, from an offset in the block on |
//! | `keep_call` | stores the address of the stack's arguments at `{stack}` in the block, and the address of a result in memory at `{hidden}` if it has a register of its own |
//! | `call` | calls the function `{enter}` with the block's address and the static chain |
//! | `load_x87` | loads the numbers that the x87 returns, of which there are as many as `{x87_used}` says, from `{x87}` on |
