; Chains that are not variables of the function that takes the address. They come from front ends other than flang.

declare void @llvm.init.trampoline(ptr, ptr, ptr)
declare ptr @llvm.adjust.trampoline(ptr)

define internal i32 @inner(ptr nest %chain) {
  %n = load i32, ptr %chain
  ret i32 %n
}

; The frame belongs to the caller, and the address outlives this function.
define ptr @take(ptr %frame) {
  %memory = alloca [32 x i8], align 8
  call void @llvm.init.trampoline(ptr %memory, ptr @inner, ptr %frame)
  %address = call ptr @llvm.adjust.trampoline(ptr %memory)
  ret ptr %address
}

@of_the_program = global i32 77

define ptr @take_global() {
  %memory = alloca [32 x i8], align 8
  call void @llvm.init.trampoline(ptr %memory, ptr @inner, ptr @of_the_program)
  %address = call ptr @llvm.adjust.trampoline(ptr %memory)
  ret ptr %address
}

; A frame for each iteration of a loop.
define i32 @frames_in_a_loop(i32 %count, ptr %caller) {
entry:
  %memory = alloca [32 x i8], align 8
  br label %round

round:
  %i = phi i32 [ 0, %entry ], [ %next, %round ]
  %sum = phi i32 [ 0, %entry ], [ %new_sum, %round ]
  %frame = alloca i32
  store i32 %i, ptr %frame
  call void @llvm.init.trampoline(ptr %memory, ptr @inner, ptr %frame)
  %address = call ptr @llvm.adjust.trampoline(ptr %memory)
  %value = call i32 %caller(ptr %address)
  %new_sum = add i32 %sum, %value
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %count
  br i1 %more, label %round, label %done

done:
  ret i32 %new_sum
}

; A mandatory tail call follows the end of the frame.
define i32 @ends_in_tail_call(i32 %n, ptr %caller) {
  %frame = alloca i32
  %memory = alloca [32 x i8], align 8
  store i32 %n, ptr %frame
  call void @llvm.init.trampoline(ptr %memory, ptr @inner, ptr %frame)
  %address = call ptr @llvm.adjust.trampoline(ptr %memory)
  %value = call i32 %caller(ptr %address)
  %result = musttail call i32 @live_now(i32 %value, ptr %caller)
  ret i32 %result
}

declare i32 @live_now(i32, ptr)

; After rewriting, the optimizer's attributes of these functions are no longer correct.
define i32 @optimized(i32 %n) memory(none) nosync nofree willreturn norecurse {
  %value = call i32 @called_by_optimized(i32 %n) memory(none) nosync
  ret i32 %value
}

define internal i32 @called_by_optimized(i32 %n) memory(none) nosync nofree willreturn norecurse {
  %frame = alloca i32
  %memory = alloca [32 x i8], align 8
  store i32 %n, ptr %frame
  call void @llvm.init.trampoline(ptr %memory, ptr @inner, ptr %frame)
  %address = call ptr @llvm.adjust.trampoline(ptr %memory)
  %value = call i32 %address()
  ret i32 %value
}
