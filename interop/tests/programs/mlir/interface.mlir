// MLIR code that passes memrefs to C and receives one, through the C interface.

func.func private @looked_at(memref<?x?xf32, strided<[?, ?], offset: ?>>, i64) -> i32 attributes {llvm.emit_c_interface}
func.func private @identity(memref<?x?xf32>) -> i32 attributes {llvm.emit_c_interface}
func.func private @without_rank(memref<?x?xf32>) -> memref<*xf32> attributes {llvm.emit_c_interface}

// A part of a 6x8 matrix: 2 of its rows, every second column, from row 3 and column 1.
func.func @part(%m: memref<?x?xf32>, %len: i64) -> i32 attributes {llvm.emit_c_interface} {
  %part = memref.subview %m[3, 1][2, 3][1, 2] : memref<?x?xf32> to memref<2x3xf32, strided<[?, 2], offset: ?>>
  %cast = memref.cast %part : memref<2x3xf32, strided<[?, 2], offset: ?>> to memref<?x?xf32, strided<[?, ?], offset: ?>>
  %r = func.call @looked_at(%cast, %len) : (memref<?x?xf32, strided<[?, ?], offset: ?>>, i64) -> i32
  return %r : i32
}

func.func @whole(%m: memref<?x?xf32>) -> i32 attributes {llvm.emit_c_interface} {
  %r = func.call @identity(%m) : (memref<?x?xf32>) -> i32
  return %r : i32
}

// Returns an unranked memref, which is read with its rank.
func.func @there_and_back(%m: memref<?x?xf32>, %i: index, %j: index) -> f32 attributes {llvm.emit_c_interface} {
  %u = func.call @without_rank(%m) : (memref<?x?xf32>) -> memref<*xf32>
  %c = memref.cast %u : memref<*xf32> to memref<?x?xf32>
  %r = memref.load %c[%i, %j] : memref<?x?xf32>
  return %r : f32
}
