; may end with live trampolines
; Variables that get the address of one frame through a visible store, and of another frame through something other than
; a store in this function: a call, a copy, a store through a pointer that is merged with another, a part of the
; pointer, an OpenMP region that writes its record. The data after the other frame must not change.

declare void @llvm.init.trampoline(ptr, ptr, ptr)
declare ptr @llvm.adjust.trampoline(ptr)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare i32 @printf(ptr, ...)
@format = private constant [14 x i8] c"%s %d %ld %d\0A\00"
@by_call = private constant [5 x i8] c"call\00"
@by_copy = private constant [5 x i8] c"copy\00"
@by_phi = private constant [4 x i8] c"phi\00"
@by_select = private constant [7 x i8] c"select\00"
@by_part = private constant [5 x i8] c"part\00"
@by_exchange = private constant [9 x i8] c"exchange\00"
@by_kept = private constant [5 x i8] c"kept\00"
@keeper = global ptr null

%frames = type { i32, i32, i64, i64, i64, i64 }

define internal i32 @inner(ptr nest %chain) {
  %n = load i32, ptr %chain
  ret i32 %n
}

define internal i32 @call_it(ptr %f) noinline {
  %value = call i32 %f()
  ret i32 %value
}

; The address is taken at the place where the chain is loaded from a variable of the host. Each case has its own variable, so that
; facts about one variable do not apply to another.
define internal i32 @sibling_call(ptr %variable) noinline {
  %memory = alloca [32 x i8], align 8
  %chain = load ptr, ptr %variable
  call void @llvm.init.trampoline(ptr %memory, ptr @inner, ptr %chain)
  %address = call ptr @llvm.adjust.trampoline(ptr %memory)
  %value = call i32 @call_it(ptr %address)
  ret i32 %value
}

define internal i32 @sibling_copy(ptr %variable) noinline {
  %memory = alloca [32 x i8], align 8
  %chain = load ptr, ptr %variable
  call void @llvm.init.trampoline(ptr %memory, ptr @inner, ptr %chain)
  %address = call ptr @llvm.adjust.trampoline(ptr %memory)
  %value = call i32 @call_it(ptr %address)
  ret i32 %value
}

define internal i32 @sibling_phi(ptr %variable) noinline {
  %memory = alloca [32 x i8], align 8
  %chain = load ptr, ptr %variable
  call void @llvm.init.trampoline(ptr %memory, ptr @inner, ptr %chain)
  %address = call ptr @llvm.adjust.trampoline(ptr %memory)
  %value = call i32 @call_it(ptr %address)
  ret i32 %value
}

define internal i32 @sibling_select(ptr %variable) noinline {
  %memory = alloca [32 x i8], align 8
  %chain = load ptr, ptr %variable
  call void @llvm.init.trampoline(ptr %memory, ptr @inner, ptr %chain)
  %address = call ptr @llvm.adjust.trampoline(ptr %memory)
  %value = call i32 @call_it(ptr %address)
  ret i32 %value
}

define internal i32 @sibling_part(ptr %variable) noinline {
  %memory = alloca [32 x i8], align 8
  %chain = load ptr, ptr %variable
  call void @llvm.init.trampoline(ptr %memory, ptr @inner, ptr %chain)
  %address = call ptr @llvm.adjust.trampoline(ptr %memory)
  %value = call i32 @call_it(ptr %address)
  ret i32 %value
}

define internal i32 @sibling_exchange(ptr %variable) noinline {
  %memory = alloca [32 x i8], align 8
  %chain = load ptr, ptr %variable
  call void @llvm.init.trampoline(ptr %memory, ptr @inner, ptr %chain)
  %address = call ptr @llvm.adjust.trampoline(ptr %memory)
  %value = call i32 @call_it(ptr %address)
  ret i32 %value
}

define internal i32 @sibling_kept(ptr %variable) noinline {
  %memory = alloca [32 x i8], align 8
  %chain = load ptr, ptr %variable
  call void @llvm.init.trampoline(ptr %memory, ptr @inner, ptr %chain)
  %address = call ptr @llvm.adjust.trampoline(ptr %memory)
  %value = call i32 @call_it(ptr %address)
  ret i32 %value
}


define internal void @report(ptr %name, ptr %tuple, ptr %other, i32 %value) noinline {
  %place = getelementptr %frames, ptr %other, i64 0, i32 2
  %behind = load i64, ptr %place
  %n = load i32, ptr %tuple
  %printed = call i32 (ptr, ...) @printf(ptr @format, ptr %name, i32 %value, i64 %behind, i32 %n)
  ret void
}

define void @assign(ptr %variable, ptr %to) noinline {
  store ptr %to, ptr %variable
  ret void
}

