//! What is used of LLVM: declarations of its C API (llvm-c/Core.h, DebugInfo.h, Target.h, Linker.h), which is the same
//! from LLVM 19 to 23, and the few shorthands that read better.
//!
//! A reference of these types is only ever made by LLVM, and nothing keeps one to what it has erased: so the functions
//! that take nothing else are safe to call.

use std::ffi::{CStr, CString, c_char, c_int, c_longlong, c_uint, c_ulonglong, c_void};
use std::ptr::NonNull;

macro_rules! references {
    ($($(#[$doc:meta])* $name:ident)*) => { $(
        $(#[$doc])*
        #[repr(transparent)]
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub struct $name(NonNull<c_void>);
    )* };
}

references! {
    /// A context, to which modules belong.
    Context
    /// A module.
    Module
    /// A function, an instruction, a constant, a parameter.
    Value
    /// An operand that is a certain value.
    Use
    /// A type.
    Type
    /// A basic block.
    Block
    /// Debug information.
    Metadata
    /// Where instructions are built.
    BuilderRef
    /// Sizes and offsets.
    DataLayout
    /// An attribute.
    Attribute
    /// A file in memory.
    Buffer
}

#[allow(non_snake_case)]
unsafe extern "C" {
    pub safe fn LLVMGetVersion(major: &mut c_uint, minor: &mut c_uint, patch: &mut c_uint);
    pub safe fn LLVMGetModuleContext(module: Module) -> Context;
    pub safe fn LLVMGetModuleDataLayout(module: Module) -> DataLayout;
    pub safe fn LLVMGetFirstFunction(module: Module) -> Option<Value>;
    pub safe fn LLVMGetNextFunction(function: Value) -> Option<Value>;
    safe fn LLVMGetFirstGlobal(module: Module) -> Option<Value>;
    safe fn LLVMGetNextGlobal(global: Value) -> Option<Value>;
    fn LLVMGetNamedFunction(module: Module, name: *const c_char) -> Option<Value>;
    fn LLVMAddFunction(module: Module, name: *const c_char, ty: Type) -> Value;
    pub safe fn LLVMDeleteFunction(function: Value);
    fn LLVMGetDataLayoutStr(module: Module) -> *const c_char;
    fn LLVMSetDataLayout(module: Module, layout: *const c_char);
    fn LLVMGetTarget(module: Module) -> *const c_char;
    fn LLVMSetTarget(module: Module, triple: *const c_char);
    fn LLVMLinkModules2(into: Module, from: Module) -> c_int;
    fn LLVMParseIRInContext(
        context: Context,
        file: Buffer,
        module: *mut Option<Module>,
        why: *mut *mut c_char,
    ) -> c_int;
    fn LLVMCreateMemoryBufferWithMemoryRangeCopy(
        start: *const c_char,
        bytes: usize,
        name: *const c_char,
    ) -> Buffer;
    fn LLVMCreateMemoryBufferWithContentsOfFile(
        path: *const c_char,
        buffer: *mut Option<Buffer>,
        why: *mut *mut c_char,
    ) -> c_int;
    fn LLVMCreateMemoryBufferWithSTDIN(buffer: *mut Option<Buffer>, why: *mut *mut c_char) -> c_int;
    fn LLVMVerifyModule(module: Module, action: c_int, why: *mut *mut c_char) -> c_int;
    safe fn LLVMPrintModuleToString(module: Module) -> *mut c_char;
    safe fn LLVMWriteBitcodeToMemoryBuffer(module: Module) -> Buffer;
    fn LLVMGetBufferStart(buffer: Buffer) -> *const c_char;
    fn LLVMGetBufferSize(buffer: Buffer) -> usize;
    fn LLVMDisposeMemoryBuffer(buffer: Buffer);
    pub safe fn LLVMContextCreate() -> Context;
    fn LLVMDisposeMessage(message: *mut c_char);

    pub safe fn LLVMGetFirstUse(value: Value) -> Option<Use>;
    pub safe fn LLVMGetNextUse(of: Use) -> Option<Use>;
    pub safe fn LLVMGetUser(of: Use) -> Value;
    pub safe fn LLVMTypeOf(value: Value) -> Type;
    fn LLVMGetValueName2(value: Value, bytes: *mut usize) -> *const c_char;
    fn LLVMSetValueName2(value: Value, name: *const c_char, bytes: usize);
    pub safe fn LLVMReplaceAllUsesWith(old: Value, new: Value);
    pub safe fn LLVMIsAArgument(value: Value) -> Option<Value>;
    pub safe fn LLVMIsAFunction(value: Value) -> Option<Value>;
    pub safe fn LLVMIsAGlobalVariable(value: Value) -> Option<Value>;
    pub safe fn LLVMIsAConstantInt(value: Value) -> Option<Value>;
    pub safe fn LLVMIsAConstantExpr(value: Value) -> Option<Value>;
    pub safe fn LLVMIsAInstruction(value: Value) -> Option<Value>;
    pub safe fn LLVMIsACallInst(value: Value) -> Option<Value>;
    pub safe fn LLVMIsAInvokeInst(value: Value) -> Option<Value>;
    pub safe fn LLVMIsNull(value: Value) -> c_int;
    fn LLVMGetMDKindIDInContext(context: Context, name: *const c_char, bytes: c_uint) -> c_uint;
    safe fn LLVMSetMetadata(instruction: Value, kind: c_uint, node: Option<Value>);
    fn statictramp_global(module: Module, name: *const c_char, bytes: usize) -> Option<Value>;
    safe fn statictramp_is_plain_alloca(alloca: Value) -> bool;
    pub safe fn LLVMConstIntGetSExtValue(value: Value) -> c_longlong;
    pub safe fn LLVMGetConstOpcode(value: Value) -> c_int;
    pub safe fn LLVMGetOperand(value: Value, index: c_uint) -> Value;
    pub safe fn LLVMGetNumOperands(value: Value) -> c_int;

    pub safe fn LLVMGetIntrinsicID(function: Value) -> c_uint;
    pub safe fn LLVMCountParams(function: Value) -> c_uint;
    pub safe fn LLVMGetParam(function: Value, index: c_uint) -> Value;
    pub safe fn LLVMGetParamParent(parameter: Value) -> Value;
    pub safe fn LLVMGetLinkage(global: Value) -> c_int;
    pub safe fn LLVMIsDeclaration(global: Value) -> c_int;
    pub safe fn LLVMHasPersonalityFn(function: Value) -> c_int;
    fn LLVMGetEnumAttributeKindForName(name: *const c_char, bytes: usize) -> c_uint;
    pub safe fn LLVMGetEnumAttributeAtIndex(
        function: Value,
        index: c_uint,
        kind: c_uint,
    ) -> Option<Attribute>;
    safe fn LLVMCreateEnumAttribute(context: Context, kind: c_uint, value: u64) -> Attribute;
    fn LLVMCreateStringAttribute(
        context: Context,
        name: *const c_char,
        name_bytes: c_uint,
        value: *const c_char,
        value_bytes: c_uint,
    ) -> Attribute;
    safe fn LLVMAddAttributeAtIndex(function: Value, index: c_uint, attribute: Attribute);
    safe fn LLVMGetTypeContext(ty: Type) -> Context;
    safe fn statictramp_direct(function: Value) -> bool;
    pub safe fn LLVMRemoveEnumAttributeAtIndex(function: Value, index: c_uint, kind: c_uint);
    pub safe fn LLVMGetCallSiteEnumAttribute(call: Value, index: c_uint, kind: c_uint) -> Option<Attribute>;
    pub safe fn LLVMRemoveCallSiteEnumAttribute(call: Value, index: c_uint, kind: c_uint);
    pub safe fn LLVMGetEnumAttributeValue(attribute: Attribute) -> u64;

    pub safe fn LLVMGetEntryBasicBlock(function: Value) -> Block;
    pub safe fn LLVMGetFirstBasicBlock(function: Value) -> Option<Block>;
    pub safe fn LLVMGetNextBasicBlock(block: Block) -> Option<Block>;
    pub safe fn LLVMGetBasicBlockParent(block: Block) -> Value;
    pub safe fn LLVMGetBasicBlockTerminator(block: Block) -> Option<Value>;
    pub safe fn LLVMGetFirstInstruction(block: Block) -> Option<Value>;
    pub safe fn LLVMGetNextInstruction(instruction: Value) -> Option<Value>;
    pub safe fn LLVMGetPreviousInstruction(instruction: Value) -> Option<Value>;
    pub safe fn LLVMGetInstructionParent(instruction: Value) -> Block;
    pub safe fn LLVMGetInstructionOpcode(instruction: Value) -> c_int;
    pub safe fn LLVMInstructionEraseFromParent(instruction: Value);
    pub safe fn LLVMGetCalledValue(call: Value) -> Value;
    pub safe fn LLVMGetNumArgOperands(call: Value) -> c_uint;
    pub safe fn LLVMGetTailCallKind(call: Value) -> c_int;
    pub safe fn LLVMGetAllocatedType(alloca: Value) -> Type;
    pub safe fn LLVMGetGEPSourceElementType(gep: Value) -> Type;
    pub safe fn LLVMGetAlignment(memory: Value) -> c_uint;
    pub safe fn LLVMSetAlignment(memory: Value, bytes: c_uint);

    pub safe fn LLVMGetTypeKind(ty: Type) -> c_int;
    pub safe fn LLVMGetPointerAddressSpace(ty: Type) -> c_uint;
    pub safe fn LLVMTypeIsSized(ty: Type) -> c_int;
    pub safe fn LLVMCountStructElementTypes(ty: Type) -> c_uint;
    pub safe fn LLVMGetIntTypeWidth(ty: Type) -> c_uint;
    pub safe fn LLVMStructGetTypeAtIndex(ty: Type, index: c_uint) -> Type;
    pub safe fn LLVMGetElementType(ty: Type) -> Type;
    pub safe fn LLVMABISizeOfType(layout: DataLayout, ty: Type) -> c_ulonglong;
    pub safe fn LLVMOffsetOfElement(layout: DataLayout, ty: Type, index: c_uint) -> c_ulonglong;
    pub safe fn LLVMPointerTypeInContext(context: Context, space: c_uint) -> Type;
    pub safe fn LLVMVoidTypeInContext(context: Context) -> Type;
    pub safe fn LLVMInt8TypeInContext(context: Context) -> Type;
    pub safe fn LLVMInt64TypeInContext(context: Context) -> Type;
    pub safe fn LLVMArrayType2(element: Type, count: u64) -> Type;
    fn LLVMStructTypeInContext(context: Context, elements: *const Type, count: c_uint, packed: c_int)
    -> Type;
    fn LLVMFunctionType(result: Type, parameters: *const Type, count: c_uint, variadic: c_int) -> Type;
    pub safe fn LLVMConstNull(ty: Type) -> Value;
    pub safe fn LLVMConstInt(ty: Type, value: c_ulonglong, signed: c_int) -> Value;

    safe fn LLVMCreateBuilderInContext(context: Context) -> BuilderRef;
    safe fn LLVMDisposeBuilder(builder: BuilderRef);
    safe fn LLVMPositionBuilderBefore(builder: BuilderRef, instruction: Value);
    safe fn LLVMSetCurrentDebugLocation2(builder: BuilderRef, location: Option<Metadata>);
    fn LLVMBuildAlloca(builder: BuilderRef, ty: Type, name: *const c_char) -> Value;
    fn LLVMBuildLoad2(builder: BuilderRef, ty: Type, from: Value, name: *const c_char) -> Value;
    safe fn LLVMBuildStore(builder: BuilderRef, value: Value, to: Value) -> Value;
    fn LLVMBuildGEP2(
        builder: BuilderRef,
        ty: Type,
        base: Value,
        indices: *const Value,
        count: c_uint,
        name: *const c_char,
    ) -> Value;
    fn LLVMBuildCall2(
        builder: BuilderRef,
        ty: Type,
        function: Value,
        arguments: *const Value,
        count: c_uint,
        name: *const c_char,
    ) -> Value;

    pub safe fn LLVMInstructionGetDebugLoc(instruction: Value) -> Option<Metadata>;
    pub safe fn LLVMDILocationGetLine(location: Metadata) -> c_uint;
    pub safe fn LLVMDILocationGetColumn(location: Metadata) -> c_uint;
    pub safe fn LLVMDILocationGetScope(location: Metadata) -> Option<Metadata>;
    pub safe fn LLVMDIScopeGetFile(scope: Metadata) -> Option<Metadata>;
    fn LLVMDIFileGetFilename(file: Metadata, bytes: *mut c_uint) -> *const c_char;
    pub safe fn LLVMGetSubprogram(function: Value) -> Option<Metadata>;
    pub safe fn LLVMDISubprogramGetLine(subprogram: Metadata) -> c_uint;
}

/// Values of `LLVMOpcode` that are asked for.
pub mod opcode {
    pub const RET: i32 = 1;
    pub const ALLOCA: i32 = 26;
    pub const LOAD: i32 = 27;
    pub const STORE: i32 = 28;
    pub const GET_ELEMENT_PTR: i32 = 29;
    pub const PTR_TO_INT: i32 = 39;
    pub const INT_TO_PTR: i32 = 40;
    pub const BIT_CAST: i32 = 41;
    pub const ICMP: i32 = 42;
    pub const PHI: i32 = 44;
    pub const CALL: i32 = 45;
    pub const SELECT: i32 = 46;
    pub const EXTRACT_VALUE: i32 = 53;
    pub const INSERT_VALUE: i32 = 54;
    pub const RESUME: i32 = 58;
    pub const ADDR_SPACE_CAST: i32 = 60;
    pub const CLEANUP_RET: i32 = 61;
    pub const CATCH_SWITCH: i32 = 65;
    pub const FREEZE: i32 = 68;
    pub const INVOKE: i32 = 5;
}

const STRUCT: c_int = 10;
const ARRAY: c_int = 11;
const POINTER: c_int = 12;
const VECTOR: c_int = 13;
const SCALABLE_VECTOR: c_int = 17;
const TARGET_EXTENSION: c_int = 20;
const INTERNAL: c_int = 8;
const PRIVATE: c_int = 9;
const MUST_TAIL: c_int = 2;

/// The linkage of the helpers.
pub const LINK_ONCE_ODR: c_int = 3;

/// The index of a function's own attributes; a parameter's is its number and one.
pub const FUNCTION_ATTRIBUTES: c_uint = c_uint::MAX;

/// The index of what is said of a function's result.
pub const RESULT: c_uint = 0;

fn c(text: &str) -> CString {
    CString::new(text).unwrap_or_default()
}

/// # Safety
/// `start` is null or has that many bytes.
unsafe fn text(start: *const c_char, bytes: usize) -> String {
    if start.is_null() {
        return String::new();
    }
    // SAFETY: the caller's promise.
    let bytes = unsafe { std::slice::from_raw_parts(start.cast::<u8>(), bytes) };
    String::from_utf8_lossy(bytes).into_owned()
}

/// A message of LLVM, which is disposed of.
///
/// # Safety
/// It is null or such a message.
unsafe fn message(why: *mut c_char) -> String {
    if why.is_null() {
        return String::new();
    }
    // SAFETY: the caller's promise.
    unsafe {
        let said = CStr::from_ptr(why).to_string_lossy().into_owned();
        LLVMDisposeMessage(why);
        said
    }
}

impl Module {
    /// Reads a file of bitcode or textual IR; `-` is the standard input.
    pub fn read(context: Context, path: &CStr) -> Result<Module, String> {
        let (mut buffer, mut module, mut why) = (None, None, std::ptr::null_mut());
        // SAFETY: the places for the results are there. The parser disposes of the buffer.
        unsafe {
            let failed = if path == c"-" {
                LLVMCreateMemoryBufferWithSTDIN(&mut buffer, &mut why)
            } else {
                LLVMCreateMemoryBufferWithContentsOfFile(path.as_ptr(), &mut buffer, &mut why)
            };
            match buffer {
                Some(buffer) if failed == 0 => {
                    LLVMParseIRInContext(context, buffer, &mut module, &mut why);
                    module.ok_or_else(|| message(why))
                }
                _ => Err(message(why)),
            }
        }
    }

    /// The module as text.
    pub fn to_text(self) -> Vec<u8> {
        // SAFETY: a string that ends in a zero, which is copied before it is disposed of.
        unsafe {
            let text = LLVMPrintModuleToString(self);
            let copy = CStr::from_ptr(text).to_bytes().to_vec();
            LLVMDisposeMessage(text);
            copy
        }
    }

    /// The module as bitcode.
    pub fn to_bitcode(self) -> Vec<u8> {
        // SAFETY: the buffer, as long as LLVM says, is copied before it is disposed of.
        unsafe {
            let buffer = LLVMWriteBitcodeToMemoryBuffer(self);
            let start = LLVMGetBufferStart(buffer).cast::<u8>();
            let copy = std::slice::from_raw_parts(start, LLVMGetBufferSize(buffer)).to_vec();
            LLVMDisposeMemoryBuffer(buffer);
            copy
        }
    }

    /// What is wrong with a module, by LLVM's own rules.
    pub fn verify(self) -> Result<(), String> {
        const RETURN_STATUS: c_int = 2;
        let mut why = std::ptr::null_mut();
        // SAFETY: the place for the message is there; it is disposed of.
        unsafe {
            let broken = LLVMVerifyModule(self, RETURN_STATUS, &mut why) != 0;
            let said = message(why);
            if broken { Err(said) } else { Ok(()) }
        }
    }

    pub fn functions(self) -> impl Iterator<Item = Value> {
        std::iter::successors(LLVMGetFirstFunction(self), |f| LLVMGetNextFunction(*f))
    }

    /// Its global variables.
    pub fn globals(self) -> impl Iterator<Item = Value> {
        std::iter::successors(LLVMGetFirstGlobal(self), |global| LLVMGetNextGlobal(*global))
    }

    pub fn function(self, name: &str) -> Option<Value> {
        // SAFETY: a string that ends in a zero.
        unsafe { LLVMGetNamedFunction(self, c(name).as_ptr()) }
    }

    /// A function, variable or alias.
    pub fn global(self, name: &str) -> Option<Value> {
        // SAFETY: the length goes with the start.
        unsafe { statictramp_global(self, name.as_ptr().cast(), name.len()) }
    }

    pub fn add_function(self, name: &str, ty: Type) -> Value {
        // SAFETY: as above.
        unsafe { LLVMAddFunction(self, c(name).as_ptr(), ty) }
    }

    /// Links the functions of a text into this module: those that it declares and calls.
    pub fn link(self, ir: &str) {
        let mut parsed = None;
        let mut why = std::ptr::null_mut();
        // SAFETY: the buffer, which the parser disposes of, is a copy; the places for the results are there; the layout
        // and the triple are strings of this module. The linker consumes the parsed module.
        unsafe {
            let context = LLVMGetModuleContext(self);
            let buffer =
                LLVMCreateMemoryBufferWithMemoryRangeCopy(ir.as_ptr().cast(), ir.len(), c"helpers".as_ptr());
            if LLVMParseIRInContext(context, buffer, &mut parsed, &mut why) != 0 {
                panic!("the helpers are not understood by this LLVM: {}", message(why));
            }
            let helpers = parsed.expect("a module, as there was no error");
            LLVMSetDataLayout(helpers, LLVMGetDataLayoutStr(self));
            LLVMSetTarget(helpers, LLVMGetTarget(self));
            assert_eq!(LLVMLinkModules2(self, helpers), 0, "the helpers cannot be linked into the module");
        }
    }
}

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

    pub fn operand(self, index: u32) -> Value {
        LLVMGetOperand(self, index)
    }

    pub fn operands(self) -> impl Iterator<Item = Value> {
        (0..LLVMGetNumOperands(self).max(0) as u32).map(move |index| self.operand(index))
    }

    /// The operation of an instruction or of a constant expression.
    pub fn opcode(self) -> Option<i32> {
        if LLVMIsAInstruction(self).is_some() {
            Some(LLVMGetInstructionOpcode(self))
        } else {
            LLVMIsAConstantExpr(self).map(|it| LLVMGetConstOpcode(it))
        }
    }

    pub fn is_call(self) -> bool {
        LLVMIsACallInst(self).is_some() || LLVMIsAInvokeInst(self).is_some()
    }

    pub fn is_must_tail(self) -> bool {
        LLVMIsACallInst(self).is_some() && LLVMGetTailCallKind(self) == MUST_TAIL
    }

    /// The function that a call names, if it names one.
    pub fn callee(self) -> Option<Value> {
        LLVMIsAFunction(LLVMGetCalledValue(self))
    }

    pub fn arguments(self) -> impl Iterator<Item = Value> {
        (0..LLVMGetNumArgOperands(self)).map(move |index| self.operand(index))
    }

    pub fn argument_count(self) -> u32 {
        LLVMGetNumArgOperands(self)
    }

    /// The function that an instruction is in.
    pub fn function(self) -> Value {
        LLVMGetBasicBlockParent(LLVMGetInstructionParent(self))
    }

    /// The function and number of a parameter.
    pub fn as_parameter(self) -> Option<(Value, u32)> {
        let parameter = LLVMIsAArgument(self)?;
        let function = LLVMGetParamParent(parameter);
        let number =
            (0..LLVMCountParams(function)).find(|number| LLVMGetParam(function, *number) == parameter);
        number.map(|number| (function, number))
    }

    pub fn as_integer(self) -> Option<i64> {
        let constant = LLVMIsAConstantInt(self)?;
        (LLVMGetIntTypeWidth(LLVMTypeOf(constant)) <= 64).then(|| LLVMConstIntGetSExtValue(constant))
    }

    pub fn is_null(self) -> bool {
        LLVMIsNull(self) != 0
    }

    /// Whether it is one pointer, in the address space that frames are in.
    pub fn is_plain_pointer(self) -> bool {
        let ty = LLVMTypeOf(self);
        LLVMGetTypeKind(ty) == POINTER && LLVMGetPointerAddressSpace(ty) == 0
    }

    /// Whether an `alloca` makes a variable of its frame, not an argument or an error.
    pub fn is_plain_alloca(self) -> bool {
        self.opcode() == Some(opcode::ALLOCA) && self.is_plain_pointer() && statictramp_is_plain_alloca(self)
    }

    /// Removes what an instruction says of itself by metadata of a kind.
    pub fn remove_metadata(self, kind: c_uint) {
        LLVMSetMetadata(self, kind, None)
    }

    pub fn is_local(self) -> bool {
        matches!(LLVMGetLinkage(self), INTERNAL | PRIVATE)
    }

    pub fn is_intrinsic(self) -> bool {
        LLVMGetIntrinsicID(self) != 0
    }

    pub fn is_declaration(self) -> bool {
        LLVMIsDeclaration(self) != 0
    }

    pub fn blocks(self) -> impl Iterator<Item = Block> {
        std::iter::successors(LLVMGetFirstBasicBlock(self), |block| LLVMGetNextBasicBlock(*block))
    }

    pub fn instructions(self) -> impl Iterator<Item = Value> {
        self.blocks().flat_map(|block| {
            std::iter::successors(LLVMGetFirstInstruction(block), |at| LLVMGetNextInstruction(*at))
        })
    }

    /// Whether a function or a call says this of itself or of a parameter.
    pub fn has_attribute(self, index: u32, name: &str) -> bool {
        self.attribute(index, name).is_some()
    }

    pub fn attribute(self, index: u32, name: &str) -> Option<Attribute> {
        let kind = attribute_kind(name)?;
        if self.is_call() {
            LLVMGetCallSiteEnumAttribute(self, index, kind)
        } else {
            LLVMGetEnumAttributeAtIndex(self, index, kind)
        }
    }

    pub fn add_attribute(self, index: u32, name: &str) {
        if let Some(kind) = attribute_kind(name) {
            LLVMAddAttributeAtIndex(
                self,
                index,
                LLVMCreateEnumAttribute(LLVMGetTypeContext(LLVMTypeOf(self)), kind, 0),
            );
        }
    }

    /// Gives a function an attribute that only this pass knows.
    pub fn mark(self, name: &str) {
        let context = LLVMGetTypeContext(LLVMTypeOf(self));
        // SAFETY: the lengths go with the starts.
        let mark = unsafe {
            LLVMCreateStringAttribute(
                context,
                name.as_ptr().cast(),
                name.len() as c_uint,
                name.as_ptr().cast(),
                0,
            )
        };
        LLVMAddAttributeAtIndex(self, FUNCTION_ATTRIBUTES, mark);
    }

    /// Makes calls by way of a trampoline direct where procedure and chain are in sight. True if anything changed.
    pub fn make_calls_direct(self) -> bool {
        statictramp_direct(self)
    }

    pub fn remove_attribute(self, index: u32, name: &str) {
        if !self.has_attribute(index, name) {
            return;
        }
        let Some(kind) = attribute_kind(name) else { return };
        if self.is_call() {
            LLVMRemoveCallSiteEnumAttribute(self, index, kind);
        } else {
            LLVMRemoveEnumAttributeAtIndex(self, index, kind);
        }
    }
}

/// `None` for an attribute that this LLVM does not have.
fn attribute_kind(name: &str) -> Option<c_uint> {
    // SAFETY: the length goes with the start.
    Some(unsafe { LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()) })
        .filter(|kind| *kind != 0)
}

