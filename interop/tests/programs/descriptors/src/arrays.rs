//! Descriptors that Rust creates for its own arrays, passed to Fortran.

use super::{Taker, elements};
use statictramp_interop::descriptor::{
    Attribute, Category::*, Descriptor, DescriptorError, Dimension, Element, Format, Runtime, Subscript,
    Type, View,
};
use std::cell::RefCell;
use std::ffi::CStr;

/// A compiler's procedures from arrays.f90.
pub struct Library {
    name: &'static str,
    format: Format,
    runtime: Runtime,
    transposed: unsafe extern "C" fn(*mut (), *mut ()),
    summed: unsafe extern "C" fn(*mut (), &mut f64, &mut f64),
    rank_of: unsafe extern "C" fn(*mut ()) -> i32,
    taken: unsafe extern "C" fn(*mut (), &mut i32, &mut i32, &mut i32),
    given: unsafe extern "C" fn(*mut (), i32),
    sorts: unsafe extern "C" fn(Taker),
    associated_by: unsafe extern "C" fn(Taker),
    optionals: unsafe extern "C" fn(Taker),
}

macro_rules! library {
    ($name:literal $format:expr, $runtime:expr; $transposed:ident $summed:ident $rank_of:ident $taken:ident $given:ident $sorts:ident
        $associated_by:ident $optionals:ident) => {{
        unsafe extern "C" {
            fn $transposed(a: *mut (), b: *mut ());
            fn $summed(a: *mut (), re: &mut f64, im: &mut f64);
            fn $rank_of(a: *mut ()) -> i32;
            fn $taken(x: *mut (), low: &mut i32, high: &mut i32, total: &mut i32);
            fn $given(x: *mut (), n: i32);
            fn $sorts(f: Taker);
            fn $associated_by(f: Taker);
            fn $optionals(f: Taker);
        }
        Library {
            name: $name,
            format: $format,
            runtime: $runtime,
            transposed: $transposed,
            summed: $summed,
            rank_of: $rank_of,
            taken: $taken,
            given: $given,
            sorts: $sorts,
            associated_by: $associated_by,
            optionals: $optionals,
        }
    }};
}

unsafe extern "C" {
    fn dlopen(name: *const i8, flags: i32) -> *mut ();
    fn dlsym(library: *mut (), name: *const i8) -> *mut ();
    // From flang's archive, which comes first on the linker's command line.
    fn CFI_allocate(descriptor: *mut (), lower: *const isize, upper: *const isize, len: usize) -> i32;
    fn CFI_deallocate(descriptor: *mut ()) -> i32;
}

/// libgfortran's own functions. flang's functions hide them, because they have the same names.
fn runtime_of_gfortran() -> Runtime {
    let find = |name: &CStr| {
        // SAFETY: the library is already loaded and has this function.
        let found = unsafe { dlsym(dlopen(c"libgfortran.so.5".as_ptr(), 2), name.as_ptr()) };
        assert!(!found.is_null() && found != CFI_allocate as *mut () && found != CFI_deallocate as *mut ());
        found
    };
    // SAFETY: both functions have the signatures that the standard specifies.
    unsafe {
        Runtime {
            allocate: std::mem::transmute::<
                *mut (),
                unsafe extern "C" fn(*mut (), *const isize, *const isize, usize) -> i32,
            >(find(c"CFI_allocate")),
            deallocate: std::mem::transmute::<*mut (), unsafe extern "C" fn(*mut ()) -> i32>(find(
                c"CFI_deallocate",
            )),
        }
    }
}

pub fn gfortran() -> Library {
    library!("gfortran" Format::Gfortran, runtime_of_gfortran(); gfortran_transposed gfortran_summed gfortran_rank_of gfortran_taken
        gfortran_given gfortran_sorts gfortran_associated_by gfortran_optionals)
}

pub fn flang(format: Format) -> Library {
    let runtime = Runtime { allocate: CFI_allocate, deallocate: CFI_deallocate };
    library!("flang" format, runtime; flang_transposed flang_summed flang_rank_of flang_taken flang_given flang_sorts
        flang_associated_by flang_optionals)
}

