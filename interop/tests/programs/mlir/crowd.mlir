
// More numbers of each kind than a processor has registers, and six results. HALF and BRAIN are f16 and bf16, or integers.
func.func @CROWD(%f: (f64, f32, f64, f32, f64, f32, f64, f32, f64, f32, i64, i8, complex<f32>, HALF, BRAIN, !v)
    -> (f64, i64, f32, complex<f64>, HALF, BRAIN), %v: !v) -> (f64, i64, f32, complex<f64>, HALF, BRAIN)
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
  %h = arith.constant ONE : HALF
  %g = arith.constant OTHER : BRAIN
  %r:6 = func.call_indirect %f(%d1, %s1, %d2, %s2, %d3, %s3, %d4, %s4, %d5, %s5, %i, %b, %c, %h, %g, %v)
    : (f64, f32, f64, f32, f64, f32, f64, f32, f64, f32, i64, i8, complex<f32>, HALF, BRAIN, !v)
    -> (f64, i64, f32, complex<f64>, HALF, BRAIN)
  return %r#0, %r#1, %r#2, %r#3, %r#4, %r#5 : f64, i64, f32, complex<f64>, HALF, BRAIN
}
