//! The part of LLVM's C API that the plugin uses: [`raw`] declares it, the rest are shorthands that read better.

mod builder;
mod raw;
mod value;

pub use builder::Builder;
pub use raw::*;
use std::ffi::{CStr, CString, c_char, c_int, c_uint};

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
        // SAFETY: each is a function.
        std::iter::successors(LLVMGetFirstFunction(self), |f| unsafe { LLVMGetNextFunction(*f) })
    }

    /// Its global variables.
    pub fn globals(self) -> impl Iterator<Item = Value> {
        // SAFETY: each is a global variable.
        std::iter::successors(LLVMGetFirstGlobal(self), |global| unsafe { LLVMGetNextGlobal(*global) })
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

    /// The target that it is compiled for.
    pub fn target(self) -> String {
        // SAFETY: as above; the name is a string of this module.
        unsafe { CStr::from_ptr(LLVMGetTarget(self)) }.to_string_lossy().into_owned()
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

impl Type {
    pub fn is_struct(self) -> bool {
        LLVMGetTypeKind(self) == STRUCT
    }

    pub fn is_array(self) -> bool {
        LLVMGetTypeKind(self) == ARRAY
    }

    /// Whether it is a structure that is known by its elements alone.
    pub fn is_unnamed_struct(self) -> bool {
        // SAFETY: it is a structure.
        self.is_struct() && unsafe { LLVMIsLiteralStruct(self) != 0 }
    }

    pub fn is_void(self) -> bool {
        LLVMGetTypeKind(self) == VOID
    }

    pub fn is_pointer(self) -> bool {
        LLVMGetTypeKind(self) == POINTER
    }

    /// Whether it is the type of integers of so many bits.
    pub fn is_integer(self, bits: u32) -> bool {
        // SAFETY: it is an integer type.
        LLVMGetTypeKind(self) == INTEGER_TYPE && unsafe { LLVMGetIntTypeWidth(self) } == bits
    }

    /// The number of a structure's elements.
    pub fn element_count(self) -> u32 {
        assert!(self.is_struct());
        // SAFETY: it is a structure.
        unsafe { LLVMCountStructElementTypes(self) }
    }

    /// The type of an element of a structure.
    pub fn element_at(self, index: u32) -> Type {
        assert!(index < self.element_count());
        // SAFETY: it has such an element.
        unsafe { LLVMStructGetTypeAtIndex(self, index) }
    }

    /// The type of the elements of an array or of a vector.
    pub fn element(self) -> Type {
        assert!(matches!(LLVMGetTypeKind(self), ARRAY | VECTOR));
        // SAFETY: it is one of these.
        unsafe { LLVMGetElementType(self) }
    }

    /// Whether its size is a number that the compiler knows.
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
    /// The size in bytes of a type that has one.
    pub fn size_of(self, ty: Type) -> u64 {
        assert!(LLVMTypeIsSized(ty) != 0);
        // SAFETY: it has a size.
        unsafe { LLVMABISizeOfType(self, ty) }
    }

    /// Bytes from the start of a structure to one of its elements.
    pub fn offset_of(self, structure: Type, element: u32) -> u64 {
        assert!(element < structure.element_count() && LLVMTypeIsSized(structure) != 0);
        // SAFETY: it has such an element, and a size.
        unsafe { LLVMOffsetOfElement(self, structure, element) }
    }
}

impl Subprogram {
    /// The function as a scope.
    pub fn scope(self) -> Scope {
        Scope(self.0)
    }
}

impl Context {
    /// The null pointer.
    pub fn null(self) -> Value {
        // SAFETY: a pointer's type has a null.
        unsafe { LLVMConstNull(self.pointer()) }
    }

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

pub fn array_type(element: Type, count: u64) -> Type {
    assert!(element.has_fixed_size());
    // SAFETY: what has a size may be an element.
    unsafe { LLVMArrayType2(element, count) }
}

pub fn function_type(result: Type, parameters: &[Type]) -> Type {
    // SAFETY: the count goes with the parameters.
    unsafe { LLVMFunctionType(result, parameters.as_ptr(), parameters.len() as c_uint, 0) }
}

/// The name of a file, as debug information has it.
pub fn file_name(file: File) -> String {
    let mut bytes = 0;
    // SAFETY: LLVM returns the length with the start.
    unsafe { text(LLVMDIFileGetFilename(file, &mut bytes), bytes as usize) }
}
