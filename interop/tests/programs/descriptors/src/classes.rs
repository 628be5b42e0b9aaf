//! CLASS dummy arguments without BIND(C): gfortran's containers, and flang's descriptors with an addendum.

use super::Taker;
use statictramp_interop::descriptor::{Attribute, Category, Declared, Descriptor, Format, Type, View};
use std::cell::RefCell;

unsafe extern "C" {
    fn gfortran_plain_classes_(f: Taker);
    fn gfortran_plain_class_arrays_(on_array: Taker, on_any: Taker, on_pointer: Taker);
    fn flang_plain_classes_(f: Taker);
    fn flang_plain_class_arrays_(on_array: Taker, on_any: Taker, on_pointer: Taker);
}

/// The size of an element, the extents, and the integer at the beginning of each element, in memory order; `None` if
/// there is no data.
#[derive(Debug, PartialEq)]
struct Seen(usize, Vec<isize>, Option<Vec<i32>>);

fn seen(view: &View<'_>) -> Seen {
    let extents: Vec<isize> = view.dimensions().iter().map(|dimension| dimension.extent).collect();
    if view.base().is_null() {
        return Seen(0, vec![], None);
    }
    let mut elements = vec![view.base()];
    for dimension in view.dimensions() {
        elements = (0..dimension.extent)
            .flat_map(|i| elements.iter().map(move |element| element.wrapping_byte_offset(i * dimension.stride)))
            .collect();
    }
    // SAFETY: these are elements of the array, and each has at least four bytes.
    let numbers = elements.iter().map(|element| unsafe { element.cast::<i32>().read_unaligned() }).collect();
    Seen(view.element_len(), extents, Some(numbers))
}

/// Runs both procedures of a compiler with closures that record their arguments.
fn run(name: &str, is_gfortran: bool, classes: unsafe extern "C" fn(Taker), arrays: unsafe extern "C" fn(Taker, Taker, Taker)) {
    let recorded = RefCell::new(Vec::new());
    let record = |c: *mut (), category, attribute, rank| {
        let declared = Declared { element_type: Type { category, kind: 0 }, element_len: 0, attribute, rank };
        // SAFETY: the compiler's procedure has passed such an argument.
        let made = if is_gfortran {
            unsafe { Descriptor::of_gfortran_class(c.cast_const(), &declared, Format::Flang2024) }.unwrap()
        } else {
            Descriptor::new(&unsafe { View::of(c) }.unwrap(), Format::Flang2024).unwrap()
        };
        recorded.borrow_mut().push(seen(&made.view().unwrap()));
    };
    let on_class = |c: *mut ()| record(c, Category::Struct, Attribute::Other, 0);
    let on_array = |c: *mut ()| record(c, Category::Struct, Attribute::Other, 1);
    let on_any = |c: *mut ()| record(c, Category::Other, Attribute::Other, 0);
    let on_pointer = |c: *mut ()| record(c, Category::Struct, Attribute::Pointer, 2);
    let bound = statictramp::bind(&on_class).unwrap();
    // SAFETY: the closures take the arguments of the procedures.
    unsafe { classes(bound.as_fn()) };
    assert_eq!(*recorded.borrow(), [Seen(16, vec![], Some(vec![0])), Seen(4, vec![], Some(vec![3]))], "{name}");
    recorded.borrow_mut().clear();

    let (array, any, pointer) = (
        statictramp::bind(&on_array).unwrap(),
        statictramp::bind(&on_any).unwrap(),
        statictramp::bind(&on_pointer).unwrap(),
    );
    // SAFETY: as above.
    unsafe { arrays(array.as_fn(), any.as_fn(), pointer.as_fn()) };
    let hell = i32::from_ne_bytes(*b"hell");
    assert_eq!(
        *recorded.borrow(),
        [
            Seen(16, vec![3], Some(vec![2, 4, 6])),
            Seen(16, vec![2], Some(vec![6, 3])),
            Seen(5, vec![], Some(vec![hell])),
            Seen(4, vec![], Some(vec![42])),
            Seen(16, vec![], Some(vec![4])),
            Seen(0, vec![], None),
            Seen(16, vec![2, 3], Some(vec![10, 11, 12, 13, 14, 15])),
        ],
        "{name}"
    );
    println!("{name}: what CLASS dummy arguments show");
}

pub fn run_both() {
    run("gfortran", true, gfortran_plain_classes_, gfortran_plain_class_arrays_);
    run("flang", false, flang_plain_classes_, flang_plain_class_arrays_);
}
