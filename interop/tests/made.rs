//! Errors in descriptors that the program creates, and in gfortran's own descriptors. The program in
//! `interop/tests/programs/descriptors` passes such descriptors to real compilers' code.
#![cfg(target_os = "linux")]

use proptest::prelude::*;
use statictramp_interop::descriptor::{
    Attribute, Category, Declared, Descriptor, DescriptorError, Dimension, Format, GfortranDescriptor,
    Subscript, Type, View,
};

const FORMATS: [Format; 3] = [Format::Gfortran, Format::Flang2018, Format::Flang2024];
const INTEGER: Type = Type { category: Category::Integer, kind: 4 };

fn dimension(lower_bound: isize, extent: isize, stride: isize) -> Dimension {
    Dimension { lower_bound, extent, stride }
}

fn established(
    base: usize,
    attribute: Attribute,
    dimensions: &[Dimension],
) -> Result<Descriptor, DescriptorError> {
    let base = std::ptr::without_provenance_mut(base);
    Descriptor::establish(Format::Gfortran, base, INTEGER, 4, attribute, dimensions)
}

#[test]
fn descriptors_with_invalid_bounds_are_not_established() {
    let error = |base, dimensions: &[_]| established(base, Attribute::Other, dimensions).err();
    assert_eq!(error(8, &[dimension(1, 1, 4); 15]), None);
    assert_eq!(error(8, &[dimension(1, 1, 4); 16]), Some(DescriptorError::Rank(16)));
    assert_eq!(error(8, &[dimension(1, 1, 4); 300]), Some(DescriptorError::Rank(255)));
    assert_eq!(error(8, &[dimension(1, -3, 4)]), Some(DescriptorError::Extent(0)));
    assert_eq!(error(8, &[dimension(1, isize::MAX, 4)]), Some(DescriptorError::Overflow));
    assert_eq!(error(0, &[dimension(7, -3, 4)]), None, "without memory bounds mean nothing");
    let unsigned = Type { category: Category::Unsigned, kind: 4 };
    let made =
        Descriptor::establish(Format::Gfortran, std::ptr::null_mut(), unsigned, 4, Attribute::Other, &[]);
    assert_eq!(made.err(), Some(DescriptorError::Type(4)));
}

#[test]
fn a_slice_has_as_many_elements_as_its_extents() {
    let mut list = [0i32; 12];
    for format in FORMATS {
        for extents in [&[12][..], &[3, 4], &[1, 12, 1], &[2, 2, 3]] {
            let made = Descriptor::of_slice(format, &mut list, extents).unwrap();
            let view = made.view().unwrap();
            assert_eq!((view.format(), view.len(), view.is_contiguous()), (format, Some(12), true));
            // SAFETY: no other code uses the slice.
            assert_eq!(unsafe { view.as_mut_slice::<i32>() }.map(|list| list.len()), Some(12));
        }
        for extents in [&[][..], &[11], &[3, 5], &[0], &[usize::MAX], &[1 << 40, 1 << 40]] {
            Descriptor::of_slice(format, &mut list, extents).unwrap_err();
        }
        let none = Descriptor::of_slice(format, &mut [0f64; 0], &[5, 0, 7]).unwrap();
        assert!(none.view().unwrap().is_contiguous());
        let one = Descriptor::of_slice(format, &mut list[..1], &[]).unwrap();
        assert_eq!(one.view().unwrap().element(&[]), Some(list.as_mut_ptr().cast()));
    }
    assert_eq!(
        Descriptor::of_slice(Format::Gfortran, &mut list, &[1; 16]).err(),
        Some(DescriptorError::Rank(16))
    );
    // A misaligned array has no slice.
    let base = list.as_mut_ptr().wrapping_byte_add(1).cast();
    let crooked =
        Descriptor::establish(Format::Gfortran, base, INTEGER, 4, Attribute::Other, &[dimension(0, 2, 4)])
            .unwrap();
    // SAFETY: the call fails before it creates a descriptor.
    assert!(unsafe { crooked.view().unwrap().as_mut_slice::<i32>() }.is_none());
}

