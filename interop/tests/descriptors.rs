//! Errors in Fortran descriptors, and a check that the library reads no byte past the end of a descriptor. Descriptors
//! from real callers are in `interop/tests/programs/descriptors`.
#![cfg(target_os = "linux")]

use proptest::prelude::*;
use statictramp_interop::descriptor::{
    Attribute, Category, Descriptor, DescriptorError, Dimension, Format, MOST_DIMENSIONS, Type, View,
};

/// Returns the words of a descriptor: its header and its dimensions.
fn descriptor(layout: Format, base: usize, element_len: usize, dimensions: &[Dimension]) -> Vec<u64> {
    let (version, rest): (i32, [u8; 3]) = match layout {
        Format::Gfortran => (1, [2, 1, 4]), // neither pointer nor allocatable, INTEGER(4)
        Format::Flang2018 => (20180515, [9, 0, 0]),
        Format::Flang2024 => (20240719, [9, 0, 0]),
    };
    let [a, b, c] = rest;
    let last = u32::from_le_bytes([dimensions.len() as u8, a, b, c]);
    let mut words = vec![base as u64, element_len as u64, u64::from(version as u32) | u64::from(last) << 32];
    words.extend(dimensions.iter().flat_map(|d| [d.lower_bound, d.extent, d.stride].map(|word| word as u64)));
    words
}

const LAYOUTS: [Format; 3] = [Format::Gfortran, Format::Flang2018, Format::Flang2024];
const INTEGER: Type = Type { category: Category::Integer, kind: 4 };

fn view(words: &[u64]) -> Result<View<'_>, DescriptorError> {
    let rank = usize::from(words[2].to_le_bytes()[4]);
    assert!(rank > MOST_DIMENSIONS || words.len() >= 3 + 3 * rank);
    // SAFETY: the descriptor has the length that its rank requires.
    unsafe { View::of(words.as_ptr().cast()) }
}

fn dimension(lower_bound: isize, extent: isize, stride: isize) -> Dimension {
    Dimension { lower_bound, extent, stride }
}

#[test]
fn each_defect_is_reported_with_its_own_error() {
    // SAFETY: neither descriptor is read.
    unsafe {
        assert_eq!(View::of(core::ptr::null()).unwrap_err(), DescriptorError::Null);
        assert_eq!(View::of(core::ptr::without_provenance(12)).unwrap_err(), DescriptorError::Misaligned);
    }
    for layout in LAYOUTS {
        let good = descriptor(layout, 0x1000, 4, &[dimension(0, 3, 4)]);
        assert!(view(&good).is_ok());
        let with = |at: usize, byte: u8| {
            let mut words = good.clone();
            let mut bytes = words[2].to_le_bytes();
            bytes[at] = byte;
            words[2] = u64::from_le_bytes(bytes);
            view(&words).unwrap_err()
        };
        assert!(matches!(with(1, 0x77), DescriptorError::Version(_)));
        assert_eq!(with(4, 16), DescriptorError::Rank(16));
        let (attribute, ty) = if layout == Format::Gfortran { (5, 6) } else { (6, 5) };
        assert_eq!(with(attribute, 3), DescriptorError::Attribute(3));
        assert!(matches!(with(ty, 0), DescriptorError::Type(_)));
        assert!(matches!(with(ty, 99), DescriptorError::Type(_)));
        for (invalid, error) in [
            (vec![dimension(0, -2, 4)], DescriptorError::Extent(0)),
            (vec![dimension(0, -1, 4), dimension(0, 2, 4)], DescriptorError::Extent(0)),
            (vec![dimension(0, isize::MAX, isize::MAX)], DescriptorError::Overflow),
            (vec![dimension(0, 0x1001, -1)], DescriptorError::Overflow), // below address 0
            (vec![dimension(0, isize::MAX, 1), dimension(0, 2, isize::MAX)], DescriptorError::Overflow),
        ] {
            assert_eq!(view(&descriptor(layout, 0xfff, 4, &invalid)).unwrap_err(), error, "{invalid:?}");
        }
        // An unallocated array has no bounds, so they cannot be invalid.
        assert!(view(&descriptor(layout, 0, 4, &[dimension(0, -9, 4)])).is_ok_and(|v| v.is_empty()));
    }
}

