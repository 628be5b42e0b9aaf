//! Shorthands for values: functions, instructions, constants and parameters.

use super::raw::*;
use super::text;
use std::ffi::{c_int, c_uint};

impl Value {
    pub fn name(self) -> String {
        let mut bytes = 0;
        // SAFETY: LLVM returns the length with the start.
        unsafe { text(LLVMGetValueName2(self, &mut bytes), bytes) }
    }

    pub fn set_name(self, name: &str) {
        // SAFETY: the length goes with the start.
        unsafe { LLVMSetValueName2(self, name.as_ptr().cast(), name.len()) }
    }

    /// The instructions and constants that have this value as an operand, once for each operand.
    pub fn users(self) -> Vec<Value> {
        std::iter::successors(LLVMGetFirstUse(self), |of| LLVMGetNextUse(*of))
            .map(|it| LLVMGetUser(it))
            .collect()
    }

    /// # Panics
    /// If it is not of the kind of which LLVM has told. LLVM itself would read other memory.
    pub(super) fn must_be(self, kind: Option<Value>, name: &str) {
        assert!(kind.is_some(), "\"{}\" is not {name}", self.name());
    }

    fn must_have_opcode(self, opcodes: &[i32]) {
        assert!(self.opcode().is_some_and(|it| opcodes.contains(&it)), "none of the operations {opcodes:?}");
    }

    fn operand_count(self) -> u32 {
        // SAFETY: what LLVM calls a user has operands.
        LLVMIsAUser(self).map_or(0, |user| unsafe { LLVMGetNumOperands(user) }.max(0) as u32)
    }

    pub fn operand(self, index: u32) -> Value {
        assert!(index < self.operand_count());
        // SAFETY: it has so many.
        unsafe { LLVMGetOperand(self, index) }
    }

    pub fn operands(self) -> impl Iterator<Item = Value> {
        (0..self.operand_count()).map(move |index| self.operand(index))
    }

    /// The operation of an instruction or of a constant expression.
    pub fn opcode(self) -> Option<i32> {
        if LLVMIsAInstruction(self).is_some() {
            Some(LLVMGetInstructionOpcode(self))
        } else {
            // SAFETY: it is a constant expression.
            LLVMIsAConstantExpr(self).map(|it| unsafe { LLVMGetConstOpcode(it) })
        }
    }

    pub fn is_call(self) -> bool {
        LLVMIsACallInst(self).is_some() || LLVMIsAInvokeInst(self).is_some()
    }

    pub fn is_must_tail(self) -> bool {
        // SAFETY: it is a call.
        LLVMIsACallInst(self).is_some_and(|call| unsafe { LLVMGetTailCallKind(call) } == MUST_TAIL)
    }

    /// The function that a call names, if it names one.
    pub fn called_function(self) -> Option<Value> {
        LLVMIsAFunction(self.called_value())
    }

    /// What a call calls.
    pub fn called_value(self) -> Value {
        assert!(self.is_call());
        // SAFETY: it is a call.
        unsafe { LLVMGetCalledValue(self) }
    }

    pub fn arguments(self) -> impl Iterator<Item = Value> {
        (0..self.argument_count()).map(move |index| self.operand(index))
    }

    pub fn argument_count(self) -> u32 {
        assert!(self.is_call());
        // SAFETY: it is a call.
        unsafe { LLVMGetNumArgOperands(self) }
    }

    /// The function that an instruction is in.
    pub fn function(self) -> Value {
        LLVMGetBasicBlockParent(self.block())
    }

    /// The block that an instruction is in.
    pub fn block(self) -> Block {
        self.must_be(LLVMIsAInstruction(self), "an instruction");
        // SAFETY: it is one.
        unsafe { LLVMGetInstructionParent(self) }
    }

    /// The next instruction of its block.
    pub fn next(self) -> Option<Value> {
        self.must_be(LLVMIsAInstruction(self), "an instruction");
        // SAFETY: it is one.
        unsafe { LLVMGetNextInstruction(self) }
    }

