//! Methods of values: functions, instructions, constants and parameters.

use super::raw::*;
use super::text;
use std::ffi::{c_int, c_uint};

impl Value {
    pub fn name(self) -> String {
        let mut bytes = 0;
        // SAFETY: LLVM returns the pointer and its length.
        unsafe { text(LLVMGetValueName2(self, &mut bytes), bytes) }
    }

    pub fn set_name(self, name: &str) {
        // SAFETY: the pointer and the length belong to the same string.
        unsafe { LLVMSetValueName2(self, name.as_ptr().cast(), name.len()) }
    }

    /// Returns this value's users (instructions and constants), each once per operand that is this value.
    pub fn users(self) -> Vec<Value> {
        std::iter::successors(LLVMGetFirstUse(self), |of| LLVMGetNextUse(*of))
            .map(|it| LLVMGetUser(it))
            .collect()
    }

    /// Checks the kind of a value. `kind` must be the result of an `LLVMIsA` function.
    ///
    /// # Panics
    /// Panics if the value is not of the expected kind. (LLVM does not check the kind, and would read unrelated
    /// memory.)
    pub(super) fn must_be(self, kind: Option<Value>, name: &str) {
        assert!(kind.is_some(), "\"{}\" is not {name}", self.name());
    }

    fn must_have_opcode(self, opcodes: &[i32]) {
        assert!(
            self.opcode().is_some_and(|it| opcodes.contains(&it)),
            "the opcode is not one of {opcodes:?}"
        );
    }

    fn operand_count(self) -> u32 {
        // SAFETY: a value that LLVM calls a user has operands.
        LLVMIsAUser(self).map_or(0, |user| unsafe { LLVMGetNumOperands(user) }.max(0) as u32)
    }

    pub fn operand(self, index: u32) -> Value {
        assert!(index < self.operand_count());
        // SAFETY: the value has an operand with this index.
        unsafe { LLVMGetOperand(self, index) }
    }

    pub fn operands(self) -> impl Iterator<Item = Value> {
        (0..self.operand_count()).map(move |index| self.operand(index))
    }

    /// Returns the opcode of an instruction or constant expression.
    pub fn opcode(self) -> Option<i32> {
        if LLVMIsAInstruction(self).is_some() {
            Some(LLVMGetInstructionOpcode(self))
        } else {
            // SAFETY: the value is a constant expression.
            LLVMIsAConstantExpr(self).map(|it| unsafe { LLVMGetConstOpcode(it) })
        }
    }

    pub fn is_call(self) -> bool {
        LLVMIsACallInst(self).is_some() || LLVMIsAInvokeInst(self).is_some()
    }

    pub fn is_must_tail(self) -> bool {
        // SAFETY: the value is a call.
        LLVMIsACallInst(self).is_some_and(|call| unsafe { LLVMGetTailCallKind(call) } == MUST_TAIL)
    }

    /// Returns the callee of a direct call.
    pub fn called_function(self) -> Option<Value> {
        LLVMIsAFunction(self.called_value())
    }

    /// Returns the callee operand of a call.
    pub fn called_value(self) -> Value {
        assert!(self.is_call());
        // SAFETY: the value is a call.
        unsafe { LLVMGetCalledValue(self) }
    }

    pub fn arguments(self) -> impl Iterator<Item = Value> {
        (0..self.argument_count()).map(move |index| self.operand(index))
    }

    pub fn argument_count(self) -> u32 {
        assert!(self.is_call());
        // SAFETY: the value is a call.
        unsafe { LLVMGetNumArgOperands(self) }
    }

    /// Returns the function that contains an instruction.
    pub fn function(self) -> Value {
        LLVMGetBasicBlockParent(self.block())
    }

    /// Returns the block that contains an instruction.
    pub fn block(self) -> Block {
        self.must_be(LLVMIsAInstruction(self), "an instruction");
        // SAFETY: the value is an instruction.
        unsafe { LLVMGetInstructionParent(self) }
    }

    /// Returns the next instruction in the same block.
    pub fn next(self) -> Option<Value> {
        self.must_be(LLVMIsAInstruction(self), "an instruction");
        // SAFETY: the value is an instruction.
        unsafe { LLVMGetNextInstruction(self) }
    }