#[test]
fn a_section_stays_within_its_array() {
    let mut list: Vec<i32> = (0..20).collect();
    let whole = Descriptor::of_slice(Format::Flang2024, &mut list, &[4, 5]).unwrap();
    let whole = whole.view().unwrap();
    let range = |first, last, step| Subscript::Range { first, last, step };
    for (invalid, at) in [
        (range(1, 5, 1), 0),
        (range(0, 3, 1), 0),
        (range(1, 4, 0), 0),
        (range(4, 0, -1), 0),
        (range(isize::MIN, isize::MAX, 1), 0),
        (range(1, isize::MAX, 1), 0),
        (Subscript::At(5), 0),
        (Subscript::At(isize::MIN), 0),
    ] {
        let found = Descriptor::section(&whole, &[invalid, Subscript::All]).err();
        assert_eq!(found, Some(DescriptorError::Subscript(at)), "{invalid:?}");
    }
    assert_eq!(Descriptor::section(&whole, &[Subscript::All]).err(), Some(DescriptorError::Rank(2)));
    // The last subscript of a range need not be reached.
    let part = Descriptor::section(&whole, &[range(1, 6, 3), Subscript::At(5)]).unwrap();
    assert_eq!(part.view().unwrap().dimensions(), [dimension(1, 2, 12)]);
    let none = Descriptor::section(&whole, &[range(9, 8, 1), Subscript::All]).unwrap();
    assert_eq!(none.view().unwrap().len(), Some(0));
    let empty = established(0, Attribute::Pointer, &[dimension(1, 1, 4)]).unwrap();
    let section = Descriptor::section(&empty.view().unwrap(), &[Subscript::All]);
    assert_eq!(section.err(), Some(DescriptorError::Null));
    // The last dimension of an assumed-size array has no end, so the array has no size.
    let open = established(64, Attribute::Other, &[dimension(1, -1, 4)]).unwrap();
    let open = open.view().unwrap();
    assert_eq!(Descriptor::section(&open, &[Subscript::All]).err(), Some(DescriptorError::Subscript(0)));
    assert!(Descriptor::section(&open, &[range(2, 9, 1)]).is_ok());
    assert_eq!(GfortranDescriptor::new(&open).err(), Some(DescriptorError::Extent(0)));
    assert_eq!(Descriptor::pointer_to(&open, None).err(), Some(DescriptorError::Extent(0)));
}

#[test]
fn an_invalid_gfortran_address_is_rejected() {
    let declared = Declared { element_type: INTEGER, element_len: 4, attribute: Attribute::Other, rank: 1 };
    // SAFETY: nothing is read.
    unsafe {
        let of = |at: usize, declared| {
            Descriptor::of_gfortran(std::ptr::without_provenance(at), declared, Format::Gfortran).err()
        };
        assert_eq!(of(0, &declared), Some(DescriptorError::Null));
        assert_eq!(of(12, &declared), Some(DescriptorError::Misaligned));
        assert_eq!(of(16, &Declared { rank: 16, ..declared }), Some(DescriptorError::Rank(16)));
        let made = established(64, Attribute::Pointer, &[dimension(1, 2, 4)]).unwrap();
        let own = GfortranDescriptor::new(&made.view().unwrap()).unwrap();
        assert_eq!(own.store(std::ptr::null_mut()), Err(DescriptorError::Null));
        assert_eq!(own.store(std::ptr::without_provenance_mut(9)), Err(DescriptorError::Misaligned));
    }
    // The strides of a descriptor that is not a pointer are whole elements.
    let apart = [dimension(1, 3, 6)];
    let made = established(64, Attribute::Other, &apart).unwrap();
    assert_eq!(GfortranDescriptor::new(&made.view().unwrap()).err(), Some(DescriptorError::Stride(0)));
    let made = established(64, Attribute::Pointer, &apart).unwrap();
    assert!(GfortranDescriptor::new(&made.view().unwrap()).is_ok());
}

