; A host that an exception leaves. Its cleanup runs, and the exception propagates to the caller.

declare void @llvm.init.trampoline(ptr, ptr, ptr)
declare ptr @llvm.adjust.trampoline(ptr)
declare i32 @__gxx_personality_v0(...)
declare void @call_it(ptr)
declare void @cleanup()

define internal void @inner(ptr nest %chain) {
  %n = load i32, ptr %chain
  call void @seen(i32 %n)
  ret void
}

declare void @seen(i32)

define i32 @host(i32 %n) personality ptr @__gxx_personality_v0 {
entry:
  %tuple = alloca i32
  %memory = alloca [32 x i8], align 8
  store i32 %n, ptr %tuple
  %none = icmp eq i32 %n, 0
  br i1 %none, label %early, label %use

early:
  ret i32 -1

use:
  call void @llvm.init.trampoline(ptr %memory, ptr @inner, ptr %tuple)
  %address = call ptr @llvm.adjust.trampoline(ptr %memory)
  invoke void @call_it(ptr %address) to label %normal unwind label %exceptional

normal:
  ret i32 %n

exceptional:
  %caught = landingpad { ptr, i32 } cleanup
  call void @cleanup()
  resume { ptr, i32 } %caught
}
