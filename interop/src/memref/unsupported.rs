//! The compile-time error for targets without memref closures.

/// A trait that no type implements, because the calling convention for MLIR arguments is not supported on this target.
trait Known {
    const HERE: ();
}

impl<F> Known for F {
    const HERE: () = panic!(
        "statictramp has memref closures for x86-64, AArch64, RISC-V with D, LoongArch, little-endian \
         PowerPC and s390x, all on 64-bit Linux, and for x86-64 Windows, but not for this target: instead, pass MLIR code a function in \
         the form of MLIR's C interface (llvm.emit_c_interface), made with statictramp::bind"
    );
}

/// Causes a compile-time error. Memref closures are available on 64-bit Linux for x86-64, AArch64, RISC-V with
/// the D extension, LoongArch, little-endian PowerPC and s390x, and on x86-64 Windows. On other targets, a closure bound with
/// [`statictramp::bind`] can take memrefs in the C form (`llvm.emit_c_interface`).
pub fn bind<F>(_: &F) -> ! {
    let () = F::HERE;
    loop {
        core::hint::spin_loop()
    }
}
