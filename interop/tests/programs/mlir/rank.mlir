
func.func @rankRANK(%f: (memref<SHAPEf32, strided<[STRIDES], offset: ?>>, i64) -> memref<SHAPEf32, strided<[STRIDES], offset: ?>>,
    %m: memref<SHAPEf32, strided<[STRIDES], offset: ?>>, %n: i64) -> memref<SHAPEf32, strided<[STRIDES], offset: ?>>
    attributes {llvm.emit_c_interface} {
  %r = func.call_indirect %f(%m, %n) : (memref<SHAPEf32, strided<[STRIDES], offset: ?>>, i64)
      -> memref<SHAPEf32, strided<[STRIDES], offset: ?>>
  return %r : memref<SHAPEf32, strided<[STRIDES], offset: ?>>
}

// The closure's operation, in MLIR.
func.func @plainRANK(%m: memref<SHAPEf32, strided<[STRIDES], offset: ?>>, %n: i64)
    -> memref<SHAPEf32, strided<[STRIDES], offset: ?>> {
  %zero = arith.constant 0 : index
  %x = memref.load %m[ZEROES] : memref<SHAPEf32, strided<[STRIDES], offset: ?>>
  %by = arith.sitofp %n : i64 to f32
  %y = arith.mulf %x, %by : f32
  memref.store %y, %m[ZEROES] : memref<SHAPEf32, strided<[STRIDES], offset: ?>>
  return %m : memref<SHAPEf32, strided<[STRIDES], offset: ?>>
}
func.func @plain_addressRANK() -> ((memref<SHAPEf32, strided<[STRIDES], offset: ?>>, i64)
    -> memref<SHAPEf32, strided<[STRIDES], offset: ?>>) {
  %f = func.constant @plainRANK : (memref<SHAPEf32, strided<[STRIDES], offset: ?>>, i64)
      -> memref<SHAPEf32, strided<[STRIDES], offset: ?>>
  return %f : (memref<SHAPEf32, strided<[STRIDES], offset: ?>>, i64) -> memref<SHAPEf32, strided<[STRIDES], offset: ?>>
}