    /// The instruction before it in its block.
    pub fn previous(self) -> Option<Value> {
        self.must_be(LLVMIsAInstruction(self), "an instruction");
        // SAFETY: it is one.
        unsafe { LLVMGetPreviousInstruction(self) }
    }

    /// Where in the source an instruction is.
    pub fn location(self) -> Option<Location> {
        self.must_be(LLVMIsAInstruction(self), "an instruction");
        // SAFETY: it is one.
        unsafe { LLVMInstructionGetDebugLoc(self) }
    }

    /// Removes an instruction, which nobody may name from then on.
    pub fn erase(self) {
        self.must_be(LLVMIsAInstruction(self), "an instruction");
        // SAFETY: it is one.
        unsafe { LLVMInstructionEraseFromParent(self) }
    }

    /// Has all that uses a value use another of its type instead.
    pub fn replace_with(self, new: Value) {
        assert_eq!(LLVMTypeOf(self), LLVMTypeOf(new));
        // SAFETY: they are of one type.
        unsafe { LLVMReplaceAllUsesWith(self, new) }
    }

    /// The blocks to which the last instruction of a block leads.
    pub fn successors(self) -> Vec<Block> {
        self.must_be(LLVMIsATerminatorInst(self), "the last instruction of a block");
        // SAFETY: it is one, and has as many as LLVM says.
        unsafe { (0..LLVMGetNumSuccessors(self)).map(|number| LLVMGetSuccessor(self, number)).collect() }
    }

    /// The numbers of the elements, from the outermost aggregate on, that an instruction names.
    pub fn indices(self) -> Vec<c_uint> {
        self.must_have_opcode(&[opcode::EXTRACT_VALUE, opcode::INSERT_VALUE]);
        // SAFETY: LLVM returns the start of as many numbers as it says there are, which are copied.
        unsafe { std::slice::from_raw_parts(LLVMGetIndices(self), LLVMGetNumIndices(self) as usize).to_vec() }
    }

    /// The type of the variable that an `alloca` makes.
    pub fn allocated_type(self) -> Type {
        self.must_have_opcode(&[opcode::ALLOCA]);
        // SAFETY: it is one.
        unsafe { LLVMGetAllocatedType(self) }
    }

    /// The type that the first index of a `getelementptr` counts.
    pub fn source_element_type(self) -> Type {
        self.must_have_opcode(&[opcode::GET_ELEMENT_PTR]);
        // SAFETY: it is one.
        unsafe { LLVMGetGEPSourceElementType(self) }
    }

    /// The alignment in bytes of what an `alloca`, a load or a store is of.
    pub fn alignment(self) -> u32 {
        self.must_have_opcode(&[opcode::ALLOCA, opcode::LOAD, opcode::STORE]);
        // SAFETY: it is one of these.
        unsafe { LLVMGetAlignment(self) }
    }

    pub fn set_alignment(self, bytes: u32) {
        self.must_have_opcode(&[opcode::ALLOCA, opcode::LOAD, opcode::STORE]);
        assert!(bytes.is_power_of_two());
        // SAFETY: it is one of these, and so may it be aligned.
        unsafe { LLVMSetAlignment(self, bytes) }
    }

    /// What a global variable is at the start.
    pub fn initializer(self) -> Option<Value> {
        self.must_be(LLVMIsAGlobalVariable(self), "a global variable");
        // SAFETY: it is one.
        unsafe { LLVMGetInitializer(self) }
    }

    /// Whether a global variable never changes.
    pub fn is_constant_global(self) -> bool {
        self.must_be(LLVMIsAGlobalVariable(self), "a global variable");
        // SAFETY: it is one.
        unsafe { LLVMIsGlobalConstant(self) != 0 }
    }

    /// What debug information says of a function.
    pub fn subprogram(self) -> Option<Subprogram> {
        self.must_be(LLVMIsAFunction(self), "a function");
        // SAFETY: it is one.
        unsafe { LLVMGetSubprogram(self) }
    }

