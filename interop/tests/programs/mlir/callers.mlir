// Callers of closures, which they receive as function arguments. interop/tests/legs/mlir.sh appends callers for each rank.

!v = memref<?xf32>
!m = memref<?x?xf32, strided<[?, ?], offset: ?>>
!s = memref<f32>

// Most arguments are on the stack, and three results are in memory.
func.func @many(%f: (!v, f64, !m, i32, !s, f32, i1) -> (!m, f64, i8), %v: !v, %m: !m, %s: !s) -> (!m, f64, i8)
    attributes {llvm.emit_c_interface} {
  %x = arith.constant 1.5 : f64
  %n = arith.constant -7 : i32
  %y = arith.constant 0.25 : f32
  %b = arith.constant true
  %r:3 = func.call_indirect %f(%v, %x, %m, %n, %s, %y, %b) : (!v, f64, !m, i32, !s, f32, i1) -> (!m, f64, i8)
  return %r#0, %r#1, %r#2 : !m, f64, i8
}

// Results in registers of both kinds.
func.func @pair(%f: (!v, i64) -> (i64, f32), %v: !v, %n: i64) -> (i64, f32) attributes {llvm.emit_c_interface} {
  %r:2 = func.call_indirect %f(%v, %n) : (!v, i64) -> (i64, f32)
  return %r#0, %r#1 : i64, f32
}

// Unranked, as argument and result. The passed descriptor is on this function's stack.
func.func @unranked(%f: (memref<*xf32>) -> memref<*xf32>, %m: !m) -> !m attributes {llvm.emit_c_interface} {
  %u = memref.cast %m : !m to memref<*xf32>
  %r = func.call_indirect %f(%u) : (memref<*xf32>) -> memref<*xf32>
  %w = memref.cast %r : memref<*xf32> to !m
  return %w : !m
}

// The closure is called in a loop, each time in a separate function, whose return frees the stack space of the descriptor.
func.func @unranked_loop(%f: (memref<*xf32>) -> memref<*xf32>, %m: !m, %times: index)
    attributes {llvm.emit_c_interface} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %i = %zero to %times step %one {
    func.call @unranked(%f, %m) : ((memref<*xf32>) -> memref<*xf32>, !m) -> !m
  }
  return
}

// f(v, n) + f(v, n - 1) + ... + f(v, 1). Each f may call back into this code.
func.func @recursive(%f: (!v, i64) -> i64, %v: !v, %n: i64) -> i64 attributes {llvm.emit_c_interface} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %more = arith.cmpi sgt, %n, %zero : i64
  %sum = scf.if %more -> i64 {
    %here = func.call_indirect %f(%v, %n) : (!v, i64) -> i64
    %next = arith.subi %n, %one : i64
    %rest = func.call @recursive(%f, %v, %next) : ((!v, i64) -> i64, !v, i64) -> i64
    %both = arith.addi %here, %rest : i64
    scf.yield %both : i64
  } else {
    scf.yield %zero : i64
  }
  return %sum : i64
}

// Elements of types that Rust does not have, and vectors. The closure gets four memrefs and returns the last one, to whose first
// element this function writes.
func.func @elements(%f: (memref<?xf16>, memref<?xbf16>, memref<?xcomplex<f32>>, memref<?xvector<4xf32>>) -> memref<?xvector<4xf32>>,
    %h: memref<?xf16>, %b: memref<?xbf16>, %c: memref<?xcomplex<f32>>, %v: memref<?xvector<4xf32>>)
    attributes {llvm.emit_c_interface} {
  %r = func.call_indirect %f(%h, %b, %c, %v)
    : (memref<?xf16>, memref<?xbf16>, memref<?xcomplex<f32>>, memref<?xvector<4xf32>>) -> memref<?xvector<4xf32>>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %x = memref.load %r[%one] : memref<?xvector<4xf32>>
  memref.store %x, %r[%zero] : memref<?xvector<4xf32>>
  %g = memref.load %h[%one] : memref<?xf16>
  memref.store %g, %h[%zero] : memref<?xf16>
  return
}