proptest! {
    /// Arbitrary words are accepted as an array or rejected with an error, and an accepted array can be viewed.
    #[test]
    fn arbitrary_words_give_a_view_or_an_error(words in prop::collection::vec(any::<u64>(), 50), rank in 0..16u8, len in 0..99usize, kind in 0..3usize) {
        let attribute = [Attribute::Pointer, Attribute::Allocatable, Attribute::Other][kind];
        let declared = Declared { element_type: INTEGER, element_len: len, attribute, rank };
        // SAFETY: there are enough words for any rank.
        if let Ok(made) = unsafe { Descriptor::of_gfortran(words.as_ptr().cast(), &declared, Format::Flang2024) } {
            let view = made.view().unwrap();
            prop_assert_eq!((view.attribute(), view.dimensions().len()), (attribute, usize::from(rank)));
            let _ = GfortranDescriptor::new(&view);
        }
    }

    /// Conversion to gfortran's own form and back preserves the view.
    #[test]
    fn conversion_to_gfortran_and_back_is_lossless(
        dimensions in prop::collection::vec((-9..9isize, 0..9isize, -9..9isize), 0..5),
        unit in 1..5isize,
        kind in 0..3usize,
    ) {
        let attribute = [Attribute::Pointer, Attribute::Allocatable, Attribute::Other][kind];
        let step = if attribute == Attribute::Pointer { 2 * unit } else { 4 };
        let dimensions: Vec<_> = dimensions.into_iter().map(|(low, extent, by)| dimension(low, extent, by * step)).collect();
        let made = established(1 << 20, attribute, &dimensions).unwrap();
        let view = made.view().unwrap();
        let mut own = GfortranDescriptor::new(&view).unwrap();
        let declared = Declared { element_type: INTEGER, element_len: 4, attribute, rank: dimensions.len() as u8 };
        // SAFETY: the descriptor was created above.
        let back = unsafe { Descriptor::of_gfortran(own.as_mut_ptr(), &declared, Format::Gfortran) }.unwrap();
        let back = back.view().unwrap();
        prop_assert_eq!((back.base(), back.len()), (view.base(), view.len()));
        for (was, is) in view.dimensions().iter().zip(back.dimensions()) {
            prop_assert_eq!((was.lower_bound, was.extent), (is.lower_bound, is.extent));
            prop_assert!(was.extent < 2 || was.stride == is.stride);
        }
    }

    /// The elements of a section are elements of the array, for all steps.
    #[test]
    fn sections_show_the_elements_of_the_array(
        low in -5..5isize, extent in 1..20isize, first in 0..20isize, last in -1..20isize, step in 1..7isize, down: bool,
    ) {
        let mut list: Vec<i64> = (0..extent as i64).collect();
        let base = list.as_mut_ptr().cast();
        let ty = Type { category: Category::Integer, kind: 8 };
        let made = Descriptor::establish(Format::Gfortran, base, ty, 8, Attribute::Other, &[dimension(low, extent, 8)]).unwrap();
        let whole = made.view().unwrap();
        let step = if down { -step } else { step };
        let wanted: Vec<isize> = if down {
            (last..=first).rev().step_by(step.unsigned_abs()).collect()
        } else {
            (first..=last).step_by(step as usize).collect()
        };
        let section = Descriptor::section(&whole, &[Subscript::Range { first: low + first, last: low + last, step }]);
        if wanted.iter().all(|&at| (0..extent).contains(&at)) {
            let section = section.unwrap();
            let section = section.view().unwrap();
            prop_assert_eq!(section.len(), Some(wanted.len()));
            for (number, at) in (1..).zip(wanted) {
                prop_assert_eq!(section.element(&[number]), whole.element(&[low + at]));
            }
        } else {
            prop_assert_eq!(section.err(), Some(DescriptorError::Subscript(0)));
        }
    }
}

#[test]
fn an_absent_argument_is_none() {
    // SAFETY: nothing is read.
    let of = |at: usize| unsafe { View::of_optional(std::ptr::without_provenance(at)) };
    assert!(matches!(of(0), Ok(None)));
    assert!(matches!(of(4), Err(DescriptorError::Misaligned)));
}
