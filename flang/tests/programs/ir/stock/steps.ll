; may end with live trampolines
; Circular pointers: a phi that moves, in a loop with a few iterations,
; and a step in a block that never runs.

declare void @llvm.init.trampoline(ptr, ptr, ptr)
declare ptr @llvm.adjust.trampoline(ptr)
declare i32 @printf(ptr, ...)
@format = private constant [4 x i8] c"%d\0A\00"

define internal i32 @inner(ptr nest %chain) {
  %n = load i32, ptr %chain
  ret i32 %n
}

define internal i32 @call_it(ptr %f) noinline {
  %value = call i32 %f()
  ret i32 %value
}

; The frames are in an array, one after another.
define internal i32 @walks(ptr %frames, i32 %count) noinline {
entry:
  %memory = alloca [32 x i8], align 8
  br label %round
round:
  %frame = phi ptr [ %frames, %entry ], [ %following, %round ]
  %i = phi i32 [ 0, %entry ], [ %next, %round ]
  %sum = phi i32 [ 0, %entry ], [ %new, %round ]
  call void @llvm.init.trampoline(ptr %memory, ptr @inner, ptr %frame)
  %address = call ptr @llvm.adjust.trampoline(ptr %memory)
  %value = call i32 @call_it(ptr %address)
  %new = add i32 %sum, %value
  %following = getelementptr i32, ptr %frame, i64 1
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %count
  br i1 %more, label %round, label %done
done:
  ret i32 %new
}

define internal i32 @never(ptr %frame) noinline {
entry:
  br label %done
dead:
  %memory = alloca [32 x i8], align 8
  %step = getelementptr i8, ptr %step, i64 8
  call void @llvm.init.trampoline(ptr %memory, ptr @inner, ptr %step)
  %address = call ptr @llvm.adjust.trampoline(ptr %memory)
  %value = call i32 @call_it(ptr %address)
  br label %dead
done:
  ret i32 3
}

; The function calls itself with a later part of its argument.
define internal i32 @recurs(ptr %frame, i32 %n) noinline {
entry:
  %memory = alloca [32 x i8], align 8
  call void @llvm.init.trampoline(ptr %memory, ptr @inner, ptr %frame)
  %address = call ptr @llvm.adjust.trampoline(ptr %memory)
  %value = call i32 @call_it(ptr %address)
  %ends = icmp eq i32 %n, 0
  br i1 %ends, label %done, label %again
again:
  %further = getelementptr i32, ptr %frame, i64 1
  %less = sub i32 %n, 1
  %rest = call i32 @recurs(ptr %further, i32 %less)
  %sum = add i32 %value, %rest
  ret i32 %sum
done:
  ret i32 %value
}

define i32 @main() {
  %frames = alloca [4 x i32], align 4
  store [4 x i32] [i32 1, i32 20, i32 300, i32 4000], ptr %frames
  %one = call i32 @walks(ptr %frames, i32 4)
  %printed = call i32 (ptr, ...) @printf(ptr @format, i32 %one)
  %two = call i32 @never(ptr %frames)
  %printed2 = call i32 (ptr, ...) @printf(ptr @format, i32 %two)
  %three = call i32 @recurs(ptr %frames, i32 3)
  %printed3 = call i32 (ptr, ...) @printf(ptr @format, i32 %three)
  ret i32 0
}
