//! Tests closures that take descriptors. Fortran code of two compilers calls them, and each compiler's descriptors are
//! passed to the other's code. Then tests every type code in the compilers' headers.
//!
//! This is a static library that contains the program's `main`. It is compiled once, and then linked with each object in
//! turn.

use statictramp_interop::descriptor::{
    Attribute, Category::*, Descriptor, DescriptorError, Format, Type, View,
};
use std::cell::RefCell;

mod arrays;
mod classes;
mod plain;

/// A procedure that takes a descriptor, as for Fortran's dummy arguments.
type Taker = unsafe extern "C" fn(*mut ());

/// A compiler's procedures from callers.f90.
struct Compiler {
    name: &'static str,
    shapes: unsafe extern "C" fn(Taker),
    ranks: unsafe extern "C" fn(Taker),
    pointers: unsafe extern "C" fn(Taker),
    allocatables: unsafe extern "C" fn(Taker),
    characters: unsafe extern "C" fn(Taker, Taker),
    total: unsafe extern "C" fn(*mut ()) -> f64,
    grow: Taker,
    turn: Taker,
}

macro_rules! compiler {
    ($name:ident $shapes:ident $ranks:ident $pointers:ident $allocatables:ident $characters:ident $total:ident $grow:ident $turn:ident) => {{
        unsafe extern "C" {
            fn $shapes(f: Taker);
            fn $ranks(f: Taker);
            fn $pointers(f: Taker);
            fn $allocatables(f: Taker);
            fn $characters(f: Taker, g: Taker);
            fn $total(a: *mut ()) -> f64;
            fn $grow(x: *mut ());
            fn $turn(p: *mut ());
        }
        Compiler {
            name: stringify!($name),
            shapes: $shapes,
            ranks: $ranks,
            pointers: $pointers,
            allocatables: $allocatables,
            characters: $characters,
            total: $total,
            grow: $grow,
            turn: $turn,
        }
    }};
}

fn gfortran() -> Compiler {
    compiler!(gfortran gfortran_shapes gfortran_ranks gfortran_pointers gfortran_allocatables gfortran_characters
        gfortran_total gfortran_grow gfortran_turn)
}

fn flang() -> Compiler {
    compiler!(flang flang_shapes flang_ranks flang_pointers flang_allocatables flang_characters
        flang_total flang_grow flang_turn)
}

/// # Safety
/// `descriptor` must be a Fortran descriptor.
unsafe fn view<'d>(descriptor: *mut ()) -> View<'d> {
    // SAFETY: the caller upholds the safety contract.
    unsafe { View::of(descriptor) }.unwrap()
}

/// Returns the elements of a view of rank 1 or 2. The first subscript varies fastest.
fn elements<T: Copy>(view: &View<'_>) -> Vec<T> {
    let ranges: Vec<_> = view.dimensions().iter().map(|d| d.lower_bound..d.lower_bound + d.extent).collect();
    let subscripts: Vec<Vec<isize>> = match &ranges[..] {
        [first] => first.clone().map(|i| vec![i]).collect(),
        [first, second] => second.clone().flat_map(|j| first.clone().map(move |i| vec![i, j])).collect(),
        _ => unreachable!(),
    };
    // SAFETY: these are elements of a live array of this type.
    subscripts.iter().map(|at| unsafe { *view.element(at).unwrap().cast::<T>() }).collect()
}

