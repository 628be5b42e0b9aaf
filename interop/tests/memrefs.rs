//! Errors in memref descriptors. Tests with real callers are in `interop/tests/programs/mlir`.

use proptest::prelude::*;
use statictramp_interop::memref::{AnyRank, MOST_DIMENSIONS, MemrefError, Ranked, Unranked};

fn memref<const N: usize>(memory: &mut [i32], offset: isize, dims: [(isize, isize); N]) -> Ranked<i32, N> {
    let pointer = memory.as_mut_ptr();
    let (sizes, strides) = (dims.map(|(size, _)| size), dims.map(|(_, stride)| stride));
    Ranked { allocated: pointer, aligned: pointer, offset, sizes, strides }
}

#[test]
fn a_slice_is_contiguous_and_row_major() {
    let mut memory: Vec<i32> = (0..24).collect();
    let m = Ranked::of_slice(&mut memory, [2, 3, 4]).unwrap();
    assert_eq!((m.sizes, m.strides, m.offset), ([2, 3, 4], [12, 4, 1], 0));
    assert_eq!((m.check(24), m.check(23)), (Ok(()), Err(MemrefError::OutOfBounds)));
    assert_eq!(m.check_identity(), Ok(()));
    // SAFETY: the check above has shown that the element is within the vector.
    assert_eq!(m.element([1, 2, 3]).map(|element| unsafe { *element }), Some(23));
    assert_eq!((m.element([2, 0, 0]), m.element([0, 0, usize::MAX])), (None, None));
    for invalid in [[2, 3, 5], [1 << 40, 1 << 40, 1], [usize::MAX, 1, 1], [0, 3, 4]] {
        assert_eq!(Ranked::of_slice(&mut memory, invalid), Err(MemrefError::OutOfBounds), "{invalid:?}");
    }
    assert!(Ranked::of_slice(&mut [7], []).is_ok_and(|m| m.check(1).is_ok()));
    assert!(Ranked::of_slice(&mut memory[..0], [3, 0]).is_ok_and(|m| m.check(0).is_ok()));
}

#[test]
fn scalars_are_in_mlir_order() {
    let pointers = [0x1000usize, 0x1008];
    let scalars = [pointers[0], pointers[1], 5, 2, 3, usize::MAX, 7];
    let memref = Ranked::<f32, 2>::from_scalars(scalars).unwrap();
    assert_eq!((memref.offset, memref.sizes, memref.strides), (5, [2, 3], [-1, 7]));
    assert_eq!([memref.allocated.addr(), memref.aligned.addr()], pointers);
    assert!(memref.scalars().eq(scalars));
    assert_eq!(Ranked::<f32, 2>::from_scalars(scalars.into_iter().take(6)), None);
    assert!(Ranked::<f32, 0>::from_scalars(scalars).unwrap().scalars().eq(scalars.into_iter().take(3)));
}

#[test]
fn offsets_and_gaps_are_rejected_without_a_layout() {
    let mut memory = [0; 24];
    assert_eq!(memref(&mut memory, 0, [(2, 3), (3, 1)]).check_identity(), Ok(()));
    assert_eq!(
        memref(&mut memory, 0, [(1, 99), (3, 1)]).check_identity(),
        Ok(()),
        "a stride that is never used"
    );
    for (offset, dims) in [(1, [(2, 3), (3, 1)]), (0, [(2, 4), (3, 1)]), (0, [(2, 1), (3, 2)])] {
        let invalid = memref(&mut memory, offset, dims);
        assert_eq!(invalid.check_identity(), Err(MemrefError::NotIdentity), "{invalid:?}");
    }
}

#[test]
fn negative_sizes_are_rejected_and_empty_memrefs_have_no_bounds() {
    let mut memory = [0; 8];
    for size in [-5, isize::MIN] {
        for dims in [[(size, 1), (1, 1)], [(1, size), (size, 1)], [(0, 1), (size, 1)]] {
            let invalid = memref(&mut memory, 0, dims);
            let dimension = invalid.sizes.iter().position(|&size| size < 0).unwrap();
            assert_eq!(invalid.check_identity(), Err(MemrefError::NegativeSize { dimension }), "{invalid:?}");
        }
    }
    let big = isize::MAX;
    for sizes in [[0, big, big], [big, 0, big], [big, big, 0]] {
        let none = memref(&mut memory, 0, sizes.map(|size| (size, 7)));
        assert_eq!((none.check_identity(), none.check(0)), (Ok(()), Ok(())), "{sizes:?}");
        assert!(Ranked::of_slice(&mut memory[..0], sizes.map(|size| size as usize)).is_ok(), "{sizes:?}");
    }
    let too_many = memref(&mut memory, 0, [(big, 1), (big, 1), (1, 1)]);
    assert_eq!(too_many.check_identity(), Err(MemrefError::OutOfBounds));
}