impl Type {
    pub fn is_struct(self) -> bool {
        LLVMGetTypeKind(self) == STRUCT
    }

    pub fn is_array(self) -> bool {
        LLVMGetTypeKind(self) == ARRAY
    }

    /// Whether its size is a number that the compiler knows.
    pub fn has_fixed_size(self) -> bool {
        let mut todo = vec![self];
        while let Some(ty) = todo.pop() {
            match LLVMGetTypeKind(ty) {
                SCALABLE_VECTOR | TARGET_EXTENSION => return false,
                ARRAY | VECTOR => todo.push(LLVMGetElementType(ty)),
                STRUCT => {
                    let elements = LLVMCountStructElementTypes(ty);
                    todo.extend((0..elements).map(|index| LLVMStructGetTypeAtIndex(ty, index)))
                }
                _ if LLVMTypeIsSized(ty) == 0 => return false,
                _ => {}
            }
        }
        LLVMTypeIsSized(self) != 0
    }
}

impl Context {
    pub fn pointer(self) -> Type {
        LLVMPointerTypeInContext(self, 0)
    }

    pub fn metadata_kind(self, name: &str) -> c_uint {
        // SAFETY: the length goes with the start.
        unsafe { LLVMGetMDKindIDInContext(self, name.as_ptr().cast(), name.len() as c_uint) }
    }