define void @host_call() {
  %tuple = alloca i32, align 8
  %other = alloca %frames, align 8
  %variable = alloca ptr, align 8
  store i32 1, ptr %tuple
  store %frames { i32 2, i32 0, i64 7, i64 7, i64 7, i64 7 }, ptr %other
  store ptr %tuple, ptr %variable
  call void @assign(ptr %variable, ptr %other)
  %value = call i32 @sibling_call(ptr %variable)
  call void @report(ptr @by_call, ptr %tuple, ptr %other, i32 %value)
  ret void
}

define void @host_copy() {
  %tuple = alloca i32, align 8
  %other = alloca %frames, align 8
  %variable = alloca ptr, align 8
  %source = alloca ptr, align 8
  store i32 1, ptr %tuple
  store %frames { i32 2, i32 0, i64 7, i64 7, i64 7, i64 7 }, ptr %other
  store ptr %tuple, ptr %variable
  store ptr %other, ptr %source
  call void @llvm.memcpy.p0.p0.i64(ptr %variable, ptr %source, i64 8, i1 false)
  %value = call i32 @sibling_copy(ptr %variable)
  call void @report(ptr @by_copy, ptr %tuple, ptr %other, i32 %value)
  ret void
}

define void @host_phi(i1 %which) {
entry:
  %tuple = alloca i32, align 8
  %other = alloca %frames, align 8
  %variable = alloca ptr, align 8
  %unused = alloca ptr, align 8
  store i32 1, ptr %tuple
  store %frames { i32 2, i32 0, i64 7, i64 7, i64 7, i64 7 }, ptr %other
  store ptr %tuple, ptr %variable
  br i1 %which, label %this, label %that
this:
  br label %joined
that:
  br label %joined
joined:
  %place = phi ptr [ %variable, %this ], [ %unused, %that ]
  store ptr %other, ptr %place
  %value = call i32 @sibling_phi(ptr %variable)
  call void @report(ptr @by_phi, ptr %tuple, ptr %other, i32 %value)
  ret void
}

define void @host_select(i1 %which) {
  %tuple = alloca i32, align 8
  %other = alloca %frames, align 8
  %variable = alloca ptr, align 8
  %unused = alloca ptr, align 8
  store i32 1, ptr %tuple
  store %frames { i32 2, i32 0, i64 7, i64 7, i64 7, i64 7 }, ptr %other
  store ptr %tuple, ptr %variable
  %place = select i1 %which, ptr %variable, ptr %unused
  store ptr %other, ptr %place
  %value = call i32 @sibling_select(ptr %variable)
  call void @report(ptr @by_select, ptr %tuple, ptr %other, i32 %value)
  ret void
}

; All eight bytes are stored, in two parts.
define void @host_part() {
  %tuple = alloca i32, align 8
  %other = alloca %frames, align 8
  %variable = alloca ptr, align 8
  store i32 1, ptr %tuple
  store %frames { i32 2, i32 0, i64 7, i64 7, i64 7, i64 7 }, ptr %other
  store ptr %tuple, ptr %variable
  %bits = ptrtoint ptr %other to i64
  %low = trunc i64 %bits to i32
  %shifted = lshr i64 %bits, 32
  %high = trunc i64 %shifted to i32
  store i32 %low, ptr %variable
  %upper = getelementptr i8, ptr %variable, i64 4
  store i32 %high, ptr %upper
  %value = call i32 @sibling_part(ptr %variable)
  call void @report(ptr @by_part, ptr %tuple, ptr %other, i32 %value)
  ret void
}

define void @host_exchange() {
  %tuple = alloca i32, align 8
  %other = alloca %frames, align 8
  %variable = alloca ptr, align 8
  store i32 1, ptr %tuple
  store %frames { i32 2, i32 0, i64 7, i64 7, i64 7, i64 7 }, ptr %other
  store ptr %tuple, ptr %variable
  %old = atomicrmw xchg ptr %variable, ptr %other seq_cst
  %value = call i32 @sibling_exchange(ptr %variable)
  call void @report(ptr @by_exchange, ptr %tuple, ptr %other, i32 %value)
  ret void
}

; The variable's own address is stored elsewhere.
define void @host_kept() {
  %tuple = alloca i32, align 8
  %other = alloca %frames, align 8
  %variable = alloca ptr, align 8
  store i32 1, ptr %tuple
  store %frames { i32 2, i32 0, i64 7, i64 7, i64 7, i64 7 }, ptr %other
  store ptr %tuple, ptr %variable
  store ptr %variable, ptr @keeper
  call void @use_keeper(ptr %other)
  %value = call i32 @sibling_kept(ptr %variable)
  call void @report(ptr @by_kept, ptr %tuple, ptr %other, i32 %value)
  ret void
}

define void @use_keeper(ptr %other) noinline {
  %kept = load ptr, ptr @keeper
  store ptr %other, ptr %kept
  ret void
}

define i32 @main() {
  call void @host_call()
  call void @host_copy()
  call void @host_phi(i1 true)
  call void @host_select(i1 true)
  call void @host_part()
  call void @host_exchange()
  call void @host_kept()
  ret i32 0
}
