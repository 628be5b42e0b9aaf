; Helpers that replace llvm.init.trampoline and llvm.adjust.trampoline. They are linked into each module that uses these
; intrinsics. (The functions declared here are in the run-time library.)
;
; While a module is being optimized, the helpers' attributes state that the helpers access only a cell and memory
; outside the module. Therefore calls through a trampoline can still be made direct, and unneeded trampolines can be
; removed. Afterwards the helpers are inlined, without attributes that describe their effects.
;
; A cell belongs to one internal procedure in one invocation of its host. It has two words, both null until the
; procedure's address is first needed: the trampoline's handle, and the address to call. If scratch memory was
; requested, memory for code follows, which the library may use if it has no trampoline left. Otherwise %scratch is
; null.

declare nonnull ptr @_FortranAInitTrampoline(ptr, ptr, ptr) nounwind
declare nonnull ptr @_FortranAAdjustTrampoline(ptr) nounwind
declare void @_FortranAFreeTrampoline(ptr) nounwind

; Returns the address to call. Only the host itself uses this cell.
define linkonce_odr hidden ptr @statictramp.take(ptr nocapture %cell, ptr readnone %callee, ptr readnone %chain, ptr %scratch) #0 {
entry:
  %place = getelementptr ptr, ptr %cell, i64 1
  %there = load ptr, ptr %place, align 8
  %is_there = icmp ne ptr %there, null
  br i1 %is_there, label %done, label %make

make:
  %handle = call ptr @_FortranAInitTrampoline(ptr %scratch, ptr %callee, ptr %chain)
  %address = call ptr @_FortranAAdjustTrampoline(ptr %handle)
  store ptr %handle, ptr %cell, align 8
  store ptr %address, ptr %place, align 8
  br label %done

done:
  %result = phi ptr [ %there, %entry ], [ %address, %make ]
  ret ptr %result
}

; Like the function above, but for a cell that other procedures of the host use as well, possibly in threads of a
; parallel region. Each thread that finds null makes a trampoline. The first thread to publish its address, with
; Release, provides it for all threads, which load it with Acquire. The host reads the handle after those threads have
; joined.
define linkonce_odr hidden ptr @statictramp.take.shared(ptr nocapture %cell, ptr readnone %callee, ptr readnone %chain, ptr %scratch) #0 {
entry:
  %place = getelementptr ptr, ptr %cell, i64 1
  %there = load atomic ptr, ptr %place acquire, align 8
  %is_there = icmp ne ptr %there, null
  br i1 %is_there, label %done, label %make

make:
  %handle = call ptr @_FortranAInitTrampoline(ptr %scratch, ptr %callee, ptr %chain)
  %address = call ptr @_FortranAAdjustTrampoline(ptr %handle)
  %exchange = cmpxchg ptr %place, ptr null, ptr %address acq_rel acquire, align 8
  %first = extractvalue { ptr, i1 } %exchange, 1
  br i1 %first, label %keep, label %drop

keep:
  store ptr %handle, ptr %cell, align 8
  br label %done

drop:
  %other = extractvalue { ptr, i1 } %exchange, 0
  %is_same = icmp eq ptr %other, %address ; both wrote the same code to %scratch
  br i1 %is_same, label %done, label %free

free:
  call void @_FortranAFreeTrampoline(ptr %handle)
  br label %done

done:
  %result = phi ptr [ %there, %entry ], [ %address, %keep ], [ %address, %drop ], [ %other, %free ]
  ret ptr %result
}

; Frees a cell's trampoline at an exit of the host.
define linkonce_odr hidden void @statictramp.end(ptr nocapture %cell) #0 {
entry:
  %handle = load ptr, ptr %cell, align 8
  %is_made = icmp ne ptr %handle, null
  br i1 %is_made, label %free, label %done

free:
  call void @_FortranAFreeTrampoline(ptr %handle)
  br label %done

done:
  ret void
}

attributes #0 = { noinline nounwind memory(argmem: readwrite, inaccessiblemem: readwrite) }
