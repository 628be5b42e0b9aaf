//! Builds instructions.

use super::c;
use super::raw::*;
use std::ffi::c_uint;

/// Builds instructions, each with the debug location of the instruction that it is inserted before.
pub struct Builder(BuilderRef);

impl Builder {
    pub fn new(context: Context) -> Self {
        Builder(LLVMCreateBuilderInContext(context))
    }

    pub fn before(&self, instruction: Value) -> &Self {
        self.at_entry(instruction);
        LLVMSetCurrentDebugLocation2(self.0, instruction.location());
        self
    }

    /// Sets the insertion point before an instruction of the prologue. Code in the prologue has no source location.
    pub fn at_entry(&self, instruction: Value) -> &Self {
        instruction.must_be(LLVMIsAInstruction(instruction), "an instruction");
        // SAFETY: `must_be` has checked that the value is an instruction.
        unsafe { LLVMPositionBuilderBefore(self.0, instruction) };
        LLVMSetCurrentDebugLocation2(self.0, None);
        self
    }

    pub fn alloca(&self, ty: Type, name: &str) -> Value {
        // SAFETY: here and below, the strings are zero-terminated, and each array has as many elements as the call
        // specifies.
        unsafe { LLVMBuildAlloca(self.0, ty, c(name).as_ptr()) }
    }

    pub fn load(&self, ty: Type, from: Value) -> Value {
        assert!(from.is_plain_pointer());
        // SAFETY: the name is zero-terminated, and `from` is a pointer.
        unsafe { LLVMBuildLoad2(self.0, ty, from, c"".as_ptr()) }
    }

    pub fn store(&self, value: Value, to: Value) -> Value {
        assert!(to.is_plain_pointer());
        // SAFETY: `to` is a pointer.
        unsafe { LLVMBuildStore(self.0, value, to) }
    }

    /// Builds the address at a byte offset from a base.
    pub fn further(&self, context: Context, base: Value, bytes: u64) -> Value {
        assert!(base.is_plain_pointer());
        // SAFETY: as above. The base is a pointer, and the index has an integer type.
        unsafe {
            let index = LLVMConstInt(LLVMInt64TypeInContext(context), bytes, 0);
            LLVMBuildGEP2(self.0, LLVMInt8TypeInContext(context), base, &index, 1, c"".as_ptr())
        }
    }

    pub fn call(&self, ty: Type, function: Value, arguments: &[Value]) -> Value {
        // SAFETY: as above.
        unsafe {
            LLVMBuildCall2(self.0, ty, function, arguments.as_ptr(), arguments.len() as c_uint, c"".as_ptr())
        }
    }
}

impl Drop for Builder {
    fn drop(&mut self) {
        // SAFETY: no other copy of the reference to the builder exists.
        unsafe { LLVMDisposeBuilder(self.0) }
    }
}
