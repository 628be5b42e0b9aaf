
// Halves of an f32, and vectors, by value: on x86-64, AArch64 and RISC-V. For other targets LLVM 19 generates no code
// for a bf16, and on PowerPC and s390x LLVM 19 and 22 pass an f16 in different ways.

// Results in registers. Returns 1 if the closures return the right values.
func.func @returned(%f: (f16) -> f16, %g: (bf16) -> bf16) -> i64 attributes {llvm.emit_c_interface} {
  %h = arith.constant 1.5 : f16
  %b = arith.constant -3.0 : bf16
  %rh = func.call_indirect %f(%h) : (f16) -> f16
  %rb = func.call_indirect %g(%b) : (bf16) -> bf16
  // The numbers are compared as bits, because some processors cannot compare such numbers without a library call.
  %wh = arith.constant 0xbe00 : i16
  %wb = arith.constant 0x4040 : i16
  %bh = arith.bitcast %rh : f16 to i16
  %bb = arith.bitcast %rb : bf16 to i16
  %0 = arith.cmpi eq, %bh, %wh : i16
  %1 = arith.cmpi eq, %bb, %wb : i16
  %2 = arith.andi %0, %1 : i1
  %3 = arith.extui %2 : i1 to i64
  return %3 : i64
}

// The results are in the first free registers.
func.func @halves(%f: (f32) -> (f16, bf16, f16, f32), %x: f32) -> (f16, bf16, f16, f32) attributes {llvm.emit_c_interface} {
  %r:4 = func.call_indirect %f(%x) : (f32) -> (f16, bf16, f16, f32)
  return %r#0, %r#1, %r#2, %r#3 : f16, bf16, f16, f32
}

// Vectors by value, in registers until none is left and then on the stack, and as results in registers.
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

// Two results before a number, for which x86-64 then has no result register left, and four, for which it has one.
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
