//! The registers and instructions of a processor, as defined by its `__processor!` macro. The macro is in the
//! processor's file, or in a `registers.rs` in its directory that is compiled in place of this file.
//! `aarch64/registers.rs` is the reference and explains the instructions; the other processors' files explain only
//! their differences.
//!
//! An *adapter* is code between a stub and its callee. On entry to an adapter, all registers are as the caller left
//! them, except the static-chain register and the stubs' scratch registers. The adapters of libstatictramp
//! (`capi/src/arch/mod.rs`) and of closures over memrefs (`interop/src/memref/closure/mod.rs`) are built from the
//! macro's arms. The macro is exported for these two crates and for tests, but is not part of the public interface and
//! may change in any version.
//!
//! The first word selects the arm. An arm for a list of registers calls MACRO with the remaining words, followed by the
//! registers: `__processor!(arguments [m] a b)` becomes `m! { a b "x0" "x1" ... }`. Most other arms expand to assembler
//! text or to a constant. If a jump has a delay slot, its arm also contains the delay-slot instruction.
//!
//! Processors without memref closures do not define the arms in the second table, except that i386 defines `frame`. For
//! these processors, statictramp-raw defines its own arms.
//!
//! The `cfg_attr(rustfmt, rustfmt::skip)` attribute hides `rustfmt::skip` from the compiler. Otherwise the core could
//! not use the macro by its path, `$crate::__processor!`.
//!
//! | arm, for libstatictramp | |
//! |---|---|
//! | `arguments [MACRO]` | list of the registers that take integer arguments, in order; on i386 the numbers of words on the stack |
//! | `writable_arguments [MACRO]` | list of the registers of `arguments` that an adapter may write to |
//! | `chain [MACRO]` | the register of the static chain, as a one-element list |
//! | `result_takes_first` | whether the address of a result in memory takes the first argument register; otherwise the address has a register of its own |
//! | `thread_variables_below` | whether thread-local variables are below the C library's description of the thread ("variant II" in ELF Handling for Thread-Local Storage); on Linux |
//! | `dynamic_is_read_only` | whether the dynamic section of a program is read-only, so that it has DT_MIPS_RLD_MAP_REL in place of DT_DEBUG; on Linux |
//! | `even_pairs` | whether some arguments begin in an even register |
//! | `begin`, `end` | unwind information and a landing pad around a function's instructions |
//! | `move TO FROM` | copies one argument register to another |
//! | `bind REGISTER` | loads the context from the pair {context, callee} that the static chain points to into an argument register, and jumps to the callee |
//! | `insert CONTEXT {TO FROM}...` | a whole function that moves arguments and binds the context; present only if `begin`, `move`, `bind` and `end`, in this order, do not make such a function |
//! | `caller stack_pointer TO` | puts the caller's stack pointer into an argument register; not for boards |
//! | `caller return_address TO` | puts the return address into an argument register; on 64-bit Linux |
//! | `jump TO` | jumps to a function by its name; used after `caller`, in the function `{me}`; not for boards |
//! | `stack_pointer` | copies the stack pointer to the operand `{}` |
//! | `thread_word SYMBOL WORD` | an `asm!` block that stores the address of the thread-local symbol in the variable WORD; on Linux and Windows; used by `address_of_thread!` in `shared.rs` |
//!
//! | arm, for memrefs on 64-bit Linux, and for raw closures (`raw/src/arch/`) | |
//! |---|---|
//! | `floats [MACRO]` | list of the registers that take floating-point arguments, in order |
//! | `results [MACRO]`, `float_results [MACRO]` | lists of the registers in which LLVM returns a struct of scalars |
//! | `returned_floats` | how many registers of `float_results`, from the first on, can return an `f32` or `f64`, an `f16` or `bf16`, and a vector, respectively |
//! | `returned_together` | maximum number of results in both lists together; if there are more, the results are in memory |
//! | `returned_on_x87` | how many `f32` and `f64` the x87 returns after all registers that can return them are used |
//! | `float_words` | number of 64-bit words in a floating-point register: two if the register can hold a vector, else one |
//! | `floats_go_on_in_integers` | whether floating-point arguments take integer registers if no floating-point register is left |
//! | `floats_pass_over_integers` | whether a floating-point argument in a register leaves an integer register, or a word on the stack, unused |
//! | `positional` | whether every argument takes one position, which is a register of either list or a word on the stack, and a vector is passed by address |
//! | `narrow_floats` | how a register holds a number smaller than 8 bytes: in its low bits (`Low`), in its high bits (`High`), in its low bits with all others set (`Boxed`), or as a double (`AsDouble`) |
//! | `frame`, `leave` | `frame` makes a frame with a block of `{size}` bytes, on i386 without the block; `leave` removes the frame and returns |
//! | `store [AT] REGISTERS...`, `store_float`, `load`, `load_float` | store or load the registers one after the other, starting at an offset in the block |
//! | `load_from BASE [AT] REGISTERS...`, `load_float_from` | load the registers in the same way, relative to BASE, a register that contains the block's address or the stack pointer after `frame` |
//! | `keep_call` | stores the address of the stack arguments at `{stack}` in the block and, if the address of a result in memory has its own register, stores that address at `{hidden}` |
//! | `call` | calls the function `{enter}` with the block's address and the static chain |
//! | `load_x87` | loads the numbers that the x87 returns, which begin at `{x87}`; their count is at `{x87_used}` |
