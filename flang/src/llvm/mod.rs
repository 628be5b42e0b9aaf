//! The part of LLVM's C API that the plugin uses. [`raw`] declares the functions, and the other files wrap them in
//! methods.

mod builder;
mod raw;
mod value;

pub use builder::Builder;
pub use raw::*;
use std::ffi::{CStr, CString, c_char, c_int, c_uint};

fn c(text: &str) -> CString {
    CString::new(text).unwrap_or_default()
}

/// Copies a string from LLVM. Returns an empty string for null.
///
/// # Safety
/// `start` must be null or point to `bytes` readable bytes.
unsafe fn text(start: *const c_char, bytes: usize) -> String {
    if start.is_null() {
        return String::new();
    }
    // SAFETY: the caller upholds the safety contract.
    let bytes = unsafe { std::slice::from_raw_parts(start.cast::<u8>(), bytes) };
    String::from_utf8_lossy(bytes).into_owned()
}

/// Converts a message from LLVM to a string, and frees the message.
///
/// # Safety
/// `why` must be null or a message that LLVM allocated.
unsafe fn message(why: *mut c_char) -> String {
    if why.is_null() {
        return String::new();
    }
    // SAFETY: the caller upholds the safety contract.
    unsafe {
        let text = CStr::from_ptr(why).to_string_lossy().into_owned();
        LLVMDisposeMessage(why);
        text
    }
}

impl Module {
    /// Reads a file of bitcode or textual IR. The path `-` means standard input.
    pub fn read(context: Context, path: &CStr) -> Result<Module, String> {
        let (mut buffer, mut module, mut why) = (None, None, std::ptr::null_mut());
        // SAFETY: the result pointers are valid, and the parser takes ownership of the buffer.
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

    /// Returns the module as textual IR.
    pub fn to_text(self) -> Vec<u8> {
        // SAFETY: the string is zero-terminated, and is copied before it is freed.
        unsafe {
            let text = LLVMPrintModuleToString(self);
            let copy = CStr::from_ptr(text).to_bytes().to_vec();
            LLVMDisposeMessage(text);
            copy
        }
    }

    /// Returns the module as bitcode.
    pub fn to_bitcode(self) -> Vec<u8> {
        // SAFETY: the buffer has the size that LLVM reports, and is copied before it is freed.
        unsafe {
            let buffer = LLVMWriteBitcodeToMemoryBuffer(self);
            let start = LLVMGetBufferStart(buffer).cast::<u8>();
            let copy = std::slice::from_raw_parts(start, LLVMGetBufferSize(buffer)).to_vec();
            LLVMDisposeMemoryBuffer(buffer);
            copy
        }
    }

    /// Runs LLVM's verifier on the module. The error is LLVM's message.
    pub fn verify(self) -> Result<(), String> {
        const RETURN_STATUS: c_int = 2;
        let mut why = std::ptr::null_mut();
        // SAFETY: the pointer for the message is valid, and the message is freed after use.
        unsafe {
            let broken = LLVMVerifyModule(self, RETURN_STATUS, &mut why) != 0;
            let text = message(why);
            if broken { Err(text) } else { Ok(()) }
        }
    }

    pub fn functions(self) -> impl Iterator<Item = Value> {
        // SAFETY: each value is a function.
        std::iter::successors(LLVMGetFirstFunction(self), |f| unsafe { LLVMGetNextFunction(*f) })
    }

    /// Returns the module's global variables.
    pub fn globals(self) -> impl Iterator<Item = Value> {
        // SAFETY: each value is a global variable.
        std::iter::successors(LLVMGetFirstGlobal(self), |global| unsafe { LLVMGetNextGlobal(*global) })
    }

    pub fn function(self, name: &str) -> Option<Value> {
        // SAFETY: the string is zero-terminated.
        unsafe { LLVMGetNamedFunction(self, c(name).as_ptr()) }
    }

    /// Returns the function, variable or alias with the given name.
    pub fn global(self, name: &str) -> Option<Value> {
        // SAFETY: the pointer and the length belong to the same string.
        unsafe { statictramp_global(self, name.as_ptr().cast(), name.len()) }
    }

    pub fn add_function(self, name: &str, ty: Type) -> Value {
        // SAFETY: as above.
        unsafe { LLVMAddFunction(self, c(name).as_ptr(), ty) }
    }

    /// Removes line tables and other debug information. Returns true if anything changed.
    pub fn remove_debug_information(self) -> bool {
        LLVMStripModuleDebugInfo(self) != 0
    }

    /// Returns the module's target triple.
    pub fn target(self) -> String {
        // SAFETY: as above. The module owns the triple string.
        unsafe { CStr::from_ptr(LLVMGetTarget(self)) }.to_string_lossy().into_owned()
    }

    /// Links functions from the IR text into this module, but only those that this module declares and calls.
    pub fn link(self, ir: &str) {
        let mut parsed = None;
        let mut why = std::ptr::null_mut();
        // SAFETY: the buffer is a copy, which the parser frees. The pointers for the results are valid. This module
        // owns the layout and triple strings. The linker consumes the parsed module.
        unsafe {
            let context = LLVMGetModuleContext(self);
            let buffer =
                LLVMCreateMemoryBufferWithMemoryRangeCopy(ir.as_ptr().cast(), ir.len(), c"helpers".as_ptr());
            if LLVMParseIRInContext(context, buffer, &mut parsed, &mut why) != 0 {
                panic!("this LLVM rejects the IR of the helper functions: {}", message(why));
            }
            let helpers = parsed.expect("the parser returned no module although it reported no error");
            LLVMSetDataLayout(helpers, LLVMGetDataLayoutStr(self));
            LLVMSetTarget(helpers, LLVMGetTarget(self));
            assert_eq!(
                LLVMLinkModules2(self, helpers),
                0,
                "the helper functions cannot be linked into the module"
            );
        }
    }
}

impl Type {
    pub fn is_struct(self) -> bool {
        LLVMGetTypeKind(self) == STRUCT
    }