pub fn run(fortran: &Library) {
    let format = fortran.format;
    // A strided section of a Rust array, in reverse order.
    let mut memory: Vec<f64> = (0..24).map(f64::from).collect();
    let mut result = [0.0; 6];
    let whole = Descriptor::of_slice(format, &mut memory, &[4, 6]).unwrap();
    let rows = Subscript::Range { first: 4, last: 1, step: -3 };
    let columns = Subscript::Range { first: 2, last: 6, step: 2 };
    let mut part = Descriptor::section(&whole.view().unwrap(), &[rows, columns]).unwrap();
    let mut turned = Descriptor::of_slice(format, &mut result, &[3, 2]).unwrap();
    assert!(!part.view().unwrap().is_contiguous() && turned.view().unwrap().is_contiguous());
    // SAFETY: this is a Fortran procedure for such arrays, which are alive. The same applies below.
    unsafe { (fortran.transposed)(part.as_mut_ptr(), turned.as_mut_ptr()) };
    assert_eq!(result, [14., 30., 46., 8., 24., 40.]);

    // Passes a row, which has rank 1, and complex numbers.
    let mut numbers: Vec<[f64; 2]> = (0..6).map(|n| [f64::from(n), f64::from(10 * n)]).collect();
    let grid = Descriptor::of_slice(format, &mut numbers, &[2, 3]).unwrap();
    let mut row = Descriptor::section(&grid.view().unwrap(), &[Subscript::At(2), Subscript::All]).unwrap();
    let (mut re, mut im) = (0., 0.);
    // SAFETY: as above.
    unsafe { (fortran.summed)(row.as_mut_ptr(), &mut re, &mut im) };
    assert_eq!((re, im), (9., 90.));

    for rank in 0..=15 {
        let mut number = [5i32];
        let mut made = Descriptor::of_slice(format, &mut number, &vec![1; rank]).unwrap();
        // SAFETY: as above.
        let found = unsafe { (fortran.rank_of)(made.as_mut_ptr()) };
        // flang 19 does not compile such a procedure.
        assert_eq!(found, if format == Format::Flang2018 { -1 } else { rank as i32 });
    }

    // Memory allocated by one language is freed by the other.
    let mut x = Descriptor::establish(
        format,
        std::ptr::null_mut(),
        i32::TYPE,
        4,
        Attribute::Allocatable,
        &[Dimension { lower_bound: 0, extent: 0, stride: 0 }],
    )
    .unwrap();
    let (mut low, mut high, mut total) = (0, 0, 0);
    // SAFETY: the run-time library and the procedures belong to this compiler.
    unsafe {
        assert_eq!(fortran.runtime.deallocate(x.as_mut_ptr()), Err(DescriptorError::Null));
        fortran.runtime.allocate(x.as_mut_ptr(), &[(-2, 7)], 0).unwrap();
        assert_eq!(fortran.runtime.allocate(x.as_mut_ptr(), &[(1, 1)], 0), Err(DescriptorError::Allocated));
        x.view().unwrap().as_mut_slice::<i32>().unwrap().fill(3);
        (fortran.taken)(x.as_mut_ptr(), &mut low, &mut high, &mut total);
        assert_eq!((low, high, total), (-2, 7, 30));
        assert!(x.view().unwrap().base().is_null());
        (fortran.given)(x.as_mut_ptr(), 4);
        assert_eq!(x.view().unwrap().as_mut_slice::<i32>(), Some(&mut [1, 2, 3, 4][..]));
        assert!(x.view().unwrap().as_mut_slice::<f32>().is_none());
        fortran.runtime.deallocate(x.as_mut_ptr()).unwrap();
        assert!(x.view().unwrap().base().is_null());
        assert_eq!(
            fortran.runtime.allocate(part.as_mut_ptr(), &[(1, 2), (1, 2)], 0),
            Err(DescriptorError::Unlike)
        );
    }

    // A pointer to a section that Fortran passes is sorted in place.
    let sort = |p: *mut ()| {
        // SAFETY: the array comes from Fortran, and no other code uses its elements during the call.
        let view = unsafe { View::of(p) }.unwrap();
        let mut list = elements::<f64>(&view);
        list.sort_by(f64::total_cmp);
        let first = view.dimensions()[0].lower_bound;
        for (number, at) in list.into_iter().zip(first..) {
            // SAFETY: as above.
            unsafe { view.element(&[at]).unwrap().cast::<f64>().write(number) };
        }
    };
    let bound = statictramp::bind(&sort).unwrap();
    // SAFETY: the closure lives while Fortran code runs, on this thread. The same applies below.
    unsafe { (fortran.sorts)(bound.as_fn()) };

    // A pointer becomes associated with a Rust array.
    let mut target: Vec<i32> = (1..=12).collect();
    let descriptor = Descriptor::of_slice(format, &mut target, &[4, 3]).unwrap();
    let part =
        [Subscript::Range { first: 1, last: 3, step: 2 }, Subscript::Range { first: 1, last: 3, step: 2 }];
    let part = Descriptor::section(&descriptor.view().unwrap(), &part).unwrap();
    let pointer = Descriptor::pointer_to(&part.view().unwrap(), Some(&[0, -1])).unwrap();
    let associate = |p: *mut ()| {
        // SAFETY: the pointer comes from Fortran and may be changed.
        unsafe { pointer.copy_back(p) }.unwrap();
    };
    let bound = statictramp::bind(&associate).unwrap();
    // SAFETY: as above.
    unsafe { (fortran.associated_by)(bound.as_fn()) };
    assert_eq!(target[10], 77);

    let present = RefCell::new(Vec::new());
    let optional = |a: *mut ()| {
        // SAFETY: the Fortran procedure passes null or the address of a valid descriptor.
        let view = unsafe { View::of_optional(a) }.unwrap();
        present.borrow_mut().push(view.map(|view| elements::<f64>(&view)));
    };
    let bound = statictramp::bind(&optional).unwrap();
    // SAFETY: as above.
    unsafe { (fortran.optionals)(bound.as_fn()) };
    assert_eq!(*present.borrow(), [None, Some(vec![1., 2.])]);
    assert_eq!(f64::TYPE, Type { category: Real, kind: 8 });
    println!(
        "{}: a library for Rust's arrays, of rank 0 to 15; sections sorted, pointers associated",
        fortran.name
    );
}