#[test]
fn each_defect_is_reported_with_its_own_error() {
    let mut memory = [0; 8];
    let good = memref(&mut memory, 0, [(2, 4), (4, 1)]);
    assert_eq!(good.check(8), Ok(()));
    assert_eq!(Ranked { sizes: [2, -1], ..good }.check(8), Err(MemrefError::NegativeSize { dimension: 1 }));
    assert_eq!(Ranked { aligned: core::ptr::null_mut(), ..good }.check(8), Err(MemrefError::Null));
    let odd = good.aligned.wrapping_byte_add(1);
    assert_eq!(Ranked { aligned: odd, ..good }.check(8), Err(MemrefError::Misaligned));
    for strides in [[isize::MAX, 1], [4, -2], [isize::MIN, isize::MIN], [5, 1]] {
        assert_eq!(Ranked { strides, ..good }.check(8), Err(MemrefError::OutOfBounds), "{strides:?}");
    }
    assert_eq!(Ranked { offset: isize::MAX, ..good }.check(8), Err(MemrefError::OutOfBounds));
    assert_eq!(Ranked { offset: isize::MIN, ..good }.check(8), Err(MemrefError::OutOfBounds));
}

#[test]
fn an_unranked_memref_is_copied_and_has_one_rank() {
    let mut memory = [0; 8];
    let ranked = memref(&mut memory, 3, [(2, 4), (4, 1)]);
    // SAFETY: the descriptor has this rank.
    let copy = unsafe { Unranked::<i32>::read(2, (&raw const ranked).cast()) };
    assert_eq!((copy.rank(), copy.ranked()), (2, Ok(ranked)));
    assert_eq!(copy.ranked::<1>(), Err(MemrefError::Rank { has: 2 }));
    let many = memref(&mut memory, 0, [(1, 1); MOST_DIMENSIONS + 1]);
    // SAFETY: as above.
    let copy = unsafe { Unranked::<i32>::read(9, (&raw const many).cast()) };
    assert_eq!(copy.ranked::<{ MOST_DIMENSIONS + 1 }>(), Err(MemrefError::Rank { has: 9 }));
    let none = memref(&mut memory, 5, []);
    // SAFETY: as above.
    assert_eq!(unsafe { Unranked::<i32>::read(0, (&raw const none).cast()) }.ranked(), Ok(none));
}

proptest! {
    /// The result of the check agrees with an inspection of each element.
    #[test]
    fn a_memref_is_valid_if_every_element_is_in_memory(
        offset in -3isize..9, dims in prop::array::uniform3((0isize..4, -5isize..6)), len in 0usize..24,
    ) {
        let mut memory = [0; 24];
        let m = memref(&mut memory, offset, dims);
        let [a, b, c] = m.sizes.map(|size| 0..size as usize);
        let mut good = true;
        for indices in a.flat_map(|i| b.clone().map(move |j| (i, j))).flat_map(|(i, j)| c.clone().map(move |k| [i, j, k])) {
            let at = m.element(indices).unwrap().addr().wrapping_sub(m.aligned.addr()) / size_of::<i32>();
            good &= at < len;
        }
        prop_assert_eq!(m.check(len).is_ok(), good, "{:?} of {}", m, len);
    }
}

#[test]
fn sizes_and_layout_are_compared_with_those_of_a_type() {
    let mut memory: Vec<i32> = (0..24).collect();
    let m = memref(&mut memory, 3, [(2, 8), (5, 1)]);
    for (sizes, wanted) in [
        ([Some(2), None], Ok(())),
        ([None, None], Ok(())),
        ([Some(2), Some(4)], Err(MemrefError::Size { dimension: 1, has: 5 })),
        ([Some(1), Some(4)], Err(MemrefError::Size { dimension: 0, has: 2 })),
    ] {
        assert_eq!(m.check_sizes(sizes), wanted);
    }
    for (strides, offset, wanted) in [
        ([Some(8), Some(1)], Some(3), Ok(())),
        ([None, Some(1)], None, Ok(())),
        ([Some(8), Some(2)], Some(3), Err(MemrefError::Layout)),
        ([Some(8), Some(1)], Some(0), Err(MemrefError::Layout)),
    ] {
        assert_eq!(m.check_layout(strides, offset), wanted);
    }
    // SAFETY: the memref is alive.
    let any = unsafe { AnyRank::of(2, (&raw const m).cast()) };
    assert_eq!(any.check_sizes(&[None]), Err(MemrefError::Rank { has: 2 }));
    assert_eq!(any.check_layout(&[None; 3], None), Err(MemrefError::Rank { has: 2 }));
}