    pub fn has_personality(self) -> bool {
        self.must_be(LLVMIsAFunction(self), "a function");
        // SAFETY: it is one.
        unsafe { LLVMHasPersonalityFn(self) != 0 }
    }

    pub fn entry_block(self) -> Block {
        assert!(!self.is_declaration());
        self.must_be(LLVMIsAFunction(self), "a function");
        // SAFETY: it is one, and has blocks.
        unsafe { LLVMGetEntryBasicBlock(self) }
    }

    /// Removes a function, which nobody may name from then on.
    pub fn delete_function(self) {
        self.must_be(LLVMIsAFunction(self), "a function");
        // SAFETY: it is one.
        unsafe { LLVMDeleteFunction(self) }
    }

    pub fn parameter_count(self) -> u32 {
        self.must_be(LLVMIsAFunction(self), "a function");
        // SAFETY: it is one.
        unsafe { LLVMCountParams(self) }
    }

    /// A parameter of a function.
    pub fn parameter(self, number: u32) -> Value {
        assert!(number < self.parameter_count());
        // SAFETY: it has so many.
        unsafe { LLVMGetParam(self, number) }
    }

    /// The function and number of a parameter.
    pub fn as_parameter(self) -> Option<(Value, u32)> {
        let parameter = LLVMIsAArgument(self)?;
        // SAFETY: it is one.
        let function = unsafe { LLVMGetParamParent(parameter) };
        let number = (0..function.parameter_count()).find(|number| function.parameter(*number) == parameter);
        number.map(|number| (function, number))
    }

    pub fn as_integer(self) -> Option<i64> {
        let constant = LLVMIsAConstantInt(self)?;
        // SAFETY: it is a number, of at most 64 bits.
        unsafe {
            (LLVMGetIntTypeWidth(LLVMTypeOf(constant)) <= 64).then(|| LLVMConstIntGetSExtValue(constant))
        }
    }

    pub fn is_null(self) -> bool {
        LLVMIsNull(self) != 0
    }

    /// Whether it is one pointer, in the address space that frames are in.
    pub fn is_plain_pointer(self) -> bool {
        let ty = LLVMTypeOf(self);
        // SAFETY: it is a pointer's.
        LLVMGetTypeKind(ty) == POINTER && unsafe { LLVMGetPointerAddressSpace(ty) } == 0
    }

    /// Whether an `alloca` makes a variable of its frame, not an argument or an error.
    pub fn is_plain_alloca(self) -> bool {
        // SAFETY: the last is asked of an `alloca`.
        self.opcode() == Some(opcode::ALLOCA)
            && self.is_plain_pointer()
            && unsafe { statictramp_is_plain_alloca(self) }
    }

    /// Removes what an instruction says of itself by metadata of a kind.
    pub fn remove_metadata(self, kind: c_uint) {
        self.must_be(LLVMIsAInstruction(self), "an instruction");
        // SAFETY: it is one.
        unsafe { LLVMSetMetadata(self, kind, None) }
    }

    pub fn is_local(self) -> bool {
        matches!(self.linkage(), INTERNAL | PRIVATE)
    }

    pub fn linkage(self) -> c_int {
        self.must_be(LLVMIsAGlobalValue(self), "a function or global variable");
        // SAFETY: it is one.
        unsafe { LLVMGetLinkage(self) }
    }

    pub fn is_intrinsic(self) -> bool {
        LLVMGetIntrinsicID(self) != 0
    }

    pub fn is_declaration(self) -> bool {
        self.must_be(LLVMIsAGlobalValue(self), "a function or global variable");
        // SAFETY: it is one.
        unsafe { LLVMIsDeclaration(self) != 0 }
    }

    pub fn blocks(self) -> impl Iterator<Item = Block> {
        self.must_be(LLVMIsAFunction(self), "a function");
        // SAFETY: it is one.
        let first = unsafe { LLVMGetFirstBasicBlock(self) };
        std::iter::successors(first, |block| LLVMGetNextBasicBlock(*block))
    }

