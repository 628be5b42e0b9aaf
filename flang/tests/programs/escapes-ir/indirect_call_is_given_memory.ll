; escapes: 'callback' may escape: it is passed to a procedure that is known only at run time
; The call's promise covers the address of the memory that holds the procedure's address, not its contents.
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
  %holder = alloca ptr
  store ptr %address, ptr %holder
  call void %taker(i32 1, ptr nocapture %holder)
  ret void
}