#[test]
fn subscripts_are_checked() {
    for layout in LAYOUTS {
        let words = descriptor(layout, 0x1000, 4, &[dimension(-1, 3, 4), dimension(5, 2, -16)]);
        let view = view(&words).unwrap();
        assert_eq!((view.format(), view.element_type(), view.len()), (layout, INTEGER, Some(6)));
        let address = |subscripts: &[isize]| view.element(subscripts).map(|element| element.addr());
        assert_eq!(address(&[-1, 5]), Some(0x1000));
        assert_eq!(address(&[1, 6]), Some(0x1000 + 8 - 16));
        for outside in [&[-2, 5][..], &[2, 5], &[0, 4], &[0, 7], &[0], &[0, 5, 0], &[isize::MIN, 5]] {
            assert_eq!(address(outside), None, "{outside:?}");
        }
        let open = descriptor(layout, 0x1000, 4, &[dimension(0, 3, 4), dimension(0, -1, 12)]);
        let open = self::view(&open).unwrap();
        assert_eq!((open.is_assumed_size(), open.len()), (true, None));
        assert_eq!(open.element(&[2, 1000]).map(|element| element.addr()), Some(0x1000 + 8 + 12_000));
    }
}

#[test]
fn a_copy_is_copied_back_only_to_its_original() {
    let words = descriptor(Format::Gfortran, 0x1000, 4, &[dimension(0, 3, 4)]);
    let other = Descriptor::new(&view(&words).unwrap(), Format::Flang2024).unwrap();
    // SAFETY: both descriptors are writable.
    unsafe {
        let mut same = words.clone();
        assert_eq!(other.copy_back(same.as_mut_ptr().cast()), Err(DescriptorError::Unlike), "not a pointer");
        let mut allocatable = words.clone();
        allocatable[2] = allocatable[2] & !(0xff << 40) | 1 << 40;
        let copy = Descriptor::new(&view(&allocatable).unwrap(), Format::Flang2024).unwrap();
        assert_eq!(copy.view().unwrap().attribute(), Attribute::Allocatable);
        assert_eq!(
            copy.copy_back(same.as_mut_ptr().cast()),
            Err(DescriptorError::Unlike),
            "another attribute"
        );
        assert_eq!(same, words, "nothing is changed");
        let mut longer = descriptor(Format::Gfortran, 0, 4, &[dimension(0, 3, 4); 2]);
        assert_eq!(copy.copy_back(longer.as_mut_ptr().cast()), Err(DescriptorError::Unlike), "another rank");
        let mut freed = allocatable.clone();
        freed[0] = 0;
        assert_eq!(copy.copy_back(freed.as_mut_ptr().cast()), Ok(()));
        assert_eq!(freed, allocatable);
    }
}

/// Returns a descriptor of a scalar with an addendum. The table is never read.
fn with_type(layout: Format, table: u64, attribute: u64) -> Vec<u64> {
    let mut words = descriptor(layout, 0x1000, 4, &[]);
    words[2] = words[2] & !(0xff << 48) | 1 << 56 | attribute << 48;
    words.push(table);
    words
}