/// Tests the arguments of `compiler`, in the layout `layout`. `other` is the other compiler.
fn run(compiler: &Compiler, layout: Format, other: &Compiler, other_layout: Format) {
    let real = Type { category: Real, kind: 8 };
    let grids = RefCell::new(Vec::new());
    let array = |a: *mut ()| {
        // SAFETY: the Fortran procedure passes the address of a valid descriptor.
        let a = unsafe { view(a) };
        assert_eq!((a.format(), a.element_type(), a.element_len()), (layout, real, 8));
        assert_eq!((a.attribute(), a.addendum(), a.is_assumed_size()), (Attribute::Other, None, false));
        assert_eq!(a.is_empty(), a.len() == Some(0));
        let list = elements::<f64>(&a);
        let mut converted = Descriptor::new(&a, other_layout).unwrap();
        assert_eq!(converted.view().unwrap().dimensions(), a.dimensions());
        // SAFETY: this is a Fortran procedure for such an array, in that compiler's layout.
        let total = unsafe { (other.total)(converted.as_mut_ptr()) };
        assert_eq!(total, list.iter().sum::<f64>() + a.dimensions()[0].extent as f64);
        grids.borrow_mut().push(list);
    };
    let bound = statictramp::bind(&array).unwrap();
    // SAFETY: the closure lives while Fortran code runs, on this thread. The same applies below.
    unsafe { (compiler.shapes)(bound.as_fn()) };
    let whole: Vec<f64> = (1..=6).flat_map(|j| (1..=4).map(move |i| f64::from(10 * i + j))).collect();
    assert_eq!(*grids.borrow(), [whole, vec![16., 46., 14., 44., 12., 42.], vec![]]);

    let types = RefCell::new(Vec::new());
    let anything = |a: *mut ()| {
        // SAFETY: the Fortran procedure passes the address of a valid descriptor.
        let a = unsafe { view(a) };
        let Type { category, kind } = a.element_type();
        types.borrow_mut().push((a.dimensions().len(), category, kind, a.element_len(), a.len()));
    };
    let bound = statictramp::bind(&anything).unwrap();
    // SAFETY: as above.
    unsafe { (compiler.ranks)(bound.as_fn()) };
    let kindless = |found: &(usize, _, u8, usize, Option<usize>)| {
        let kind = if [Struct, Pointer].contains(&found.1) { 0 } else { found.2 };
        (found.0, found.1, kind, found.3, found.4)
    };
    let found: Vec<_> = types.borrow().iter().map(kindless).collect();
    let of_c_ptr = if layout == Format::Gfortran { Pointer } else { found[11].1 };
    assert!([Pointer, Struct].contains(&of_c_ptr)); // a derived type with one component
    assert_eq!(
        found,
        [
            (1, Integer, 1, 1, Some(2)),
            (2, Integer, 2, 2, Some(2)),
            (3, Integer, 4, 4, Some(6)),
            (4, Integer, 8, 8, Some(24)),
            (0, Real, 4, 4, Some(1)),
            (7, Real, 8, 8, Some(2)),
            (1, Complex, 4, 8, Some(3)),
            (1, Complex, 8, 16, Some(3)),
            (1, Logical, 1, 1, Some(3)),
            (1, Logical, 4, 4, Some(3)),
            (1, Character, 1, 1, Some(5)),
            (1, of_c_ptr, 0, 8, Some(2)),
            (1, Struct, 0, 16, Some(2)),
        ]
    );

    let seen = RefCell::new(Vec::new());
    let pointer = |p: *mut ()| {
        // SAFETY: the Fortran procedure passes the address of a valid descriptor.
        let now = unsafe { view(p) };
        assert_eq!(now.attribute(), Attribute::Pointer);
        if now.base().is_null() {
            assert!(now.is_empty());
            return seen.borrow_mut().push(vec![]);
        }
        seen.borrow_mut().push(elements::<i32>(&now));
        let mut converted = Descriptor::new(&now, other_layout).unwrap();
        // SAFETY: this is a Fortran procedure for such a pointer, and the original is writable.
        unsafe {
            (other.turn)(converted.as_mut_ptr());
            converted.copy_back(p).unwrap();
        }
    };
    let bound = statictramp::bind(&pointer).unwrap();
    // SAFETY: as above.
    unsafe { (compiler.pointers)(bound.as_fn()) };
    assert_eq!(*seen.borrow(), [vec![], vec![4, 36, 100], vec![100, 36, 4]]);

    let sizes = RefCell::new(Vec::new());
    let allocatable = |x: *mut ()| {
        // SAFETY: the Fortran procedure passes the address of a valid descriptor.
        let now = unsafe { view(x) };
        assert_eq!(now.attribute(), Attribute::Allocatable);
        sizes.borrow_mut().push(if now.base().is_null() { None } else { now.len() });
        let mut converted = Descriptor::new(&now, other_layout).unwrap();
        // SAFETY: as above. Both compilers allocate with malloc.
        unsafe {
            (other.grow)(converted.as_mut_ptr());
            converted.copy_back(x).unwrap();
        }
    };
    let bound = statictramp::bind(&allocatable).unwrap();
    // SAFETY: as above.
    unsafe { (compiler.allocatables)(bound.as_fn()) };
    assert_eq!(*sizes.borrow(), [None, Some(2), Some(3)]);

    let texts = RefCell::new(Vec::new());
    let say = |bytes: *const u8, len: usize| {
        // SAFETY: this is a character variable of this length.
        let bytes = unsafe { std::slice::from_raw_parts(bytes, len) };
        texts.borrow_mut().push(String::from_utf8(bytes.to_vec()).unwrap());
    };
    let text = |t: *mut ()| {
        // SAFETY: the Fortran procedure passes the address of a valid descriptor.
        let t = unsafe { view(t) };
        assert_eq!((t.element_type(), t.len()), (Type { category: Character, kind: 1 }, Some(1)));
        say(t.base().cast(), t.element_len());
    };
    let list = |t: *mut ()| {
        // SAFETY: the Fortran procedure passes the address of a valid descriptor.
        let t = unsafe { view(t) };
        let [words] = t.dimensions() else { panic!("one dimension") };
        for n in 0..words.extent {
            say(t.element(&[words.lower_bound + n]).unwrap().cast(), t.element_len());
        }
    };
    let (text, list) = (statictramp::bind(&text).unwrap(), statictramp::bind(&list).unwrap());
    // SAFETY: as above.
    unsafe { (compiler.characters)(text.as_fn(), list.as_fn()) };
    assert_eq!(*texts.borrow(), ["any length", "beta", "delta", "alpha"]);
    println!(
        "{}: closures behind six dummy procedures, three of whose arguments {} has, too",
        compiler.name, other.name
    );
}

