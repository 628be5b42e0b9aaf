//! Arithmetic on descriptors whose bounds, strides and subscripts are near the limits of `isize`, compared with the same
//! arithmetic on larger integers. In the test profile, an operation that overflows unnoticed panics.
#![cfg(target_os = "linux")]

use proptest::prelude::*;
use statictramp_interop::descriptor::{
    Attribute, Category, Declared, Descriptor, DescriptorError, Dimension, Format, GfortranDescriptor,
    Subscript, Type, View,
};

const BYTE: Type = Type { category: Category::Integer, kind: 1 };

/// Numbers near 0 and near the limits of `isize`, and arbitrary numbers.
fn number() -> impl Strategy<Value = isize> {
    prop_oneof![
        4 => -3..4isize,
        2 => (0..3isize).prop_map(|by| isize::MAX - by),
        2 => (0..3isize).prop_map(|by| isize::MIN + by),
        1 => (0..63u32).prop_map(|by| isize::MIN >> by),
        1 => any::<isize>(),
    ]
}

fn base() -> impl Strategy<Value = usize> {
    prop_oneof![1..9usize, Just(1 << 62), (0..9usize).prop_map(|by| usize::MAX - by), any::<usize>()]
}

fn dimensions() -> impl Strategy<Value = Vec<Dimension>> {
    let one = (number(), prop_oneof![Just(-1), number()], number());
    let one = one.prop_map(|(lower_bound, extent, stride)| Dimension { lower_bound, extent, stride });
    prop::collection::vec(one, 0..4)
}

fn subscript() -> impl Strategy<Value = Subscript> {
    let range = (number(), number(), number());
    prop_oneof![
        1 => Just(Subscript::All),
        2 => number().prop_map(Subscript::At),
        4 => range.prop_map(|(first, last, step)| Subscript::Range { first, last, step }),
    ]
}

/// An offset that is outside the address space, and stays there.
const FAR: i128 = i128::MAX;

fn fits(number: i128) -> bool {
    isize::try_from(number).is_ok()
}

/// Returns the index of a subscript in a dimension, or `None` if it is out of bounds or does not fit.
fn index(dimension: &Dimension, subscript: i128) -> Option<i128> {
    let index = subscript - dimension.lower_bound as i128;
    let in_bounds = index >= 0 && (dimension.extent < 0 || index < dimension.extent as i128);
    (in_bounds && fits(index)).then_some(index)
}

/// A section: the address of its first element, and the extents and strides of its dimensions.
type Section = (i128, Vec<(i128, i128)>);