#[test]
fn a_conversion_keeps_the_dynamic_type() {
    const TABLE: u64 = 0x2000;
    let table_of = |made: &mut Descriptor| {
        let view = made.view().unwrap();
        let addendum = view.addendum().expect("an addendum").cast::<u64>();
        // SAFETY: a descriptor has room for its addendum.
        (view.format(), unsafe { addendum.read() })
    };
    for (from, to) in [
        (Format::Flang2018, Format::Flang2024),
        (Format::Flang2024, Format::Flang2018),
        (Format::Flang2024, Format::Flang2024),
    ] {
        let words = with_type(from, TABLE, 1);
        let mut made = Descriptor::new(&view(&words).unwrap(), to).unwrap();
        assert_eq!(table_of(&mut made), (to, TABLE));
        assert_eq!(
            table_of(&mut Descriptor::pointer_to(&view(&words).unwrap(), None).unwrap()),
            (from, TABLE)
        );
        assert_eq!(table_of(&mut Descriptor::section(&view(&words).unwrap(), &[]).unwrap()), (from, TABLE));
        let other = Descriptor::new(&made.view().unwrap(), Format::Gfortran).unwrap();
        assert!(other.view().unwrap().addendum().is_none(), "gfortran's layout has none");
        let mut back = Descriptor::new(&other.view().unwrap(), from).unwrap();
        assert_eq!(table_of(&mut back), (from, TABLE));
        let mut target = with_type(from, 0x3000, 1);
        // SAFETY: both descriptors are writable.
        unsafe { back.copy_back(target.as_mut_ptr().cast()).unwrap() };
        assert_eq!(target.last(), Some(&TABLE));
        // An object of an intrinsic type has an addendum without a table, and another has no addendum.
        let words = with_type(from, 0, 1);
        assert_eq!(table_of(&mut Descriptor::new(&view(&words).unwrap(), to).unwrap()), (to, 0));
        let words = descriptor(from, 0x1000, 4, &[]);
        let plain = Descriptor::new(&view(&words).unwrap(), to).unwrap();
        assert!(plain.view().unwrap().addendum().is_none());
        // SAFETY: the descriptor is writable.
        assert_eq!(unsafe { plain.copy_back(target.as_mut_ptr().cast()) }, Err(DescriptorError::Unlike));
    }
}

#[test]
fn an_empty_array_is_never_out_of_bounds() {
    let huge = dimension(0, isize::MAX, isize::MAX);
    for layout in LAYOUTS {
        for dimensions in
            [[dimension(0, 0, 4), huge], [huge, dimension(0, 0, 4)], [dimension(1, 0, isize::MIN), huge]]
        {
            let words = descriptor(layout, 0x1000, usize::MAX, &dimensions);
            let view = view(&words).unwrap();
            assert_eq!((view.len(), view.is_empty(), view.element(&[0, 0])), (Some(0), true, None));
        }
        let words = descriptor(layout, 0x1000, 4, &[dimension(0, 0, 4), dimension(0, -1, 4)]);
        assert_eq!(view(&words).unwrap().len(), Some(0), "none in a(0, *)");
        let words = descriptor(layout, 0x1000, 4, &[dimension(0, 0, 4), dimension(0, isize::MIN, 4)]);
        assert_eq!(view(&words).unwrap_err(), DescriptorError::Extent(1));
        let words = descriptor(layout, 0, 4, &[dimension(0, isize::MIN, 4)]);
        assert_eq!(view(&words).unwrap().len(), Some(0), "nothing is allocated");
        let words = descriptor(layout, 0x1000, 4, &[dimension(0, isize::MAX, 0); 3]);
        assert_eq!(view(&words).unwrap().len(), None, "more than can be counted");
    }
}

#[test]
fn a_copy_is_not_read_beyond_its_end() {
    for layout in LAYOUTS {
        for rank in 0..=MOST_DIMENSIONS {
            let words = descriptor(layout, 0x1000, 4, &vec![dimension(0, 1, 4); rank]);
            assert_eq!(View::of_words(&words).unwrap().dimensions().len(), rank);
            for len in 0..words.len() {
                assert_eq!(View::of_words(&words[..len]).unwrap_err(), DescriptorError::Short);
            }
            if layout != Format::Gfortran {
                let mut flagged = words.clone(); // the addendum is missing
                flagged[2] |= 1 << 56;
                let edge = Edge::new();
                let bytes: Vec<u8> = flagged.iter().flat_map(|word| word.to_ne_bytes()).collect();
                let at = edge.put(&bytes).cast::<u64>();
                // SAFETY: the words are directly before the edge.
                let words = unsafe { core::slice::from_raw_parts(at, flagged.len()) };
                assert!(View::of_words(words).unwrap().addendum().is_some());
            }
        }
        let many = descriptor(layout, 0x1000, 4, &[dimension(0, 1, 4); MOST_DIMENSIONS + 1]);
        assert_eq!(View::of_words(&many[..3]).unwrap_err(), DescriptorError::Rank(16));
    }
}