    /// Returns the previous instruction in the same block.
    pub fn previous(self) -> Option<Value> {
        self.must_be(LLVMIsAInstruction(self), "an instruction");
        // SAFETY: the value is an instruction.
        unsafe { LLVMGetPreviousInstruction(self) }
    }

    /// Returns the source location of an instruction.
    pub fn location(self) -> Option<Location> {
        self.must_be(LLVMIsAInstruction(self), "an instruction");
        // SAFETY: the value is an instruction.
        unsafe { LLVMInstructionGetDebugLoc(self) }
    }

    /// Removes an instruction, which must not be used afterwards.
    pub fn erase(self) {
        self.must_be(LLVMIsAInstruction(self), "an instruction");
        // SAFETY: the value is an instruction.
        unsafe { LLVMInstructionEraseFromParent(self) }
    }

    /// Replaces all uses of a value with another value of the same type.
    pub fn replace_with(self, new: Value) {
        assert_eq!(LLVMTypeOf(self), LLVMTypeOf(new));
        // SAFETY: both values have the same type.
        unsafe { LLVMReplaceAllUsesWith(self, new) }
    }

    /// Returns the successors of the block that this instruction terminates.
    pub fn successors(self) -> Vec<Block> {
        self.must_be(LLVMIsATerminatorInst(self), "the last instruction of a block");
        // SAFETY: the value is a terminator, and has the number of successors that LLVM reports.
        unsafe { (0..LLVMGetNumSuccessors(self)).map(|number| LLVMGetSuccessor(self, number)).collect() }
    }

    /// Returns the element indices of an `insertvalue` or `extractvalue`, from the outermost aggregate inwards.
    pub fn indices(self) -> Vec<c_uint> {
        self.must_have_opcode(&[opcode::EXTRACT_VALUE, opcode::INSERT_VALUE]);
        // SAFETY: LLVM returns a pointer to the indices, and their number. The indices are copied.
        unsafe { std::slice::from_raw_parts(LLVMGetIndices(self), LLVMGetNumIndices(self) as usize).to_vec() }
    }

    /// Returns the type of the variable that an `alloca` allocates.
    pub fn allocated_type(self) -> Type {
        self.must_have_opcode(&[opcode::ALLOCA]);
        // SAFETY: the value is an `alloca`.
        unsafe { LLVMGetAllocatedType(self) }
    }

    /// Returns the source element type of a `getelementptr`. The first index counts in units of this type's size.
    pub fn source_element_type(self) -> Type {
        self.must_have_opcode(&[opcode::GET_ELEMENT_PTR]);
        // SAFETY: the value is a `getelementptr`.
        unsafe { LLVMGetGEPSourceElementType(self) }
    }

    /// Returns the alignment in bytes of an `alloca`, a load or a store.
    pub fn alignment(self) -> u32 {
        self.must_have_opcode(&[opcode::ALLOCA, opcode::LOAD, opcode::STORE]);
        // SAFETY: the value is an `alloca`, a load or a store.
        unsafe { LLVMGetAlignment(self) }
    }

    pub fn set_alignment(self, bytes: u32) {
        self.must_have_opcode(&[opcode::ALLOCA, opcode::LOAD, opcode::STORE]);
        assert!(bytes.is_power_of_two());
        // SAFETY: the value is an `alloca`, a load or a store, and the alignment is valid for it.
        unsafe { LLVMSetAlignment(self, bytes) }
    }

    /// Returns the initial value of a global variable.
    pub fn initializer(self) -> Option<Value> {
        self.must_be(LLVMIsAGlobalVariable(self), "a global variable");
        // SAFETY: the value is a global variable.
        unsafe { LLVMGetInitializer(self) }
    }

    /// Returns whether a global variable is constant.
    pub fn is_constant_global(self) -> bool {
        self.must_be(LLVMIsAGlobalVariable(self), "a global variable");
        // SAFETY: the value is a global variable.
        unsafe { LLVMIsGlobalConstant(self) != 0 }
    }

    /// Returns the debug information of a function.
    pub fn subprogram(self) -> Option<Subprogram> {
        self.must_be(LLVMIsAFunction(self), "a function");
        // SAFETY: the value is a function.
        unsafe { LLVMGetSubprogram(self) }
    }

