//! Where there are no closures over memrefs.

/// Nothing that can be called, on a processor whose way to pass MLIR's arguments is not known here.
trait Known {
    const HERE: ();
}

impl<F> Known for F {
    const HERE: () = panic!(
        "statictramp has closures over memrefs for x86-64, AArch64, RISC-V with D, LoongArch, little-endian PowerPC and s390x, on Linux \
         with 64 bits, and not for this target: pass MLIR's code a function of its own form (llvm.emit_c_interface), made by \
         statictramp::bind"
    );
}

/// Does not compile: there are closures over memrefs on x86-64, AArch64, RISC-V with D, LoongArch, little-endian PowerPC and s390x, on Linux
/// with 64 bits. Elsewhere any closure of [`statictramp::bind`] takes memrefs in C's form (`llvm.emit_c_interface`).
pub fn bind<F>(_: &F) -> ! {
    let () = F::HERE;
    loop {
        core::hint::spin_loop()
    }
}