// The type contains sizes and a layout, on which the code relies, so the memrefs that are passed here must have them.
func.func @fixed(%f: (memref<2x?xf32, strided<[8, 1], offset: 3>>) -> i64, %m: memref<2x?xf32, strided<[8, 1], offset: 3>>) -> i64
    attributes {llvm.emit_c_interface} {
  %r = func.call_indirect %f(%m) : (memref<2x?xf32, strided<[8, 1], offset: 3>>) -> i64
  return %r : i64
}

// Results in x87 registers on x86-64, where two registers return such numbers.
func.func @four_floats(%f: (f32) -> (f32, f64, f32, f64, i64), %x: f32) -> (f32, f64, f32, f64, i64) attributes {llvm.emit_c_interface} {
  %r:5 = func.call_indirect %f(%x) : (f32) -> (f32, f64, f32, f64, i64)
  return %r#0, %r#1, %r#2, %r#3, %r#4 : f32, f64, f32, f64, i64
}

// More arguments and results than any processor has registers for.
!fs = (f32, f64, f32, f64, f32, f64, f32, f64, f32, f64, f32, f64, f32, f64, f32, f64) -> (f32, f64, f32, f64, f32, f64, f32, f64)
func.func @sixteen_floats(%f: !fs, %x: f32, %y: f64) -> (f32, f64, f32, f64, f32, f64, f32, f64) attributes {llvm.emit_c_interface} {
  %half = arith.constant 0.5 : f32
  %z = arith.mulf %x, %half : f32
  %r:8 = func.call_indirect %f(%x, %y, %z, %y, %x, %y, %x, %y, %z, %y, %x, %y, %x, %y, %z, %y) : !fs
  return %r#0, %r#1, %r#2, %r#3, %r#4, %r#5, %r#6, %r#7 : f32, f64, f32, f64, f32, f64, f32, f64
}

// Subword values with other bits above them, in registers and on the stack, and as results in registers.
!cut = (i8, i16, i32, i1, i8, i16, i32, i1, i8, i16, i32, i1) -> (i8, i16, i32, i1)
func.func @cut(%f: !cut, %x: i64) -> (i8, i16, i32, i1) attributes {llvm.emit_c_interface} {
  %a = arith.trunci %x : i64 to i8
  %b = arith.trunci %x : i64 to i16
  %c = arith.trunci %x : i64 to i32
  %d = arith.trunci %x : i64 to i1
  %r:4 = func.call_indirect %f(%a, %b, %c, %d, %a, %b, %c, %d, %a, %b, %c, %d) : !cut
  return %r#0, %r#1, %r#2, %r#3 : i8, i16, i32, i1
}

// One subword value as the only result, which is widened here, and a complex number. Returns 1 if the closure returns the right
// value.
func.func @byte(%f: (i64) -> i8, %x: i64) -> i64 attributes {llvm.emit_c_interface} {
  %r = func.call_indirect %f(%x) : (i64) -> i8
  %w = arith.extsi %r : i8 to i64
  return %w : i64
}
func.func @turned(%c: (complex<f32>) -> complex<f32>) -> i64 attributes {llvm.emit_c_interface} {
  %z = complex.constant [10.0 : f32, -20.0 : f32] : complex<f32>
  %rz = func.call_indirect %c(%z) : (complex<f32>) -> complex<f32>
  %re = complex.re %rz : complex<f32>
  %im = complex.im %rz : complex<f32>
  %wre = arith.constant -20.0 : f32
  %wim = arith.constant 10.0 : f32
  %0 = arith.cmpf oeq, %re, %wre : f32
  %1 = arith.cmpf oeq, %im, %wim : f32
  %2 = arith.andi %0, %1 : i1
  %3 = arith.extui %2 : i1 to i64
  return %3 : i64
}
