//! Which bytes of an aggregate an instruction takes out or puts in.

use crate::llvm::*;
use crate::memory::Memory;
use std::ffi::c_uint;
use std::ops::Range;

#[allow(non_snake_case)]
unsafe extern "C" {
    safe fn LLVMGetNumIndices(instruction: Value) -> c_uint;
    safe fn LLVMGetIndices(instruction: Value) -> *const c_uint;
}

/// The numbers of the elements, from the outermost aggregate on, that an instruction names.
pub fn indices(instruction: Value) -> &'static [c_uint] {
    // SAFETY: LLVM returns the start of as many numbers as it says there are; they live as long as the instruction,
    // and the report, which is all that looks at them, erases none.
    unsafe {
        std::slice::from_raw_parts(LLVMGetIndices(instruction), LLVMGetNumIndices(instruction) as usize)
    }
}

/// The bytes, in the first operand of an `insertvalue` or `extractvalue`, of the element that it names.
pub fn element(memory: &Memory, instruction: Value) -> Option<Range<i64>> {
    let mut ty = LLVMTypeOf(instruction.operand(0));
    let mut start = 0;
    for index in indices(instruction) {
        if ty.is_struct() {
            start += memory.offset_of(ty, *index);
            ty = LLVMStructGetTypeAtIndex(ty, *index);
        } else if ty.is_array() {
            ty = LLVMGetElementType(ty);
            start += i64::from(*index) * memory.size(ty) as i64;
        } else {
            return None;
        }
    }
    Some(start..start + memory.size(ty) as i64)
}