    pub fn has_personality(self) -> bool {
        self.must_be(LLVMIsAFunction(self), "a function");
        // SAFETY: the value is a function.
        unsafe { LLVMHasPersonalityFn(self) != 0 }
    }

    pub fn entry_block(self) -> Block {
        assert!(!self.is_declaration());
        self.must_be(LLVMIsAFunction(self), "a function");
        // SAFETY: the value is a function with a body.
        unsafe { LLVMGetEntryBasicBlock(self) }
    }

    /// Removes a function, which must not be used afterwards.
    pub fn delete_function(self) {
        self.must_be(LLVMIsAFunction(self), "a function");
        // SAFETY: the value is a function.
        unsafe { LLVMDeleteFunction(self) }
    }

    pub fn parameter_count(self) -> u32 {
        self.must_be(LLVMIsAFunction(self), "a function");
        // SAFETY: the value is a function.
        unsafe { LLVMCountParams(self) }
    }

    /// Returns a parameter of a function.
    pub fn parameter(self, number: u32) -> Value {
        assert!(number < self.parameter_count());
        // SAFETY: the function has a parameter with this index.
        unsafe { LLVMGetParam(self, number) }
    }

    /// If this is a parameter, returns its function and its index there.
    pub fn as_parameter(self) -> Option<(Value, u32)> {
        let parameter = LLVMIsAArgument(self)?;
        // SAFETY: the value is a parameter.
        let function = unsafe { LLVMGetParamParent(parameter) };
        let number = (0..function.parameter_count()).find(|number| function.parameter(*number) == parameter);
        number.map(|number| (function, number))
    }

    pub fn as_integer(self) -> Option<i64> {
        let constant = LLVMIsAConstantInt(self)?;
        // SAFETY: the value is an integer constant of at most 64 bits.
        unsafe {
            (LLVMGetIntTypeWidth(LLVMTypeOf(constant)) <= 64).then(|| LLVMConstIntGetSExtValue(constant))
        }
    }

    pub fn is_null(self) -> bool {
        LLVMIsNull(self) != 0
    }

    /// Returns whether the value is a pointer (not a vector of pointers) into the stack's address space.
    pub fn is_plain_pointer(self) -> bool {
        let ty = LLVMTypeOf(self);
        // SAFETY: the type is a pointer type.
        LLVMGetTypeKind(ty) == POINTER && unsafe { LLVMGetPointerAddressSpace(ty) } == 0
    }

    /// Returns whether a value is an `alloca` of an ordinary variable in its frame, rather than of an argument
    /// (`inalloca`) or an error value (`swifterror`).
    pub fn is_plain_alloca(self) -> bool {
        // SAFETY: the last function is called only if the value is an `alloca`.
        self.opcode() == Some(opcode::ALLOCA)
            && self.is_plain_pointer()
            && unsafe { statictramp_is_plain_alloca(self) }
    }

    /// Removes an instruction's metadata with this kind.
    pub fn remove_metadata(self, kind: c_uint) {
        self.must_be(LLVMIsAInstruction(self), "an instruction");
        // SAFETY: the value is an instruction.
        unsafe { LLVMSetMetadata(self, kind, None) }
    }

    pub fn is_local(self) -> bool {
        matches!(self.linkage(), INTERNAL | PRIVATE)
    }

    pub fn linkage(self) -> c_int {
        self.must_be(LLVMIsAGlobalValue(self), "a function or global variable");
        // SAFETY: the value is a global.
        unsafe { LLVMGetLinkage(self) }
    }

    pub fn is_intrinsic(self) -> bool {
        LLVMGetIntrinsicID(self) != 0
    }

    pub fn is_declaration(self) -> bool {
        self.must_be(LLVMIsAGlobalValue(self), "a function or global variable");
        // SAFETY: the value is a global.
        unsafe { LLVMIsDeclaration(self) != 0 }
    }

    pub fn blocks(self) -> impl Iterator<Item = Block> {
        self.must_be(LLVMIsAFunction(self), "a function");
        // SAFETY: the value is a function.
        let first = unsafe { LLVMGetFirstBasicBlock(self) };
        std::iter::successors(first, |block| LLVMGetNextBasicBlock(*block))
    }

