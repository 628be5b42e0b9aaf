; escapes: 'callback' does not escape
; A procedure known only at run time is called, and the call itself promises that no address is retained.
declare void @llvm.init.trampoline(ptr, ptr, ptr)
declare ptr @llvm.adjust.trampoline(ptr)
define internal i32 @callback(ptr nest %tuple) {
  %value = load i32, ptr %tuple
  ret i32 %value
}
define void @host(ptr %n, ptr %taker) {
  %tuple = alloca { ptr }
  %memory = alloca [32 x i8]
  store ptr %n, ptr %tuple
  call void @llvm.init.trampoline(ptr %memory, ptr @callback, ptr %tuple)
  %address = call ptr @llvm.adjust.trampoline(ptr %memory)
  call void %taker(i32 1, ptr nocapture %address)
  ret void
}