/// Returns the type for the name that a header uses.
fn meaning(layout: Format, name: &str) -> Type {
    let bits = |name: &str| {
        name.trim_start_matches(|c: char| !c.is_ascii_digit()).trim_end_matches("_t").parse::<u32>()
    };
    let long_double = if layout == Format::Gfortran || cfg!(target_arch = "x86_64") { 10 } else { 16 };
    let (category, kind) = match name {
        "Bool" => (Logical, 1),
        "char" => (Character, 1),
        "ucs4_char" | "char32_t" => (Character, 4),
        "char16_t" => (Character, 2),
        "cptr" => (Pointer, 0),
        "cfunptr" => (FunctionPointer, 0),
        "struct" => (Struct, 0),
        "other" => (Other, 0),
        "signed_char" => (Integer, 1),
        "short" => (Integer, 2),
        "int" => (Integer, 4),
        "long" | "long_long" | "size_t" | "intmax_t" | "intptr_t" | "ptrdiff_t" => (Integer, 8),
        "int_fast16_t" | "int_fast32_t" => (Integer, 8), // on glibc
        "int_least16_t" | "int_least32_t" | "int_least64_t" if layout != Format::Gfortran => {
            (Logical, bits(name).unwrap() / 8) // flang's type code for LOGICAL
        }
        _ if name.starts_with("uint") => (Unsigned, bits(name).unwrap() / 8),
        _ if name.starts_with("int") => (Integer, bits(name).unwrap() / 8),
        _ => {
            let (real, category) = name.strip_suffix("_Complex").map_or((name, Real), |real| (real, Complex));
            let kind = match real {
                "half_float" => 2,
                "bfloat" => 3,
                "float" => 4,
                "double" => 8,
                "extended_double" => 10,
                "long_double" => long_double,
                "float128" => 16,
                _ => panic!("a type that is not known here: {name}"),
            };
            (category, kind)
        }
    };
    Type { category, kind: kind as u8 }
}

/// Parses lines of the form `version name number size`, which C programs print that include the real headers.
fn numbers(list: &str) {
    let mut count = 0;
    for line in list.lines() {
        let [version, name, number, size] = line.split(' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let (version, number, size): (i32, i32, u64) =
            (version.parse().unwrap(), number.parse().unwrap(), size.parse().unwrap());
        let layout = match version {
            1 => Format::Gfortran,
            20180515 => Format::Flang2018,
            _ => Format::Flang2024,
        };
        let [low, high] = (number as i16).to_le_bytes();
        let mut header = [0u64, size, 0];
        let rest = if layout == Format::Gfortran { [0, 2, low, high] } else { [0, low, 0, 0] };
        header[2] = u64::from(version as u32) | u64::from(u32::from_le_bytes(rest)) << 32;
        // SAFETY: this is a descriptor of rank 0.
        let found = unsafe { View::of(header.as_ptr().cast()) }.map(|view| view.element_type());
        if number == -2 {
            assert_eq!(found, Err(DescriptorError::Type(-2)), "{line}"); // a type that the compiler does not support
        } else {
            assert_eq!(found, Ok(meaning(layout, name)), "{line}");
        }
        count += 1;
    }
    println!("{count} numbers of types mean what the headers say");
}

/// Runs the program. The arguments are flang's version and the file with the numbers.
#[unsafe(no_mangle)]
extern "C" fn main() -> i32 {
    let flang_layout = match std::env::args().nth(1).as_deref() {
        Some("19") => Format::Flang2018,
        _ => Format::Flang2024,
    };
    run(&gfortran(), Format::Gfortran, &flang(), flang_layout);
    run(&flang(), flang_layout, &gfortran(), Format::Gfortran);
    plain::run(&plain::gfortran(), &plain::flang(flang_layout));
    plain::run(&plain::flang(flang_layout), &plain::gfortran());
    classes::run_both();
    arrays::run(&arrays::gfortran());
    arrays::run(&arrays::flang(flang_layout));
    assert_eq!(statictramp::live(), 0);
    numbers(&std::fs::read_to_string(std::env::args().nth(2).expect("a list of numbers")).unwrap());
    0
}