    pub fn instructions(self) -> impl Iterator<Item = Value> {
        self.blocks().flat_map(|block| std::iter::successors(LLVMGetFirstInstruction(block), |at| at.next()))
    }

    /// Returns whether a function or a call has an attribute at an attribute index.
    pub fn has_attribute(self, index: u32, name: &str) -> bool {
        self.attribute(index, name).is_some()
    }

    pub fn attribute(self, index: u32, name: &str) -> Option<Attribute> {
        let kind = attribute_kind(name)?;
        if self.is_call() {
            // SAFETY: the value is a call, and LLVM has the attribute kind.
            return unsafe { LLVMGetCallSiteEnumAttribute(self, index, kind) };
        }
        self.must_be(LLVMIsAFunction(self), "a function or a call");
        // SAFETY: the value is a function, and LLVM has the attribute kind.
        unsafe { LLVMGetEnumAttributeAtIndex(self, index, kind) }
    }

    /// Adds an attribute without a value to a function.
    pub fn add_attribute(self, index: u32, name: &str) {
        self.must_be(LLVMIsAFunction(self), "a function");
        if let Some(kind) = attribute_kind(name) {
            // SAFETY: the value is a function, and "alwaysinline", the only attribute added here, has no value.
            unsafe {
                let context = LLVMGetTypeContext(LLVMTypeOf(self));
                LLVMAddAttributeAtIndex(self, index, LLVMCreateEnumAttribute(context, kind, 0));
            }
        }
    }

    /// Marks an argument of a call as not captured: with `nocapture` in LLVM 19 and 20, and with `captures(none)` in
    /// later versions.
    pub fn say_not_captured(self, index: u32) {
        if let Some(kind) = attribute_kind("nocapture").or_else(|| attribute_kind("captures")) {
            assert!(self.is_call());
            // SAFETY: the value is a call. `nocapture` takes no value, and `captures` takes an integer.
            unsafe {
                let attribute = LLVMCreateEnumAttribute(LLVMGetTypeContext(LLVMTypeOf(self)), kind, 0);
                LLVMAddCallSiteAttribute(self, index, attribute);
            }
        }
    }

    /// Returns whether a function or a call marks an argument as not captured.
    pub fn says_not_captured(self, index: u32) -> bool {
        self.has_attribute(index, "nocapture")
            // SAFETY: the value of "captures" is an integer.
            || self.attribute(index, "captures").is_some_and(|what| unsafe { LLVMGetEnumAttributeValue(what) } == 0)
    }

    /// Adds a string attribute that only this pass interprets.
    pub fn mark(self, name: &str) {
        let context = LLVMGetTypeContext(LLVMTypeOf(self));
        self.must_be(LLVMIsAFunction(self), "a function");
        let start = name.as_ptr().cast();
        // SAFETY: each pointer and its length belong to the same string, and the value is a function.
        unsafe {
            let mark = LLVMCreateStringAttribute(context, start, name.len() as c_uint, start, 0);
            LLVMAddAttributeAtIndex(self, FUNCTION_ATTRIBUTES, mark);
        }
    }

    /// Replaces calls through trampolines in this function with direct calls if the procedure and the chain are
    /// visible. Returns true if anything changed.
    pub fn make_calls_direct(self) -> bool {
        self.must_be(LLVMIsAFunction(self), "a function");
        // SAFETY: the value is a function.
        unsafe { statictramp_direct(self) }
    }

    pub fn remove_attribute(self, index: u32, name: &str) {
        if !self.has_attribute(index, name) {
            return;
        }
        let Some(kind) = attribute_kind(name) else { return };
        // SAFETY: only calls and functions have the attribute, so the value is one of these.
        unsafe {
            if self.is_call() {
                LLVMRemoveCallSiteEnumAttribute(self, index, kind);
            } else {
                LLVMRemoveEnumAttributeAtIndex(self, index, kind);
            }
        }
    }
}

/// Returns the ID of an attribute kind, or `None` if this LLVM does not have that kind.
fn attribute_kind(name: &str) -> Option<c_uint> {
    // SAFETY: the pointer and the length belong to the same string.
    Some(unsafe { LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()) })
        .filter(|kind| *kind != 0)
}