/// Computes a section in the way that the standard describes. If there is no such section, returns the possible errors.
fn section(view: &View<'_>, subscripts: &[Subscript]) -> Result<Section, Vec<DescriptorError>> {
    let (mut errors, mut dimensions, mut offset) = (Vec::new(), Vec::new(), 0i128);
    for (number, (subscript, dimension)) in subscripts.iter().zip(view.dimensions()).enumerate() {
        let error = DescriptorError::Subscript(number as u8);
        let stride = dimension.stride as i128;
        let first = match *subscript {
            Subscript::All if dimension.extent >= 0 => {
                dimensions.push((dimension.extent as i128, stride));
                Some(0)
            }
            Subscript::All | Subscript::Range { step: 0, .. } => None,
            Subscript::At(at) => index(dimension, at as i128),
            Subscript::Range { first, last, step } => {
                let (first, last, step) = (first as i128, last as i128, step as i128);
                let is_empty = if step < 0 { first < last } else { first > last };
                let steps = (last - first) / step;
                dimensions.push(if is_empty { (0, stride) } else { (steps + 1, stride * step) });
                let ends = index(dimension, first).zip(index(dimension, first + steps * step));
                if is_empty { Some(0) } else { ends.map(|(first, _)| first) }
            }
        };
        match first {
            None => errors.push(error),
            Some(first) => {
                let sum = offset.saturating_add(first * stride);
                offset = if offset != FAR && fits(first * stride) && fits(sum) { sum } else { FAR };
            }
        }
    }
    let is_empty = dimensions.iter().any(|&(extent, _)| extent == 0);
    let first = (view.base().addr() as i128).saturating_add(if is_empty { 0 } else { offset });
    // The offsets of the elements, which must also fit.
    let mut bounds = (0i128, 1i128);
    let mut representable = dimensions.iter().all(|&(extent, stride)| fits(extent) && fits(stride));
    for &(extent, stride) in dimensions.iter().filter(|_| !is_empty) {
        let reach = (extent - 1).saturating_mul(stride);
        bounds = (bounds.0.saturating_add(reach.min(0)), bounds.1.saturating_add(reach.max(0)));
        representable &= fits(bounds.0) && fits(bounds.1);
    }
    let exists = |by: i128| (0..=usize::MAX as i128).contains(&first.saturating_add(by));
    let in_memory = is_empty || first != 0 && exists(bounds.0) && exists(bounds.1);
    if !representable || !in_memory {
        errors.push(DescriptorError::Overflow);
    }
    if errors.is_empty() { Ok((first, dimensions)) } else { Err(errors) }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    /// A section, and every element in it, are within the array.
    #[test]
    fn a_section_is_computed_exactly_or_rejected(
        base in base(),
        dimensions in dimensions(),
        subscripts in prop::collection::vec(subscript(), 4),
        is_open: bool,
    ) {
        let mut dimensions = dimensions;
        if let (true, Some(last)) = (is_open, dimensions.last_mut()) {
            last.extent = -1;
        }
        let base = std::ptr::without_provenance_mut(base);
        let made = Descriptor::establish(Format::Flang2024, base, BYTE, 1, Attribute::Other, &dimensions);
        let Ok(made) = made else { return Ok(()) };
        let view = made.view().unwrap();
        let subscripts = &subscripts[..dimensions.len()];
        let found = Descriptor::section(&view, subscripts);
        match section(&view, subscripts) {
            Ok((first, dimensions)) => {
                let found = found.unwrap();
                let found = found.view().unwrap();
                let shown = found.dimensions().iter();
                let shown: Vec<_> = shown.map(|one| (one.extent as i128, one.stride as i128)).collect();
                prop_assert_eq!((found.base().addr() as i128, shown), (first, dimensions));
            }
            Err(errors) => {
                let found = found.err();
                prop_assert!(found.is_some_and(|error| errors.contains(&error)), "{found:?}, expected one of {errors:?}");
            }
        }
    }

    /// Every other operation on a valid descriptor ends without an overflow, and an element's address is exact.
    #[test]
    fn a_valid_descriptor_can_be_converted_and_read(
        base in base(),
        dimensions in dimensions(),
        subscripts in prop::collection::vec(number(), 4),
        kind in 0..3usize,
    ) {
        let attribute = [Attribute::Pointer, Attribute::Allocatable, Attribute::Other][kind];
        let base = std::ptr::without_provenance_mut(base);
        let made = Descriptor::establish(Format::Gfortran, base, BYTE, 1, attribute, &dimensions);
        let Ok(made) = made else { return Ok(()) };
        let view = made.view().unwrap();
        let _ = (view.len(), view.is_contiguous(), Descriptor::pointer_to(&view, Some(&subscripts[..dimensions.len()])));
        let indices = dimensions.iter().zip(&subscripts).map(|(one, &at)| Some((index(one, at as i128)?, one.stride as i128)));
        let offset = indices.collect::<Option<Vec<_>>>().map(|all| all.iter().map(|(index, stride)| index * stride).sum::<i128>());
        let address = offset.map(|offset| view.base().addr() as i128 + offset).filter(|&it| it != 0 && usize::try_from(it).is_ok());
        let element = view.element(&subscripts[..dimensions.len()]).map(|it| it.addr() as i128);
        prop_assert!(element.is_none() || element == address, "{element:?}, expected {address:?}");
        if let Ok(mut own) = GfortranDescriptor::new(&view) {
            let declared = Declared { element_type: BYTE, element_len: 1, attribute, rank: dimensions.len() as u8 };
            // SAFETY: the descriptor was created above.
            let back = unsafe { Descriptor::of_gfortran(own.as_mut_ptr(), &declared, Format::Gfortran) };
            if let Ok(back) = back {
                let back = back.view().unwrap();
                prop_assert!(back.is_empty() || (back.base(), back.len()) == (view.base(), view.len()));
            }
        }
    }
}

#[test]
fn an_extent_that_does_not_fit_is_rejected() {
    let open = Dimension { lower_bound: 0, extent: -1, stride: 1 };
    let base = std::ptr::without_provenance_mut(64);
    let made = Descriptor::establish(Format::Gfortran, base, BYTE, 1, Attribute::Other, &[open]).unwrap();
    let section = |first, last, step| {
        Descriptor::section(&made.view().unwrap(), &[Subscript::Range { first, last, step }])
    };
    assert_eq!(section(0, isize::MAX, 1).err(), Some(DescriptorError::Overflow));
    assert_eq!(section(isize::MAX, isize::MIN, 1).unwrap().view().unwrap().len(), Some(0));
}

#[test]
fn bounds_of_an_empty_gfortran_array_may_be_extreme() {
    let (max, min) = (isize::MAX, isize::MIN);
    let empty = [
        [[1, max, min], [1, 1, 10]],
        [[1, 1, 10], [10, max, 0]],
        [[2, min + 1, min], [1, 0, 0]],
        [[1, -100_000, -200_000], [1 << 61, 1, 0]],
    ];
    for (bounds, attribute) in empty
        .iter()
        .flat_map(|it| [Attribute::Other, Attribute::Pointer, Attribute::Allocatable].map(|of| (it, of)))
    {
        let [[a, b, c], [d, e, f]] = *bounds;
        let own: [isize; 11] = [4096, 0, 1, 0, 8, a, b, c, d, e, f];
        let declared = Declared { element_type: BYTE, element_len: 1, attribute, rank: 2 };
        // SAFETY: the words are a gfortran descriptor: base, offset, element length, a word, the span, and two dimensions.
        let made = unsafe { Descriptor::of_gfortran(own.as_ptr().cast(), &declared, Format::Gfortran) };
        assert_eq!(made.unwrap().view().unwrap().len(), Some(0), "{bounds:?} {attribute:?}");
    }
}