/// A page that is followed by an inaccessible page.
struct Edge(*mut u8);

const PAGE: usize = 4096;

impl Edge {
    fn new() -> Self {
        // SAFETY: this creates a new mapping of two pages, the second of which is inaccessible.
        unsafe {
            let (rights, flags) =
                (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
            let pages = libc::mmap(core::ptr::null_mut(), 2 * PAGE, rights, flags, -1, 0);
            assert_ne!(pages, libc::MAP_FAILED);
            assert_eq!(libc::mprotect(pages.byte_add(PAGE), PAGE, libc::PROT_NONE), 0);
            Edge(pages.cast())
        }
    }

    /// Copies bytes to the addresses directly before the edge.
    fn put(&self, bytes: &[u8]) -> *const () {
        // SAFETY: there are fewer bytes than in a page.
        unsafe {
            let start = self.0.add(PAGE - bytes.len());
            start.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
            start.cast()
        }
    }
}

impl Drop for Edge {
    fn drop(&mut self) {
        // SAFETY: the pages were mapped above.
        unsafe { libc::munmap(self.0.cast(), 2 * PAGE) };
    }
}

proptest! {
    /// Arbitrary bytes are accepted as a descriptor or rejected with an error, and no byte after them is read.
    #[test]
    fn only_the_header_the_dimensions_and_the_addendum_are_read(
        mut bytes in prop::collection::vec(any::<u8>(), 32 + 24 * MOST_DIMENSIONS),
        rank in 0u8..=255,
        version in prop::sample::select(vec![1i32, 20180515, 20240719, 7]),
        small in any::<bool>(),
    ) {
        bytes[16..20].copy_from_slice(&version.to_le_bytes());
        bytes[20] = rank;
        if small {
            // The ranges are small, so that most descriptors are valid.
            (bytes[21], bytes[22], bytes[23]) = if version == 1 { (bytes[21] % 3, bytes[22] % 9, 4) } else { (bytes[21] % 50, bytes[22] % 3, bytes[23] % 2) };
            bytes[8..16].copy_from_slice(&4u64.to_le_bytes());
            for word in bytes[24..].chunks_mut(8) {
                word[1..].fill(0);
            }
        }
        let len = 24 + 24 * if usize::from(rank) <= MOST_DIMENSIONS { usize::from(rank) } else { 0 };
        let addendum = if version > 7 && bytes[23] % 2 == 1 { 8 } else { 0 };
        let edge = Edge::new();
        let address = edge.put(&bytes[..len + addendum]);
        // SAFETY: the bytes before the edge include all bytes that a descriptor may have.
        match unsafe { View::of(address) } {
            Ok(view) => {
                prop_assert_eq!(view.dimensions().len(), usize::from(rank));
                let first: Vec<isize> = view.dimensions().iter().map(|d| d.lower_bound).collect();
                let element = view.element(&first);
                prop_assert!(element.is_none() || element == Some(view.base()));
                // Another layout has the same type code, or no code for the type.
                for layout in LAYOUTS {
                    if let Ok(other) = Descriptor::new(&view, layout) {
                        let there = other.view().unwrap();
                        prop_assert_eq!(there.format(), layout);
                        prop_assert_eq!((there.base(), there.element_len(), there.dimensions()), (view.base(), view.element_len(), view.dimensions()));
                        prop_assert_eq!(there.attribute(), view.attribute());
                        prop_assert_eq!(there.element_type().category == view.element_type().category, view.element_type().category != Category::FunctionPointer || layout == Format::Gfortran);
                    }
                }
            }
            Err(DescriptorError::Rank(invalid)) => prop_assert!(usize::from(invalid) > MOST_DIMENSIONS),
            Err(_) => {}
        }
    }
}
