//! Tests procedures without BIND(C): gfortran's own descriptors, and character arguments with a hidden length.

use super::{Taker, elements};
use statictramp_interop::descriptor::{
    Attribute, Category::*, Declared, Descriptor, DescriptorError, Format, GfortranDescriptor, Type, View,
};
use std::cell::{Cell, RefCell};

/// A procedure that takes a text. The text's address is passed first, and its length after all other arguments.
type TextTaker = unsafe extern "C" fn(*mut u8, usize);
/// A procedure that takes a number by reference, an array of texts, and the length of each text.
type TextsTaker = unsafe extern "C" fn(*const i32, *mut (), usize);

/// A compiler's procedures from plain.f90.
pub struct Plain {
    name: &'static str,
    format: Format,
    shapes: unsafe extern "C" fn(Taker),
    pointers: unsafe extern "C" fn(Taker),
    targets: unsafe extern "C" fn(Taker),
    allocatables: unsafe extern "C" fn(Taker),
    characters: unsafe extern "C" fn(TextTaker, TextsTaker),
    optionals: unsafe extern "C" fn(Taker),
    classes: unsafe extern "C" fn(Taker),
    total: unsafe extern "C" fn(*mut ()) -> f64,
    turn: Taker,
    sum_of_pointer: unsafe extern "C" fn(*mut ()) -> i32,
    grow: Taker,
}

macro_rules! plain {
    ($name:literal $format:expr; $shapes:ident $pointers:ident $targets:ident $allocatables:ident $characters:ident $optionals:ident $classes:ident
        $total:ident $turn:ident $sum_of_pointer:ident $grow:ident) => {{
        unsafe extern "C" {
            fn $shapes(f: Taker);
            fn $pointers(f: Taker);
            fn $targets(f: Taker);
            fn $allocatables(f: Taker);
            fn $characters(f: TextTaker, g: TextsTaker);
            fn $optionals(f: Taker);
            fn $classes(f: Taker);
            fn $total(a: *mut ()) -> f64;
            fn $turn(p: *mut ());
            fn $sum_of_pointer(p: *mut ()) -> i32;
            fn $grow(x: *mut ());
        }
        Plain {
            name: $name,
            format: $format,
            shapes: $shapes,
            pointers: $pointers,
            targets: $targets,
            allocatables: $allocatables,
            characters: $characters,
            optionals: $optionals,
            classes: $classes,
            total: $total,
            turn: $turn,
            sum_of_pointer: $sum_of_pointer,
            grow: $grow,
        }
    }};
}

pub fn gfortran() -> Plain {
    plain!("gfortran" Format::Gfortran; gfortran_plain_shapes_ gfortran_plain_pointers_ gfortran_plain_targets_ gfortran_plain_allocatables_
        gfortran_plain_characters_ gfortran_plain_optionals_ gfortran_plain_classes_ gfortran_plain_total_ gfortran_plain_turn_
        gfortran_plain_sum_of_pointer_ gfortran_plain_grow_)
}

pub fn flang(format: Format) -> Plain {
    plain!("flang" format; flang_plain_shapes_ flang_plain_pointers_ flang_plain_targets_ flang_plain_allocatables_
        flang_plain_characters_ flang_plain_optionals_ flang_plain_classes_ flang_plain_total_ flang_plain_turn_
        flang_plain_sum_of_pointer_ flang_plain_grow_)
}

impl Plain {
    /// Returns an argument of one of the compiler's procedures as a descriptor in a format.
    ///
    /// # Safety
    /// The procedure must have passed such an argument.
    unsafe fn read(
        &self,
        passed: *mut (),
        declared: &Declared,
        format: Format,
    ) -> Result<Descriptor, DescriptorError> {
        // SAFETY: the caller upholds the safety contract.
        unsafe {
            match self.format {
                Format::Gfortran => Descriptor::of_gfortran(passed, declared, format),
                _ => Descriptor::new(&View::of(passed)?, format),
            }
        }
    }

