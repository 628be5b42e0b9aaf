//! LLVM's C API as declared in llvm-c/Core.h, DebugInfo.h, Target.h and Linker.h, unchanged from LLVM 19 to 23.
//!
//! Only LLVM creates references of these types, and no code keeps a reference to an erased object, so a function that
//! accepts any reference of its parameter types is safe to call. A function with additional requirements, such as an
//! index within bounds or a certain kind of value or type, is unsafe, because LLVM does not check these requirements. The
//! methods in this directory check the requirements before the call.

use std::ffi::{c_char, c_int, c_longlong, c_uint, c_ulonglong, c_void};
use std::ptr::NonNull;

macro_rules! references {
    ($($(#[$doc:meta])* $name:ident)*) => { $(
        $(#[$doc])*
        #[repr(transparent)]
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub struct $name(pub(super) NonNull<c_void>);
    )* };
}

references! {
    /// A context, which owns modules.
    Context
    /// A module.
    Module
    /// A value: a function, an instruction, a constant or a parameter.
    Value
    /// A use of a value as an operand.
    Use
    /// A type.
    Type
    /// A basic block.
    Block
    /// The source location of an instruction.
    Location
    /// The scope that contains a source location.
    Scope
    /// The debug information of a function.
    Subprogram
    /// A source file.
    File
    /// An instruction builder.
    BuilderRef
    /// The sizes and offsets of types on a target.
    DataLayout
    /// An attribute.
    Attribute
    /// A buffer with the contents of a file.
    Buffer
}

#[allow(non_snake_case)]
unsafe extern "C" {
    pub safe fn LLVMGetVersion(major: &mut c_uint, minor: &mut c_uint, patch: &mut c_uint);
    pub safe fn LLVMGetModuleContext(module: Module) -> Context;
    pub safe fn LLVMGetModuleDataLayout(module: Module) -> DataLayout;
    pub safe fn LLVMGetFirstFunction(module: Module) -> Option<Value>;
    pub(super) fn LLVMGetNextFunction(function: Value) -> Option<Value>;
    pub(super) safe fn LLVMGetFirstGlobal(module: Module) -> Option<Value>;
    pub(super) fn LLVMGetNextGlobal(global: Value) -> Option<Value>;
    pub(super) fn LLVMGetNamedFunction(module: Module, name: *const c_char) -> Option<Value>;
    pub(super) fn LLVMAddFunction(module: Module, name: *const c_char, ty: Type) -> Value;
    pub(super) fn LLVMDeleteFunction(function: Value);
    pub(super) fn LLVMGetDataLayoutStr(module: Module) -> *const c_char;
    pub(super) fn LLVMSetDataLayout(module: Module, layout: *const c_char);
    pub(super) fn LLVMGetTarget(module: Module) -> *const c_char;
    pub(super) fn LLVMSetTarget(module: Module, triple: *const c_char);
    pub(super) fn LLVMLinkModules2(into: Module, from: Module) -> c_int;
    pub(super) fn LLVMParseIRInContext(
        context: Context,
        file: Buffer,
        module: *mut Option<Module>,
        why: *mut *mut c_char,
    ) -> c_int;
    pub(super) fn LLVMCreateMemoryBufferWithMemoryRangeCopy(
        start: *const c_char,
        bytes: usize,
        name: *const c_char,
    ) -> Buffer;
    pub(super) fn LLVMCreateMemoryBufferWithContentsOfFile(
        path: *const c_char,
        buffer: *mut Option<Buffer>,
        why: *mut *mut c_char,
    ) -> c_int;
    pub(super) fn LLVMCreateMemoryBufferWithSTDIN(
        buffer: *mut Option<Buffer>,
        why: *mut *mut c_char,
    ) -> c_int;
    pub(super) fn LLVMVerifyModule(module: Module, action: c_int, why: *mut *mut c_char) -> c_int;
    pub(super) safe fn LLVMPrintModuleToString(module: Module) -> *mut c_char;
    pub(super) safe fn LLVMWriteBitcodeToMemoryBuffer(module: Module) -> Buffer;
    pub(super) fn LLVMGetBufferStart(buffer: Buffer) -> *const c_char;
    pub(super) fn LLVMGetBufferSize(buffer: Buffer) -> usize;
    pub(super) fn LLVMDisposeMemoryBuffer(buffer: Buffer);
    pub safe fn LLVMContextCreate() -> Context;
    pub(super) fn LLVMDisposeMessage(message: *mut c_char);

    pub safe fn LLVMGetFirstUse(value: Value) -> Option<Use>;
    pub safe fn LLVMGetNextUse(of: Use) -> Option<Use>;
    pub safe fn LLVMGetUser(of: Use) -> Value;
    pub safe fn LLVMTypeOf(value: Value) -> Type;
    pub(super) fn LLVMGetValueName2(value: Value, bytes: *mut usize) -> *const c_char;
    pub(super) fn LLVMSetValueName2(value: Value, name: *const c_char, bytes: usize);
    pub(super) fn LLVMReplaceAllUsesWith(old: Value, new: Value);
    pub(super) safe fn LLVMIsAUser(value: Value) -> Option<Value>;
    pub(super) safe fn LLVMIsAGlobalValue(value: Value) -> Option<Value>;
    pub(super) safe fn LLVMIsATerminatorInst(value: Value) -> Option<Value>;
    pub safe fn LLVMIsAArgument(value: Value) -> Option<Value>;
    pub safe fn LLVMIsAFunction(value: Value) -> Option<Value>;
    pub safe fn LLVMIsAGlobalVariable(value: Value) -> Option<Value>;
    pub safe fn LLVMIsAConstantInt(value: Value) -> Option<Value>;
    pub safe fn LLVMIsAConstantExpr(value: Value) -> Option<Value>;
    pub safe fn LLVMIsAInstruction(value: Value) -> Option<Value>;
    pub safe fn LLVMIsACallInst(value: Value) -> Option<Value>;
    pub safe fn LLVMIsAInvokeInst(value: Value) -> Option<Value>;
    pub safe fn LLVMIsNull(value: Value) -> c_int;
    pub(super) fn LLVMGetMDKindIDInContext(context: Context, name: *const c_char, bytes: c_uint) -> c_uint;
    pub(super) fn LLVMSetMetadata(instruction: Value, kind: c_uint, node: Option<Value>);
    pub(super) fn statictramp_global(module: Module, name: *const c_char, bytes: usize) -> Option<Value>;
    pub(super) fn statictramp_is_plain_alloca(alloca: Value) -> bool;
    pub(super) fn LLVMConstIntGetSExtValue(value: Value) -> c_longlong;
    pub(super) fn LLVMGetConstOpcode(value: Value) -> c_int;
    pub(super) fn LLVMGetOperand(value: Value, index: c_uint) -> Value;
    pub(super) fn LLVMGetNumOperands(value: Value) -> c_int;

    pub safe fn LLVMGetIntrinsicID(function: Value) -> c_uint;
    pub(super) fn LLVMCountParams(function: Value) -> c_uint;
    pub(super) fn LLVMGetParam(function: Value, index: c_uint) -> Value;
    pub(super) fn LLVMGetParamParent(parameter: Value) -> Value;
    pub(super) fn LLVMGetLinkage(global: Value) -> c_int;
    pub(super) fn LLVMIsDeclaration(global: Value) -> c_int;
    pub(super) fn LLVMHasPersonalityFn(function: Value) -> c_int;
    pub(super) fn LLVMGetEnumAttributeKindForName(name: *const c_char, bytes: usize) -> c_uint;
    pub(super) fn LLVMGetEnumAttributeAtIndex(
        function: Value,
        index: c_uint,
        kind: c_uint,
    ) -> Option<Attribute>;
    pub(super) fn LLVMCreateEnumAttribute(context: Context, kind: c_uint, value: u64) -> Attribute;
    pub(super) fn LLVMCreateStringAttribute(
        context: Context,
        name: *const c_char,
        name_bytes: c_uint,
        value: *const c_char,
        value_bytes: c_uint,
    ) -> Attribute;
    pub(super) fn LLVMAddAttributeAtIndex(function: Value, index: c_uint, attribute: Attribute);
    pub(super) safe fn LLVMGetTypeContext(ty: Type) -> Context;
    pub(super) fn statictramp_direct(function: Value) -> bool;
    pub(super) fn LLVMRemoveEnumAttributeAtIndex(function: Value, index: c_uint, kind: c_uint);
    pub(super) fn LLVMGetCallSiteEnumAttribute(call: Value, index: c_uint, kind: c_uint)
    -> Option<Attribute>;
    pub(super) fn LLVMAddCallSiteAttribute(call: Value, index: c_uint, attribute: Attribute);
    pub(super) fn LLVMRemoveCallSiteEnumAttribute(call: Value, index: c_uint, kind: c_uint);
    pub(super) fn LLVMGetEnumAttributeValue(attribute: Attribute) -> u64;

    pub(super) fn LLVMGetEntryBasicBlock(function: Value) -> Block;
    pub(super) fn LLVMGetFirstBasicBlock(function: Value) -> Option<Block>;
    pub safe fn LLVMGetNextBasicBlock(block: Block) -> Option<Block>;
    pub safe fn LLVMGetBasicBlockParent(block: Block) -> Value;
    pub safe fn LLVMGetBasicBlockTerminator(block: Block) -> Option<Value>;
    pub safe fn LLVMGetFirstInstruction(block: Block) -> Option<Value>;
    pub(super) fn LLVMGetNextInstruction(instruction: Value) -> Option<Value>;
    pub(super) fn LLVMGetPreviousInstruction(instruction: Value) -> Option<Value>;
    pub(super) fn LLVMGetInstructionParent(instruction: Value) -> Block;
    pub safe fn LLVMGetInstructionOpcode(instruction: Value) -> c_int;
    pub(super) fn LLVMInstructionEraseFromParent(instruction: Value);
    pub(super) fn LLVMGetCalledValue(call: Value) -> Value;
    pub(super) fn LLVMGetNumArgOperands(call: Value) -> c_uint;
    pub(super) fn LLVMGetTailCallKind(call: Value) -> c_int;
    pub(super) fn LLVMGetAllocatedType(alloca: Value) -> Type;
    pub(super) fn LLVMGetGEPSourceElementType(gep: Value) -> Type;
    pub(super) fn LLVMGetAlignment(memory: Value) -> c_uint;
    pub(super) fn LLVMSetAlignment(memory: Value, bytes: c_uint);

    pub safe fn LLVMGetTypeKind(ty: Type) -> c_int;
    pub(super) fn LLVMGetPointerAddressSpace(ty: Type) -> c_uint;
    pub safe fn LLVMTypeIsSized(ty: Type) -> c_int;
    pub(super) fn LLVMCountStructElementTypes(ty: Type) -> c_uint;
    pub(super) fn LLVMGetIntTypeWidth(ty: Type) -> c_uint;
    pub(super) fn LLVMIsLiteralStruct(ty: Type) -> c_int;
    pub(super) fn LLVMStructGetTypeAtIndex(ty: Type, index: c_uint) -> Type;
    pub(super) fn LLVMGetElementType(ty: Type) -> Type;
    pub(super) fn LLVMABISizeOfType(layout: DataLayout, ty: Type) -> c_ulonglong;
    pub(super) fn LLVMOffsetOfElement(layout: DataLayout, ty: Type, index: c_uint) -> c_ulonglong;
    pub safe fn LLVMPointerTypeInContext(context: Context, space: c_uint) -> Type;
    pub safe fn LLVMVoidTypeInContext(context: Context) -> Type;
    pub safe fn LLVMInt8TypeInContext(context: Context) -> Type;
    pub safe fn LLVMInt64TypeInContext(context: Context) -> Type;
    pub(super) fn LLVMArrayType2(element: Type, count: u64) -> Type;
    pub(super) fn LLVMStructTypeInContext(
        context: Context,
        elements: *const Type,
        count: c_uint,
        packed: c_int,
    ) -> Type;
    pub(super) fn LLVMFunctionType(
        result: Type,
        parameters: *const Type,
        count: c_uint,
        variadic: c_int,
    ) -> Type;
    pub(super) fn LLVMConstNull(ty: Type) -> Value;
    pub(super) fn LLVMConstInt(ty: Type, value: c_ulonglong, signed: c_int) -> Value;

    pub(super) safe fn LLVMCreateBuilderInContext(context: Context) -> BuilderRef;
    pub(super) fn LLVMDisposeBuilder(builder: BuilderRef);
    pub(super) fn LLVMPositionBuilderBefore(builder: BuilderRef, instruction: Value);
    pub(super) safe fn LLVMSetCurrentDebugLocation2(builder: BuilderRef, location: Option<Location>);
    pub(super) fn LLVMBuildAlloca(builder: BuilderRef, ty: Type, name: *const c_char) -> Value;
    pub(super) fn LLVMBuildLoad2(builder: BuilderRef, ty: Type, from: Value, name: *const c_char) -> Value;
    pub(super) fn LLVMBuildStore(builder: BuilderRef, value: Value, to: Value) -> Value;
    pub(super) fn LLVMBuildGEP2(
        builder: BuilderRef,
        ty: Type,
        base: Value,
        indices: *const Value,
        count: c_uint,
        name: *const c_char,
    ) -> Value;
    pub(super) fn LLVMBuildCall2(
        builder: BuilderRef,
        ty: Type,
        function: Value,
        arguments: *const Value,
        count: c_uint,
        name: *const c_char,
    ) -> Value;

    pub(super) fn LLVMInstructionGetDebugLoc(instruction: Value) -> Option<Location>;
    pub safe fn LLVMDILocationGetLine(location: Location) -> c_uint;
    pub safe fn LLVMDILocationGetColumn(location: Location) -> c_uint;
    pub safe fn LLVMDILocationGetScope(location: Location) -> Option<Scope>;
    pub safe fn LLVMDILocationGetInlinedAt(location: Location) -> Option<Location>;
    pub(super) safe fn LLVMStripModuleDebugInfo(module: Module) -> c_int;
    pub safe fn LLVMDIScopeGetFile(scope: Scope) -> Option<File>;
    pub(super) fn LLVMDIFileGetFilename(file: File, bytes: *mut c_uint) -> *const c_char;
    pub safe fn LLVMIsUndef(value: Value) -> c_int;
    pub(super) fn LLVMGetNumIndices(instruction: Value) -> c_uint;
    pub(super) fn LLVMGetIndices(instruction: Value) -> *const c_uint;
    pub(super) fn LLVMGetNumSuccessors(terminator: Value) -> c_uint;
    pub(super) fn LLVMGetSuccessor(terminator: Value, number: c_uint) -> Block;
    pub(super) fn LLVMGetInitializer(global: Value) -> Option<Value>;
    pub(super) fn LLVMIsGlobalConstant(variable: Value) -> c_int;
    pub safe fn LLVMIsAConstant(value: Value) -> Option<Value>;
    pub(super) fn LLVMGetSubprogram(function: Value) -> Option<Subprogram>;
    pub safe fn LLVMDISubprogramGetLine(subprogram: Subprogram) -> c_uint;
}

/// The values of `LLVMOpcode` that the plugin uses.
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

pub(super) const VOID: c_int = 0;
pub(super) const INTEGER_TYPE: c_int = 8;
pub(super) const STRUCT: c_int = 10;
pub(super) const ARRAY: c_int = 11;
pub(super) const POINTER: c_int = 12;
pub(super) const VECTOR: c_int = 13;
pub(super) const SCALABLE_VECTOR: c_int = 17;
pub(super) const TARGET_EXTENSION: c_int = 20;
pub(super) const INTERNAL: c_int = 8;
pub(super) const PRIVATE: c_int = 9;
pub(super) const MUST_TAIL: c_int = 2;

/// The linkage of the helper functions.
pub const LINK_ONCE_ODR: c_int = 3;

/// The attribute index of the function itself. A parameter's index is its number plus one.
pub const FUNCTION_ATTRIBUTES: c_uint = c_uint::MAX;

/// The attribute index of a function's result.
pub const RESULT: c_uint = 0;
