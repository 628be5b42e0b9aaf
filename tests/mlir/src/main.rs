//! Closures that take and return memrefs, called by the functions of callers.mlir and rank.mlir.

use statictramp::interop::memref::{Callee, Ranked, Unranked, UnrankedResult, bind};
use std::cell::Cell;
use std::mem::MaybeUninit;

type Vector = Ranked<f32, 1>;
type Matrix = Ranked<f32, 2>;

/// A struct of results, as C has it.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Debug)]
struct Three(Matrix, f64, i8);
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Debug)]
struct Two(i64, f32);

unsafe extern "C" {
    fn _mlir_ciface_many(
        result: *mut Three,
        f: *const (),
        v: *const Vector,
        m: *const Matrix,
        s: *const Ranked<f32, 0>,
    );
    fn _mlir_ciface_pair(result: *mut Two, f: *const (), v: *const Vector, n: i64);
    fn _mlir_ciface_unranked(result: *mut Matrix, f: *const (), m: *const Matrix);
    fn _mlir_ciface_unranked_loop(f: *const (), m: *const Matrix, times: isize);
    fn _mlir_ciface_recursive(f: *const (), v: *const Vector, n: i64) -> i64;
}

/// What a function leaves in memory that is given to it.
fn left<R>(by: impl FnOnce(*mut R)) -> R {
    let mut result = MaybeUninit::uninit();
    by(result.as_mut_ptr());
    // SAFETY: each caller's function fills it.
    unsafe { result.assume_init() }
}

/// The first element.
fn first<const N: usize>(m: &Ranked<f32, N>) -> &Cell<f32> {
    // SAFETY: every memref here has elements, of this program and one thread at a time.
    unsafe { &*m.element([0; N]).expect("an element").cast() }
}

/// Memrefs with an offset and gaps, through a closure and through the same in MLIR.
macro_rules! rank {
    ($rank:literal $call:ident $plain:ident) => {{
        unsafe extern "C" {
            fn $call(result: *mut Ranked<f32, $rank>, f: *const (), m: *const Ranked<f32, $rank>, n: i64);
            fn $plain() -> *const ();
        }
        let mut memory: Vec<f32> = (0..2000).map(|i| 1.0 / (i + 3) as f32).collect();
        let mut m = Ranked {
            allocated: memory.as_mut_ptr(),
            aligned: memory.as_mut_ptr(),
            offset: 7,
            sizes: std::array::from_fn(|d| d as isize + 1),
            strides: std::array::from_fn(|d| 3 + 2 * d as isize),
        };
        m.check(memory.len()).unwrap();
        let calls = Cell::new(0);
        let closure = |m: Ranked<f32, $rank>, n: i64| {
            calls.set(calls.get() + 1);
            first(&m).set(first(&m).get() * n as f32);
            m
        };
        let bound = bind(&closure).unwrap();
        for n in [3, -5, 1 << 40] {
            let before = memory.clone();
            // SAFETY: lowered by the tools whose conventions these are.
            let by_closure = left(|result| unsafe { $call(result, bound.as_ptr(), &m, n) });
            let after = std::mem::replace(&mut memory, before);
            (m.allocated, m.aligned) = (memory.as_mut_ptr(), memory.as_mut_ptr());
            // SAFETY: as above.
            let by_plain = left(|result| unsafe { $call(result, $plain(), &m, n) });
            let bits = |list: &[f32]| list.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&after), bits(&memory), "rank {}", $rank);
            assert_eq!(by_plain, m, "rank {}", $rank);
            let same = (by_closure.offset, by_closure.sizes, by_closure.strides);
            assert_eq!(same, (m.offset, m.sizes, m.strides), "rank {}", $rank);
        }
        assert_eq!(calls.get(), 3);
    }};
}

