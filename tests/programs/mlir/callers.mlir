// Callers of closures, by functions that come as arguments; tests/legs/mlir.sh puts one of each rank behind these.

!v = memref<?xf32>
!m = memref<?x?xf32, strided<[?, ?], offset: ?>>
!s = memref<f32>

// Most arguments are on the stack; three results, in memory.
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

// Without a rank, both ways. The descriptor that is passed lies on this function's stack.
func.func @unranked(%f: (memref<*xf32>) -> memref<*xf32>, %m: !m) -> !m attributes {llvm.emit_c_interface} {
  %u = memref.cast %m : !m to memref<*xf32>
  %r = func.call_indirect %f(%u) : (memref<*xf32>) -> memref<*xf32>
  %w = memref.cast %r : memref<*xf32> to !m
  return %w : !m
}

// In a loop, each time in a function of its own: its end frees the stack that the descriptor took.
func.func @unranked_loop(%f: (memref<*xf32>) -> memref<*xf32>, %m: !m, %times: index)
    attributes {llvm.emit_c_interface} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %i = %zero to %times step %one {
    func.call @unranked(%f, %m) : ((memref<*xf32>) -> memref<*xf32>, !m) -> !m
  }
  return
}

// f(v, n) + f(v, n - 1) + ... + f(v, 1), and each f may come back here.
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

// More numbers than a processor has registers for, of each kind, and numbers that Rust has none for; six results.
func.func @crowd(%f: (f64, f32, f64, f32, f64, f32, f64, f32, f64, f32, i64, i8, complex<f32>, f16, bf16, !v)
    -> (f64, i64, f32, complex<f64>, f16, bf16), %v: !v) -> (f64, i64, f32, complex<f64>, f16, bf16)
    attributes {llvm.emit_c_interface} {
  %d1 = arith.constant 1.0 : f64
  %d2 = arith.constant 2.0 : f64
  %d3 = arith.constant 3.0 : f64
  %d4 = arith.constant 4.0 : f64
  %d5 = arith.constant 5.0 : f64
  %s1 = arith.constant 0.5 : f32
  %s2 = arith.constant 0.25 : f32
  %s3 = arith.constant 0.125 : f32
  %s4 = arith.constant 0.0625 : f32
  %s5 = arith.constant 0.03125 : f32
  %i = arith.constant -1099511627776 : i64
  %b = arith.constant -7 : i8
  %c = complex.constant [10.0 : f32, -20.0 : f32] : complex<f32>
  %h = arith.constant 1.5 : f16
  %g = arith.constant -3.0 : bf16
  %r:6 = func.call_indirect %f(%d1, %s1, %d2, %s2, %d3, %s3, %d4, %s4, %d5, %s5, %i, %b, %c, %h, %g, %v)
    : (f64, f32, f64, f32, f64, f32, f64, f32, f64, f32, i64, i8, complex<f32>, f16, bf16, !v)
    -> (f64, i64, f32, complex<f64>, f16, bf16)
  return %r#0, %r#1, %r#2, %r#3, %r#4, %r#5 : f64, i64, f32, complex<f64>, f16, bf16
}

// Such numbers as results in registers: 1 if they are what the closures return.
func.func @returned(%f: (f16) -> f16, %g: (bf16) -> bf16, %c: (complex<f32>) -> complex<f32>) -> i64
    attributes {llvm.emit_c_interface} {
  %h = arith.constant 1.5 : f16
  %b = arith.constant -3.0 : bf16
  %z = complex.constant [10.0 : f32, -20.0 : f32] : complex<f32>
  %rh = func.call_indirect %f(%h) : (f16) -> f16
  %rb = func.call_indirect %g(%b) : (bf16) -> bf16
  %rz = func.call_indirect %c(%z) : (complex<f32>) -> complex<f32>
  %re = complex.re %rz : complex<f32>
  %im = complex.im %rz : complex<f32>
  // By their bits: not every processor compares such numbers without help.
  %wh = arith.constant 0xbe00 : i16
  %wb = arith.constant 0x4040 : i16
  %bh = arith.bitcast %rh : f16 to i16
  %bb = arith.bitcast %rb : bf16 to i16
  %wre = arith.constant -20.0 : f32
  %wim = arith.constant 10.0 : f32
  %0 = arith.cmpi eq, %bh, %wh : i16
  %1 = arith.cmpi eq, %bb, %wb : i16
  %2 = arith.cmpf oeq, %re, %wre : f32
  %3 = arith.cmpf oeq, %im, %wim : f32
  %4 = arith.andi %0, %1 : i1
  %5 = arith.andi %2, %3 : i1
  %6 = arith.andi %4, %5 : i1
  %7 = arith.extui %6 : i1 to i64
  return %7 : i64
}