    pub fn packed_struct(self, elements: &[Type]) -> Type {
        // SAFETY: the count goes with the elements.
        unsafe { LLVMStructTypeInContext(self, elements.as_ptr(), elements.len() as c_uint, 1) }
    }
}

pub fn function_type(result: Type, parameters: &[Type]) -> Type {
    // SAFETY: the count goes with the parameters.
    unsafe { LLVMFunctionType(result, parameters.as_ptr(), parameters.len() as c_uint, 0) }
}

/// The name of a file, as debug information has it.
pub fn file_name(file: Metadata) -> String {
    let mut bytes = 0;
    // SAFETY: LLVM returns the length with the start.
    unsafe { text(LLVMDIFileGetFilename(file, &mut bytes), bytes as usize) }
}

/// Builds instructions, with the debug location of the one before which they stand.
pub struct Builder(BuilderRef);

impl Builder {
    pub fn new(context: Context) -> Self {
        Builder(LLVMCreateBuilderInContext(context))
    }

    pub fn before(&self, instruction: Value) -> &Self {
        LLVMPositionBuilderBefore(self.0, instruction);
        LLVMSetCurrentDebugLocation2(self.0, LLVMInstructionGetDebugLoc(instruction));
        self
    }

    /// Before an instruction of the prologue, which has no place in the source.
    pub fn at_entry(&self, instruction: Value) -> &Self {
        LLVMPositionBuilderBefore(self.0, instruction);
        LLVMSetCurrentDebugLocation2(self.0, None);
        self
    }

    pub fn alloca(&self, ty: Type, name: &str) -> Value {
        // SAFETY: a string that ends in a zero, here and below; the arrays have as many elements as is said.
        unsafe { LLVMBuildAlloca(self.0, ty, c(name).as_ptr()) }
    }

    pub fn load(&self, ty: Type, from: Value) -> Value {
        // SAFETY: as above.
        unsafe { LLVMBuildLoad2(self.0, ty, from, c"".as_ptr()) }
    }

    pub fn store(&self, value: Value, to: Value) -> Value {
        LLVMBuildStore(self.0, value, to)
    }

    /// The address some bytes further on.
    pub fn further(&self, context: Context, base: Value, bytes: u64) -> Value {
        let index = LLVMConstInt(LLVMInt64TypeInContext(context), bytes, 0);
        // SAFETY: as above.
        unsafe { LLVMBuildGEP2(self.0, LLVMInt8TypeInContext(context), base, &index, 1, c"".as_ptr()) }
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
        LLVMDisposeBuilder(self.0)
    }
}