fn several_at_once() {
    let (mut v, mut m, mut s) = ([1.0f32, 2.0, 3.0], [0.5f32; 12], [9.0f32]);
    let v = Ranked::of_slice(&mut v, [3]).unwrap();
    let m = Ranked::of_slice(&mut m, [3, 4]).unwrap();
    let s = Ranked::of_slice(&mut s, []).unwrap();
    let base = 100.0;
    let closure = |v: Vector, x: f64, m: Matrix, n: i32, s: Ranked<f32, 0>, y: f32, b: bool| {
        assert!(b);
        let sum = f64::from(first(&v).get() + first(&s).get()) + x + f64::from(n) + f64::from(y) + base;
        let mut turned = m;
        turned.sizes.reverse();
        turned.strides.reverse();
        (turned, sum, n as i8)
    };
    let bound = bind(&closure).unwrap();
    // SAFETY: as above.
    let Three(turned, sum, n) = left(|result| unsafe { _mlir_ciface_many(result, bound.as_ptr(), &v, &m, &s) });
    assert_eq!((turned.sizes, turned.strides, sum, n), ([4, 3], [1, 4], 1.0 + 9.0 + 1.5 - 7.0 + 0.25 + 100.0, -7));

    let pair = |v: Vector, n: i64| (n * v.sizes[0] as i64, first(&v).get() / 4.0);
    let bound = bind(&pair).unwrap();
    // SAFETY: as above.
    assert_eq!(left(|result| unsafe { _mlir_ciface_pair(result, bound.as_ptr(), &v, 14) }), Two(42, 0.25));
}

/// Bytes that the program has from `malloc`.
fn allocated() -> usize {
    // SAFETY: reads numbers.
    unsafe { libc::mallinfo2().uordblks }
}

fn without_a_rank(times: isize) {
    let mut memory = [1.0f32; 6];
    let m = Ranked::of_slice(&mut memory, [2, 3]).unwrap();
    let calls = Cell::new(0isize);
    let closure = |m: Unranked<f32>| {
        calls.set(calls.get() + 1);
        assert_eq!((m.rank(), m.ranked::<3>().is_err()), (2, true));
        let mut m: Matrix = m.ranked().unwrap();
        m.sizes.swap(0, 1);
        UnrankedResult::new(m).unwrap()
    };
    let bound = bind(&closure).unwrap();
    // SAFETY: as above.
    let swapped = left(|result| unsafe { _mlir_ciface_unranked(result, bound.as_ptr(), &m) });
    assert_eq!(swapped, Ranked { sizes: [3, 2], ..m });
    // The caller's stack does not grow with the number of calls, and the caller frees the descriptors it is given.
    let before = allocated();
    // SAFETY: as above.
    unsafe { _mlir_ciface_unranked_loop(bound.as_ptr(), &m, times) };
    assert_eq!(calls.get(), times + 1);
    assert_eq!(allocated(), before);
}

fn recursion(depth: i64) {
    let mut memory = [2.0f32];
    let v = Ranked::of_slice(&mut memory, [1]).unwrap();
    /// As a trampoline's user has it.
    fn sum<F: Callee<(Vector, i64)>>(f: &F, v: &Vector, n: i64) -> i64 {
        let bound = bind(f).unwrap();
        // SAFETY: as above.
        unsafe { _mlir_ciface_recursive(bound.as_ptr(), v, n) }
    }
    let inner = |v: Vector, n: i64| n * first(&v).get() as i64;
    let outer = |v: Vector, n: i64| if n % 64 == 0 { sum(&inner, &v, 3) } else { n };
    let wanted: i64 = (1..=depth).map(|n| if n % 64 == 0 { 12 } else { n }).sum();
    assert_eq!(sum(&outer, &v, depth), wanted);
}

fn main() {
    let effort: isize = std::env::args().nth(1).map_or(1000, |effort| effort.parse().unwrap());
    rank!(0 _mlir_ciface_rank0 plain_address0);
    rank!(1 _mlir_ciface_rank1 plain_address1);
    rank!(2 _mlir_ciface_rank2 plain_address2);
    rank!(3 _mlir_ciface_rank3 plain_address3);
    rank!(4 _mlir_ciface_rank4 plain_address4);
    rank!(5 _mlir_ciface_rank5 plain_address5);
    several_at_once();
    without_a_rank(effort);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..effort / 10).for_each(|n| recursion(n as i64 % 500)));
        }
    });
    assert_eq!(statictramp::live(), 0);
    println!("ranks 0 to 5, three at once, recursion in four threads");
}