    /// Calls a procedure with the array that a descriptor describes, and returns the procedure's result.
    ///
    /// # Safety
    /// The procedure must be this compiler's, and take such an argument.
    unsafe fn call<R>(
        &self,
        shown: &Descriptor,
        declared: &Declared,
        procedure: unsafe extern "C" fn(*mut ()) -> R,
    ) -> (R, Descriptor) {
        let view = shown.view().unwrap();
        // SAFETY: the caller upholds the safety contract.
        unsafe {
            if self.format == Format::Gfortran {
                let mut own = GfortranDescriptor::new(&view).unwrap();
                let result = procedure(own.as_mut_ptr());
                return (result, Descriptor::of_gfortran(own.as_mut_ptr(), declared, view.format()).unwrap());
            }
            let mut own = Descriptor::new(&view, self.format).unwrap();
            let result = procedure(own.as_mut_ptr());
            (result, Descriptor::new(&own.view().unwrap(), view.format()).unwrap())
        }
    }

    /// Stores a descriptor in an argument of one of the compiler's procedures.
    ///
    /// # Safety
    /// The procedure must have passed such an argument, a pointer or an allocatable.
    unsafe fn store(&self, made: &Descriptor, passed: *mut ()) {
        let view = made.view().unwrap();
        // SAFETY: the caller upholds the safety contract.
        unsafe {
            match self.format {
                Format::Gfortran => GfortranDescriptor::new(&view).unwrap().store(passed).unwrap(),
                format => Descriptor::new(&view, format).unwrap().copy_back(passed).unwrap(),
            }
        }
    }
}