    pub fn is_array(self) -> bool {
        LLVMGetTypeKind(self) == ARRAY
    }

    /// Returns whether the type is a literal structure, which is identified by its elements alone.
    pub fn is_unnamed_struct(self) -> bool {
        // SAFETY: the type is a structure.
        self.is_struct() && unsafe { LLVMIsLiteralStruct(self) != 0 }
    }

    pub fn is_void(self) -> bool {
        LLVMGetTypeKind(self) == VOID
    }

    pub fn is_pointer(self) -> bool {
        LLVMGetTypeKind(self) == POINTER
    }

    /// Returns whether the type is an integer type with this width in bits.
    pub fn is_integer(self, bits: u32) -> bool {
        // SAFETY: the type is an integer type.
        LLVMGetTypeKind(self) == INTEGER_TYPE && unsafe { LLVMGetIntTypeWidth(self) } == bits
    }

    /// Returns the number of elements of a structure.
    pub fn element_count(self) -> u32 {
        assert!(self.is_struct());
        // SAFETY: the type is a structure.
        unsafe { LLVMCountStructElementTypes(self) }
    }

    /// Returns the type of an element of a structure.
    pub fn element_at(self, index: u32) -> Type {
        assert!(index < self.element_count());
        // SAFETY: the structure has an element with this index.
        unsafe { LLVMStructGetTypeAtIndex(self, index) }
    }

    /// Returns the element type of an array or vector.
    pub fn element(self) -> Type {
        assert!(matches!(LLVMGetTypeKind(self), ARRAY | VECTOR));
        // SAFETY: the type is an array or a vector.
        unsafe { LLVMGetElementType(self) }
    }

    /// Returns whether the type's size is known at compile time.
    pub fn has_fixed_size(self) -> bool {
        let mut todo = vec![self];
        while let Some(ty) = todo.pop() {
            match LLVMGetTypeKind(ty) {
                SCALABLE_VECTOR | TARGET_EXTENSION => return false,
                ARRAY | VECTOR => todo.push(ty.element()),
                STRUCT => todo.extend((0..ty.element_count()).map(|index| ty.element_at(index))),
                _ if LLVMTypeIsSized(ty) == 0 => return false,
                _ => {}
            }
        }
        LLVMTypeIsSized(self) != 0
    }
}

impl DataLayout {
    /// Returns the size in bytes of a sized type.
    pub fn size_of(self, ty: Type) -> u64 {
        assert!(LLVMTypeIsSized(ty) != 0);
        // SAFETY: the type is sized.
        unsafe { LLVMABISizeOfType(self, ty) }
    }

    /// Returns the byte offset of an element from the start of its structure.
    pub fn offset_of(self, structure: Type, element: u32) -> u64 {
        assert!(element < structure.element_count() && LLVMTypeIsSized(structure) != 0);
        // SAFETY: the structure is sized and has an element with this index.
        unsafe { LLVMOffsetOfElement(self, structure, element) }
    }
}

impl Subprogram {
    /// Returns the function as a scope.
    pub fn scope(self) -> Scope {
        Scope(self.0)
    }
}

impl Context {
    /// Returns the null pointer of the default address space.
    pub fn null(self) -> Value {
        // SAFETY: every pointer type has a null value.
        unsafe { LLVMConstNull(self.pointer()) }
    }

    pub fn pointer(self) -> Type {
        LLVMPointerTypeInContext(self, 0)
    }

    pub fn metadata_kind(self, name: &str) -> c_uint {
        // SAFETY: the pointer and the length belong to the same string.
        unsafe { LLVMGetMDKindIDInContext(self, name.as_ptr().cast(), name.len() as c_uint) }
    }

    pub fn packed_struct(self, elements: &[Type]) -> Type {
        // SAFETY: the pointer and the count belong to the same slice.
        unsafe { LLVMStructTypeInContext(self, elements.as_ptr(), elements.len() as c_uint, 1) }
    }
}

pub fn array_type(element: Type, count: u64) -> Type {
    assert!(element.has_fixed_size());
    // SAFETY: any sized type can be an array's element type.
    unsafe { LLVMArrayType2(element, count) }
}

pub fn function_type(result: Type, parameters: &[Type]) -> Type {
    // SAFETY: the pointer and the count belong to the same slice.
    unsafe { LLVMFunctionType(result, parameters.as_ptr(), parameters.len() as c_uint, 0) }
}

/// Returns a source file's name as recorded in debug information.
pub fn file_name(file: File) -> String {
    let mut bytes = 0;
    // SAFETY: LLVM returns the string's pointer and its length.
    unsafe { text(LLVMDIFileGetFilename(file, &mut bytes), bytes as usize) }
}
