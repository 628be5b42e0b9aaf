//! The bytes of an aggregate that an `insertvalue` writes or an `extractvalue` reads.

use crate::llvm::*;
use crate::points_to::Steps;
use std::ops::Range;

/// Returns the byte range of the element that an `insertvalue` or `extractvalue` selects in its first operand.
pub fn element(steps: &Steps, instruction: Value) -> Option<Range<i64>> {
    let mut ty = LLVMTypeOf(instruction.operand(0));
    let mut start = 0;
    for index in instruction.indices() {
        if ty.is_struct() {
            start += steps.offset_of(ty, index);
            ty = ty.element_at(index);
        } else if ty.is_array() {
            ty = ty.element();
            start += i64::from(index) * steps.size(ty) as i64;
        } else {
            return None;
        }
    }
    Some(start..start + steps.size(ty) as i64)
}
