; escapes: 'callback' may escape: it is passed to a procedure that is known only at run time
; The call makes no promise about this argument, but about another one.
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
  call void %taker(ptr nocapture %n, ptr %address)
  ret void
}