/// Tests the arguments of `compiler`'s procedures without BIND(C): describes each argument, and passes it to a procedure of
/// `other` in the form that `other` uses.
pub fn run(compiler: &Plain, other: &Plain) {
    let of = |category, kind, rank, attribute| {
        let element_type = Type { category, kind };
        Declared { element_type, element_len: element_type.size(), attribute, rank }
    };
    let grid = of(Real, 8, 2, Attribute::Other);
    let grids = RefCell::new(Vec::new());
    let array = |a: *mut ()| {
        // SAFETY: the argument comes from Fortran. The same applies below.
        let shown = unsafe { compiler.read(a, &grid, other.format) }.unwrap();
        let view = shown.view().unwrap();
        assert_eq!((view.element_type(), view.attribute()), (grid.element_type, Attribute::Other));
        let list = elements::<f64>(&view);
        assert_eq!(view.is_contiguous(), view.is_empty() || list.len() == 24);
        for one in [compiler, other] {
            // SAFETY: as above.
            let (total, _) = unsafe { one.call(&shown, &grid, one.total) };
            assert_eq!(total, list.iter().sum::<f64>() + view.dimensions()[0].extent as f64);
        }
        grids.borrow_mut().push(list);
    };
    let bound = statictramp::bind(&array).unwrap();
    // SAFETY: the closure lives while Fortran code runs, on this thread. The same applies below.
    unsafe { (compiler.shapes)(bound.as_fn()) };
    let whole: Vec<f64> = (1..=6).flat_map(|j| (1..=4).map(move |i| f64::from(10 * i + j))).collect();
    assert_eq!(*grids.borrow(), [whole, vec![16., 46., 14., 44., 12., 42.], vec![]]);

    let list_of = of(Integer, 4, 1, Attribute::Pointer);
    let lists = RefCell::new(Vec::new());
    let pointer = |p: *mut ()| {
        // SAFETY: as above.
        unsafe {
            let shown = compiler.read(p, &list_of, other.format).unwrap();
            let view = shown.view().unwrap();
            assert_eq!(view.attribute(), Attribute::Pointer);
            if view.base().is_null() {
                return lists.borrow_mut().push(vec![]);
            }
            let list = elements::<i32>(&view);
            let first = view.dimensions()[0].lower_bound as i32;
            let sum: i32 = list.iter().zip(first..).map(|(number, at)| number * at).sum();
            for one in [compiler, other] {
                assert_eq!(one.call(&shown, &list_of, one.sum_of_pointer).0, sum, "{}", one.name);
            }
            lists.borrow_mut().push(list);
            // This is the target with which the other compiler's procedure has associated the pointer.
            let (_, turned) = other.call(&shown, &list_of, other.turn);
            compiler.store(&turned, p);
        }
    };
    let bound = statictramp::bind(&pointer).unwrap();
    // SAFETY: as above.
    unsafe { (compiler.pointers)(bound.as_fn()) };
    assert_eq!(*lists.borrow(), [vec![], vec![4, 36, 100], vec![100, 36, 4], vec![7, 8, 9], vec![9, 7]]);

    let targets = RefCell::new(Vec::new());
    let target = |p: *mut ()| {
        // SAFETY: as above.
        let shown = unsafe { compiler.read(p, &list_of, other.format) }.unwrap();
        *targets.borrow_mut() = elements::<i32>(&shown.view().unwrap());
    };
    let bound = statictramp::bind(&target).unwrap();
    // SAFETY: as above.
    unsafe { (compiler.targets)(bound.as_fn()) };
    assert_eq!(*targets.borrow(), [1, 2, 3]);

    let growing = of(Real, 4, 1, Attribute::Allocatable);
    let sizes = RefCell::new(Vec::new());
    let allocatable = |x: *mut ()| {
        // SAFETY: as above. Both compilers allocate with malloc.
        unsafe {
            let shown = compiler.read(x, &growing, other.format).unwrap();
            let view = shown.view().unwrap();
            sizes.borrow_mut().push(if view.base().is_null() { None } else { view.len() });
            let (_, grown) = other.call(&shown, &growing, other.grow);
            compiler.store(&grown, x);
        }
    };
    let bound = statictramp::bind(&allocatable).unwrap();
    // SAFETY: as above.
    unsafe { (compiler.allocatables)(bound.as_fn()) };
    assert_eq!(*sizes.borrow(), [None, Some(2), Some(3)]);

    let texts = RefCell::new(Vec::new());
    let text = |bytes: *mut u8, len: usize| {
        let shown = Descriptor::of_text(other.format, bytes, len).unwrap();
        let view = shown.view().unwrap();
        assert_eq!((view.element_type(), view.element_len()), (Type { category: Character, kind: 1 }, len));
        // SAFETY: this is a text of this length.
        let bytes = unsafe { std::slice::from_raw_parts_mut(view.base().cast::<u8>(), len) };
        texts.borrow_mut().push(String::from_utf8(bytes.to_vec()).unwrap());
        bytes[0].make_ascii_uppercase();
    };
    let several = |count: *const i32, array: *mut (), len: usize| {
        let words = Declared { element_len: len, ..of(Character, 1, 1, Attribute::Other) };
        // SAFETY: as above. flang's descriptor also contains the length.
        let (count, shown) = unsafe { (*count, compiler.read(array, &words, other.format).unwrap()) };
        let view = shown.view().unwrap();
        assert_eq!((view.len(), view.element_len()), (Some(count as usize), 5));
        for word in elements::<[u8; 5]>(&view) {
            texts.borrow_mut().push(String::from_utf8(word.to_vec()).unwrap());
        }
    };
    let (text, several) = (statictramp::bind(&text).unwrap(), statictramp::bind(&several).unwrap());
    // SAFETY: as above.
    unsafe { (compiler.characters)(text.as_fn(), several.as_fn()) };
    assert_eq!(*texts.borrow(), ["any length", "beta", "delta", "alpha"]);

    let vector = of(Real, 8, 1, Attribute::Other);
    let present = RefCell::new(Vec::new());
    let optional = |a: *mut ()| {
        // SAFETY: as above.
        let found = unsafe { compiler.read(a, &vector, other.format) };
        if compiler.format != Format::Gfortran {
            // SAFETY: as above.
            assert_eq!(unsafe { View::of_optional(a) }.unwrap().is_some(), found.is_ok());
        }
        present.borrow_mut().push(match found {
            Err(DescriptorError::Null) => None,
            found => Some(elements::<f64>(&found.unwrap().view().unwrap())),
        });
    };
    let bound = statictramp::bind(&optional).unwrap();
    // SAFETY: as above.
    unsafe { (compiler.optionals)(bound.as_fn()) };
    assert_eq!(*present.borrow(), [None, Some(vec![1., 2.])]);

    let names = RefCell::new(Vec::new());
    let calls = Cell::new(0);
    let class = |c: *mut ()| {
        calls.set(calls.get() + 1);
        if compiler.format != Format::Gfortran {
            // SAFETY: as above.
            let name = unsafe { View::of(c).unwrap().type_name() }.expect("flang has names");
            names.borrow_mut().push(String::from_utf8(name.to_vec()).unwrap());
        }
    };
    let bound = statictramp::bind(&class).unwrap();
    // SAFETY: as above.
    unsafe { (compiler.classes)(bound.as_fn()) };
    assert_eq!(calls.get(), 2);
    if compiler.format != Format::Gfortran {
        assert_eq!(*names.borrow(), ["square", "shape_type"]);
    }
    println!("{}: closures for eight dummy procedures without BIND(C)", compiler.name);
}
