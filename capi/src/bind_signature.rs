//! `statictramp_bind_signature`: `statictramp_bind_types` for a signature written as a string.

use crate::bind_types::statictramp_bind_types;
use crate::errno::{EINVAL, fail};
use crate::function::StatictrampFn;
use crate::raw::{StatictrampLeaf, StatictrampStruct, StatictrampType};
use core::ffi::{c_char, c_int, c_long, c_short, c_void};
use core::ptr::null;
use statictramp_raw::for_capi::{MOST_PARAMETERS, Type, size_and_align};

/// The maximum number of structs in a signature, and the maximum total number of their members.
const MOST_STRUCTS: usize = 16;
const MOST_MEMBERS: usize = 64;

/// Makes a trampoline as statictramp_bind_types does, but takes the signature as a string. `signature` describes the
/// function type that the caller uses: the result, then the parameters in parentheses. For example, "i(pp)" is `int
/// (void *, void *)`, and "v()" is `void (void)`. `callee` takes a `void *` before these parameters. The library reads
/// the string only during this call.
///
/// Each type is a letter; an upper-case integer letter denotes the unsigned type: `c C` signed char, `s S` short, `i I`
/// int, `l L` long, `q Q` 64 bits, `t T` 128 bits, `n N` ptrdiff_t and size_t, `B` _Bool, `p` pointer, `f` float, `d`
/// double, `D` long double, `jf jd jD` the complex types, `w` an 8-byte vector, `W` a 16-byte vector, `v` void (only as
/// the result). A struct is written as the letters of its members in braces: "{dd}(i)". Its members cannot be structs; an
/// array is written as its elements. The grammar, in which `|` separates alternatives and `*` means any number:
///
///     signature = (`v` | type) `(` type* `)`
///     type      = letter | `j` (`f` | `d` | `D`) | `{` (letter | `j` (`f` | `d` | `D`))* `}`
///
/// A signature may have up to 64 parameters, and up to 16 structs with 64 members in total.
///
/// Returns NULL and sets errno to EINVAL if `callee` or `signature` is NULL, if the string is not a signature
/// (statictramp_signature_error returns the position of the error), or if the context cannot be inserted. Returns NULL and
/// sets errno to ENOMEM if all slots are in use, or if no memory is available.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn statictramp_bind_signature(
    callee: StatictrampFn,
    context: *mut c_void,
    signature: *const c_char,
) -> StatictrampFn {
    let mut types = Types::NONE;
    // SAFETY: the header requires a string or NULL.
    if unsafe { types.read(signature) }.is_err() {
        return fail(EINVAL, None);
    }
    let (result, parameters) = types.finish();
    // SAFETY: the types that `finish` returns refer only to structs in `types`.
    unsafe { statictramp_bind_types(callee, context, result, parameters.as_ptr(), parameters.len()) }
}

/// Returns the position of the error in a string for statictramp_bind_signature, that is, the number of bytes before
/// the error. Returns -1 if the string is a valid signature and all its types exist on the target, and 0 if it is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn statictramp_signature_error(signature: *const c_char) -> isize {
    let mut types = Types::NONE;
    // SAFETY: the header requires a string or NULL.
    unsafe { types.read(signature) }.map_or_else(|position| position as isize, |()| -1)
}

/// The types of a signature. The pointers to structs and members are null until `finish` sets them, in the order of the
/// structs.
struct Types {
    /// The result (whose kind is 0 for void) and the parameters.
    types: [StatictrampType; 1 + MOST_PARAMETERS],
    structs: [StatictrampStruct; MOST_STRUCTS],
    members: [StatictrampLeaf; MOST_MEMBERS],
    /// The numbers of types, structs and members.
    used: [usize; 3],
}

impl Types {
    const NONE: Self = Types {
        types: [StatictrampType { kind: 0, of: null() }; 1 + MOST_PARAMETERS],
        structs: [const { StatictrampStruct { size: 0, count: 0, leaves: null() } }; MOST_STRUCTS],
        members: [StatictrampLeaf { offset: 0, kind: 0, of: null() }; MOST_MEMBERS],
        used: [0; 3],
    };

    /// Parses a signature. On failure, returns the position of the first byte that cannot be part of a signature.
    ///
    /// # Safety
    /// `signature` must be null or point to a string that ends with a null byte.
    unsafe fn read(&mut self, signature: *const c_char) -> Result<(), usize> {
        if signature.is_null() {
            return Err(0);
        }
        let mut text = Text { begin: signature.cast(), position: 0 };
        if text.accept(b'v') {
            self.used[0] = 1;
        } else {
            self.read_type(&mut text)?;
        }
        text.expect(b'(')?;
        while !text.accept(b')') {
            self.read_type(&mut text)?;
        }
        text.expect(0)
    }

    fn read_type(&mut self, text: &mut Text) -> Result<(), usize> {
        let position = text.position;
        let [types, structs, members] = self.used;
        let read = self.types.get_mut(types).ok_or(position)?;
        if text.accept(b'{') {
            let described = self.structs.get_mut(structs).ok_or(position)?;
            let (mut size, mut align, mut end) = (0usize, 1, members);
            while !text.accept(b'}') {
                let position = text.position;
                let member = self.members.get_mut(end).ok_or(position)?;
                let (kind, of) = text.kind()?;
                let (offset, this) = (size.next_multiple_of(of.1), of.1);
                *member = StatictrampLeaf { offset, kind, of: null() };
                (size, align, end) = (offset + of.0, align.max(this), end + 1);
            }
            *described = StatictrampStruct {
                size: size.next_multiple_of(align),
                count: end - members,
                leaves: null(),
            };
            read.kind = Type::STRUCT;
            self.used = [types + 1, structs + 1, end];
        } else {
            read.kind = text.kind()?.0;
            self.used[0] = types + 1;
        }
        Ok(())
    }

