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