// Elements of such types, and vectors: the closure gets four memrefs and returns the last; its first element is written.
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

// Sizes and a layout in the type, which the code takes for granted: what comes must have them.
func.func @fixed(%f: (memref<2x?xf32, strided<[8, 1], offset: 3>>) -> i64, %m: memref<2x?xf32, strided<[8, 1], offset: 3>>) -> i64
    attributes {llvm.emit_c_interface} {
  %r = func.call_indirect %f(%m) : (memref<2x?xf32, strided<[8, 1], offset: 3>>) -> i64
  return %r : i64
}

// Vectors by value, in registers until there are none left, then on the stack; as results in registers.
func.func @vectors(%f: (vector<4xf32>, f32, vector<2xi64>, i64, f64, vector<16xi8>, vector<8xi16>, vector<2xf64>, vector<8xf16>, f32,
    vector<4xi32>, i8, vector<8xbf16>) -> (vector<4xf32>, f64, vector<2xi64>, i64)) -> (vector<4xf32>, f64, vector<2xi64>, i64)
    attributes {llvm.emit_c_interface} {
  %a = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : vector<4xf32>
  %s = arith.constant 0.5 : f32
  %b = arith.constant dense<[-5, 6]> : vector<2xi64>
  %i = arith.constant 7 : i64
  %d = arith.constant 8.5 : f64
  %c = arith.constant dense<[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, -16]> : vector<16xi8>
  %e = arith.constant dense<[-1, 2, -3, 4, -5, 6, -7, 8]> : vector<8xi16>
  %g = arith.constant dense<[1.25, -2.5]> : vector<2xf64>
  %h = arith.constant dense<1.5> : vector<8xf16>
  %t = arith.constant 0.25 : f32
  %k = arith.constant dense<[10, -20, 30, -40]> : vector<4xi32>
  %y = arith.constant -9 : i8
  %z = arith.constant dense<-3.0> : vector<8xbf16>
  %r:4 = func.call_indirect %f(%a, %s, %b, %i, %d, %c, %e, %g, %h, %t, %k, %y, %z)
    : (vector<4xf32>, f32, vector<2xi64>, i64, f64, vector<16xi8>, vector<8xi16>, vector<2xf64>, vector<8xf16>, f32,
       vector<4xi32>, i8, vector<8xbf16>) -> (vector<4xf32>, f64, vector<2xi64>, i64)
  return %r#0, %r#1, %r#2, %r#3 : vector<4xf32>, f64, vector<2xi64>, i64
}

// Two before a number, which on x86-64 has then no register to be returned in; and four, which have.
func.func @vectors_first(%f: (vector<4xf32>) -> (vector<4xf32>, vector<4xi32>, f32)) -> (vector<4xf32>, vector<4xi32>, f32)
    attributes {llvm.emit_c_interface} {
  %a = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : vector<4xf32>
  %r:3 = func.call_indirect %f(%a) : (vector<4xf32>) -> (vector<4xf32>, vector<4xi32>, f32)
  return %r#0, %r#1, %r#2 : vector<4xf32>, vector<4xi32>, f32
}
func.func @four_vectors(%f: () -> (vector<4xf32>, vector<4xi32>, vector<2xf64>, vector<2xi64>)) -> (vector<4xf32>, vector<4xi32>, vector<2xf64>, vector<2xi64>)
    attributes {llvm.emit_c_interface} {
  %r:4 = func.call_indirect %f() : () -> (vector<4xf32>, vector<4xi32>, vector<2xf64>, vector<2xi64>)
  return %r#0, %r#1, %r#2, %r#3 : vector<4xf32>, vector<4xi32>, vector<2xf64>, vector<2xi64>
}

// Results by the x87 on x86-64, where two registers return such numbers and three those of two bytes.
func.func @four_floats(%f: (f32) -> (f32, f64, f32, f64, i64), %x: f32) -> (f32, f64, f32, f64, i64) attributes {llvm.emit_c_interface} {
  %r:5 = func.call_indirect %f(%x) : (f32) -> (f32, f64, f32, f64, i64)
  return %r#0, %r#1, %r#2, %r#3, %r#4 : f32, f64, f32, f64, i64
}
func.func @halves(%f: (f32) -> (f16, bf16, f16, f32), %x: f32) -> (f16, bf16, f16, f32) attributes {llvm.emit_c_interface} {
  %r:4 = func.call_indirect %f(%x) : (f32) -> (f16, bf16, f16, f32)
  return %r#0, %r#1, %r#2, %r#3 : f16, bf16, f16, f32
}