    pub fn instructions(self) -> impl Iterator<Item = Value> {
        self.blocks().flat_map(|block| std::iter::successors(LLVMGetFirstInstruction(block), |at| at.next()))
    }

    /// Whether a function or a call says this of itself or of a parameter.
    pub fn has_attribute(self, index: u32, name: &str) -> bool {
        self.attribute(index, name).is_some()
    }

    pub fn attribute(self, index: u32, name: &str) -> Option<Attribute> {
        let kind = attribute_kind(name)?;
        if self.is_call() {
            // SAFETY: it is a call, and LLVM has the kind.
            return unsafe { LLVMGetCallSiteEnumAttribute(self, index, kind) };
        }
        self.must_be(LLVMIsAFunction(self), "a function or a call");
        // SAFETY: it is a function, and LLVM has the kind.
        unsafe { LLVMGetEnumAttributeAtIndex(self, index, kind) }
    }

    /// Gives a function an attribute without a value.
    pub fn add_attribute(self, index: u32, name: &str) {
        self.must_be(LLVMIsAFunction(self), "a function");
        if let Some(kind) = attribute_kind(name) {
            // SAFETY: it is one; the only attribute that is added is "alwaysinline", which has no value.
            unsafe {
                let context = LLVMGetTypeContext(LLVMTypeOf(self));
                LLVMAddAttributeAtIndex(self, index, LLVMCreateEnumAttribute(context, kind, 0));
            }
        }
    }

    /// Has a call say that it does not keep an argument: in LLVM 19 and 20 by `nocapture`, later by `captures(none)`.
    pub fn say_not_captured(self, index: u32) {
        if let Some(kind) = attribute_kind("nocapture").or_else(|| attribute_kind("captures")) {
            assert!(self.is_call());
            // SAFETY: it is a call; the first of these attributes has no value, the other's is a number.
            unsafe {
                let attribute = LLVMCreateEnumAttribute(LLVMGetTypeContext(LLVMTypeOf(self)), kind, 0);
                LLVMAddCallSiteAttribute(self, index, attribute);
            }
        }
    }

    /// Whether a function or a call says that an argument is not kept.
    pub fn says_not_captured(self, index: u32) -> bool {
        self.has_attribute(index, "nocapture")
            // SAFETY: the value of "captures" is a number.
            || self.attribute(index, "captures").is_some_and(|what| unsafe { LLVMGetEnumAttributeValue(what) } == 0)
    }

    /// Gives a function an attribute that only this pass knows.
    pub fn mark(self, name: &str) {
        let context = LLVMGetTypeContext(LLVMTypeOf(self));
        self.must_be(LLVMIsAFunction(self), "a function");
        let start = name.as_ptr().cast();
        // SAFETY: the lengths go with the starts; it is a function.
        unsafe {
            let mark = LLVMCreateStringAttribute(context, start, name.len() as c_uint, start, 0);
            LLVMAddAttributeAtIndex(self, FUNCTION_ATTRIBUTES, mark);
        }
    }

    /// Makes calls by way of a trampoline direct where procedure and chain are in sight. True if anything changed.
    pub fn make_calls_direct(self) -> bool {
        self.must_be(LLVMIsAFunction(self), "a function");
        // SAFETY: it is one.
        unsafe { statictramp_direct(self) }
    }

    pub fn remove_attribute(self, index: u32, name: &str) {
        if !self.has_attribute(index, name) {
            return;
        }
        let Some(kind) = attribute_kind(name) else { return };
        // SAFETY: it is a call, or else a function, as it has the attribute.
        unsafe {
            if self.is_call() {
                LLVMRemoveCallSiteEnumAttribute(self, index, kind);
            } else {
                LLVMRemoveEnumAttributeAtIndex(self, index, kind);
            }
        }
    }
}

/// `None` for an attribute that this LLVM does not have.
fn attribute_kind(name: &str) -> Option<c_uint> {
    // SAFETY: the length goes with the start.
    Some(unsafe { LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()) })
        .filter(|kind| *kind != 0)
}
