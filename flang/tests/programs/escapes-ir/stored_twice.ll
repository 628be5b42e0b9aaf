; escapes: 'callback' escapes: it is returned by the host
; The address is in the middle of a structure, which is loaded whole, taken apart and reassembled.
declare void @llvm.init.trampoline(ptr, ptr, ptr)
declare ptr @llvm.adjust.trampoline(ptr)
define internal i32 @callback(ptr nest %tuple) {
  ret i32 1
}
define { i64, { i64, ptr } } @host() {
  %tuple = alloca { ptr }
  %memory = alloca [32 x i8]
  %own = alloca { i64, { i64, ptr }, i64 }
  %at = getelementptr { i64, { i64, ptr }, i64 }, ptr %own, i32 0, i32 1, i32 1
  call void @llvm.init.trampoline(ptr %memory, ptr @callback, ptr %tuple)
  %address = call ptr @llvm.adjust.trampoline(ptr %memory)
  store ptr %address, ptr %at
  %whole = load { i64, { i64, ptr }, i64 }, ptr %own
  %inner = extractvalue { i64, { i64, ptr }, i64 } %whole, 1
  %result = insertvalue { i64, { i64, ptr } } zeroinitializer, { i64, ptr } %inner, 1
  ret { i64, { i64, ptr } } %result
}