    /// Sets the pointers to structs and members, and returns the result (null for void) and the parameters.
    fn finish(&mut self) -> (*const StatictrampType, &[StatictrampType]) {
        let mut members = self.members.as_ptr();
        for described in &mut self.structs[..self.used[1]] {
            described.leaves = members;
            members = members.wrapping_add(described.count);
        }
        let mut described = self.structs.as_ptr();
        for read in self.types.iter_mut().filter(|read| read.kind == Type::STRUCT) {
            read.of = described;
            described = described.wrapping_add(1);
        }
        let (result, parameters) = self.types[..self.used[0]].split_at(1);
        (if result[0].kind == 0 { null() } else { result.as_ptr() }, parameters)
    }
}

/// A string that is never read beyond its null byte.
struct Text {
    begin: *const u8,
    position: usize,
}

impl Text {
    fn next(&self) -> u8 {
        // SAFETY: no null byte has been accepted yet, because only the last call, `expect(0)`, accepts one.
        unsafe { self.begin.add(self.position).read() }
    }

    fn accept(&mut self, byte: u8) -> bool {
        // rustc 1.95 might compile `usize::from(is_next)` to 0, so this uses `if` (`tests/legs/habits.sh`).
        let is_next = self.next() == byte;
        if is_next {
            self.position += 1;
        }
        is_next
    }

    fn expect(&mut self, byte: u8) -> Result<(), usize> {
        if self.accept(byte) { Ok(()) } else { Err(self.position) }
    }

    /// Reads the letters of a non-struct type. Returns its kind, size and alignment.
    fn kind(&mut self) -> Result<(u32, (usize, usize)), usize> {
        const POINTER: u32 = 10;
        const FLOAT: u32 = 11;
        let position = self.position;
        let is_complex = self.accept(b'j');
        let letter = self.next();
        let size = match letter.to_ascii_lowercase() {
            b'c' => 1,
            b's' => size_of::<c_short>(),
            b'i' => size_of::<c_int>(),
            b'l' => size_of::<c_long>(),
            b'q' => 8,
            b't' => 16,
            b'n' => size_of::<usize>(),
            _ => 0,
        };
        let kind = match letter {
            b'f' | b'd' | b'D' => {
                let first = if is_complex { FLOAT + 4 } else { FLOAT };
                first + u32::from(letter != b'f') + u32::from(letter == b'D')
            }
            _ if is_complex => return Err(self.position),
            b'p' => POINTER,
            b'B' => 2,
            b'w' => 18,
            b'W' => 19,
            _ if size == 16 => 9,
            _ if size != 0 => 2 * size.trailing_zeros() + 1 + u32::from(letter.is_ascii_uppercase()),
            _ => return Err(self.position),
        };
        self.position += 1;
        Ok((kind, size_and_align(kind).ok_or(position)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    extern crate std;

    fn error(text: &core::ffi::CStr) -> isize {
        // SAFETY: a `CStr` ends with a null byte.
        unsafe { statictramp_signature_error(text.as_ptr()) }
    }

    #[test]
    fn an_error_has_the_position_of_the_first_invalid_byte() {
        for valid in [c"v()", c"i(pp)", c"q(cCsSiIlLqQnNBpfdD)", c"{dd}(i{fi})", c"jd(jfjd)"] {
            assert_eq!(
                error(valid),
                if cfg!(target_arch = "powerpc") && valid == c"jd(jfjd)" { 0 } else { -1 }
            );
        }
        for (invalid, position) in [
            (c"", 0),
            (c"(", 0),
            (c"i", 1),
            (c"i(", 2),
            (c"i(v)", 2),
            (c"vi()", 1),
            (c"i(p) ", 4),
            (c"i(pp))", 5),
            (c"i(jp)", 3),
            (c"i({p", 4),
            (c"i({p{p}})", 4),
            (c"i(\xff)", 2),
            (c"{v}()", 1),
        ] {
            assert_eq!(error(invalid), position, "{invalid:?}");
        }
        // SAFETY: null is allowed.
        assert_eq!(unsafe { statictramp_signature_error(null()) }, 0);
        let mut long = [b'i'; 100];
        long[1] = b'(';
        long[99] = 0;
        assert_eq!(error(core::ffi::CStr::from_bytes_with_nul(&long).unwrap()), 2 + 64);
        long = [b'c'; 100];
        long[..3].copy_from_slice(b"i({");
        long[99] = 0;
        assert_eq!(error(core::ffi::CStr::from_bytes_with_nul(&long).unwrap()), 3 + 64);
    }

    #[test]
    fn no_error_position_is_beyond_the_end_of_the_string() {
        let mut state = 88_172_645_463_325_252u64;
        for _ in 0..100_000 {
            let mut text = [0u8; 24];
            for byte in &mut text[..23] {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                *byte = b"vcCsilqtnBpfdDjwW{}()(){}ii"[(state % 27) as usize];
            }
            let end = (state % 24) as usize;
            text[end] = 0;
            let position = error(core::ffi::CStr::from_bytes_until_nul(&text).unwrap());
            assert!(position <= end as isize);
        }
    }
}
