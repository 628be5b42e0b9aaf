//! Tests closures that take and return memrefs. The functions of callers.mlir and rank.mlir call them.
//!
//! This is a static library that contains the program's `main`. It is compiled once, and then linked with each object in
//! turn.

use statictramp_interop::memref::{
    Bf16, Callee, Complex, F16, MemrefError, Ranked, Unranked, UnrankedResult, Vector as Lanes, bind,
};
use std::cell::Cell;
use std::mem::MaybeUninit;

type Vector = Ranked<f32, 1>;
type Matrix = Ranked<f32, 2>;

/// A struct of results, as in C.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Debug)]
struct Three(Matrix, f64, i8);
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Debug)]
struct Two(i64, f32);

type Four = Lanes<f32, 4>;

unsafe extern "C" {
    fn _mlir_ciface_turned(c: *const ()) -> i64;
    fn _mlir_ciface_byte(f: *const (), x: i64) -> i64;
    fn _mlir_ciface_elements(
        f: *const (),
        h: *const Ranked<F16, 1>,
        b: *const Ranked<Bf16, 1>,
        c: *const Ranked<Complex<f32>, 1>,
        v: *const Ranked<Four, 1>,
    );
    fn _mlir_ciface_fixed(f: *const (), m: *const Matrix) -> i64;
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

/// Returns the contents of memory that the function `by` fills.
fn left<R>(by: impl FnOnce(*mut R)) -> R {
    let mut result = MaybeUninit::uninit();
    by(result.as_mut_ptr());
    // SAFETY: the function of each caller fills the memory.
    unsafe { result.assume_init() }
}

/// Returns the first element.
fn first<const N: usize>(m: &Ranked<f32, N>) -> &Cell<f32> {
    // SAFETY: every memref here has elements that belong to this program, and only one thread at a time uses them.
    unsafe { &*m.element([0; N]).expect("an element").cast() }
}

/// Tests memrefs with an offset and gaps, through a closure and through the equivalent MLIR function.
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
            // SAFETY: the function was lowered by tools that use these calling conventions.
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

fn several_concurrently() {
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
    let Three(turned, sum, n) =
        left(|result| unsafe { _mlir_ciface_many(result, bound.as_ptr(), &v, &m, &s) });
    assert_eq!(
        (turned.sizes, turned.strides, sum, n),
        ([4, 3], [1, 4], 1.0 + 9.0 + 1.5 - 7.0 + 0.25 + 100.0, -7)
    );

    let pair = |v: Vector, n: i64| (n * v.sizes[0] as i64, first(&v).get() / 4.0);
    let bound = bind(&pair).unwrap();
    // SAFETY: as above.
    assert_eq!(left(|result| unsafe { _mlir_ciface_pair(result, bound.as_ptr(), &v, 14) }), Two(42, 0.25));
}

const ONE_AND_A_HALF: F16 = F16::from_bits(0x3e00);
const MINUS_THREE: Bf16 = Bf16::from_bits(0xc040);

/// Tests more arguments than registers. Two of them have the types that the test substitutes for HALF and BRAIN in the
/// callers' text.
macro_rules! crowd {
    ($call:ident $half:ty = $one:expr, $brain:ty = $other:expr) => {{
        #[repr(C)]
        #[derive(Clone, Copy, PartialEq, Debug)]
        struct Six(f64, i64, f32, Complex<f64>, $half, $brain);
        unsafe extern "C" {
            fn $call(result: *mut Six, f: *const (), v: *const Vector);
        }
        let mut memory = [4.0f32];
        let v = Ranked::of_slice(&mut memory, [1]).unwrap();
        let crowd = |a: f64,
                     b: f32,
                     c: f64,
                     d: f32,
                     e: f64,
                     f: f32,
                     g: f64,
                     h: f32,
                     i: f64,
                     j: f32,
                     long: i64,
                     byte: i8,
                     z: Complex<f32>,
                     half: $half,
                     brain: $brain,
                     v: Vector| {
            assert_eq!([a, c, e, g, i], [1., 2., 3., 4., 5.]);
            assert_eq!([b, d, f, h, j], [0.5, 0.25, 0.125, 0.0625, 0.03125]);
            assert_eq!((long, byte, z), (-(1 << 40), -7, Complex { re: 10., im: -20. }));
            assert_eq!((half, brain, first(&v).get()), ($one, $other, 4.));
            let z = Complex { re: f64::from(z.im), im: f64::from(z.re) };
            (a + f64::from(j), long - 1, f, z, half, brain)
        };
        let bound = bind(&crowd).unwrap();
        // SAFETY: as above.
        let six = left(|result| unsafe { $call(result, bound.as_ptr(), &v) });
        let z = Complex { re: -20., im: 10. };
        assert_eq!(six, Six(1.03125, -(1 << 40) - 1, 0.125, z, $one, $other));
    }};
}

/// Tests two-byte numbers by value, for which Rust has no types.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64"))]
fn halves() {
    #[repr(C)]
    #[derive(Clone, Copy, PartialEq, Debug)]
    struct OfHalves(F16, Bf16, F16, f32);
    unsafe extern "C" {
        fn _mlir_ciface_halves(result: *mut OfHalves, f: *const (), x: f32);
        fn _mlir_ciface_returned(f: *const (), g: *const ()) -> i64;
    }
    crowd!(_mlir_ciface_crowd F16 = ONE_AND_A_HALF, Bf16 = MINUS_THREE);

    let half = |h: F16| F16::from_bits(h.to_bits() ^ 0x8000);
    let brain = |b: Bf16| {
        assert_eq!(f32::from(b), -3.);
        Bf16::from_bits(b.to_bits() ^ 0x8000)
    };
    let (f, g) = (bind(&half).unwrap(), bind(&brain).unwrap());
    // SAFETY: as above.
    assert_eq!(unsafe { _mlir_ciface_returned(f.as_ptr(), g.as_ptr()) }, 1);

    let (other, base) = (F16::from_bits(0x7bff), 4.);
    let halves = |x: f32| (ONE_AND_A_HALF, MINUS_THREE, other, x + base);
    let bound = bind(&halves).unwrap();
    for x in [1.5, f32::MAX, -0.1] {
        // SAFETY: as above.
        let found = left(|result| unsafe { _mlir_ciface_halves(result, bound.as_ptr(), x) });
        assert_eq!(found, OfHalves(ONE_AND_A_HALF, MINUS_THREE, other, x + base));
    }
}

/// Tests elements of any type, and subword types.
fn numbers() {
    crowd!(_mlir_ciface_crowd_of_integers i16 = 0x3e00, i16 = 0xc040_u16 as i16);
    let complex = |c: Complex<f32>| Complex { re: c.im, im: c.re };
    let byte = |x: i64| x as i8;
    let (turned, byte) = (bind(&complex).unwrap(), bind(&byte).unwrap());
    // SAFETY: as above.
    assert_eq!(unsafe { _mlir_ciface_turned(turned.as_ptr()) }, 1);
    for x in [0x1234_5678_9abc_def0, 0x7f, -1] {
        // SAFETY: as above.
        assert_eq!(unsafe { _mlir_ciface_byte(byte.as_ptr(), x) }, i64::from(x as i8));
    }
    cut();

    let (mut h, mut b) = ([F16::default(), ONE_AND_A_HALF], [MINUS_THREE]);
    let (mut c, mut v) = ([Complex { re: 1f32, im: 2. }; 3], [Lanes([0.; 4]), Lanes([1., 2., 3., 4.])]);
    let elements = |h: Ranked<F16, 1>, b: Ranked<Bf16, 1>, c: Ranked<Complex<f32>, 1>, v: Ranked<Four, 1>| {
        assert_eq!((h.sizes, b.sizes, c.sizes, v.sizes), ([2], [1], [3], [2]));
        v.check(2).unwrap();
        // SAFETY: the memory belongs to this program and is alive.
        unsafe {
            assert_eq!(*b.element([0]).unwrap(), MINUS_THREE);
            *c.element([2]).unwrap() = Complex { re: 5., im: 6. };
        }
        v
    };
    let bound = bind(&elements).unwrap();
    let of = (
        Ranked::of_slice(&mut h, [2]).unwrap(),
        Ranked::of_slice(&mut b, [1]).unwrap(),
        Ranked::of_slice(&mut c, [3]).unwrap(),
        Ranked::of_slice(&mut v, [2]).unwrap(),
    );
    // SAFETY: as above.
    unsafe { _mlir_ciface_elements(bound.as_ptr(), &of.0, &of.1, &of.2, &of.3) };
    assert_eq!((h[0], c[2], v[0]), (ONE_AND_A_HALF, Complex { re: 5., im: 6. }, Lanes([1., 2., 3., 4.])));

    // Sizes in the type are passed on unchanged. The received sizes are checked here.
    let mut memory = [0f32; 24];
    let fixed = |m: Matrix| {
        let checked =
            m.check_sizes([Some(2), None]).and_then(|()| m.check_layout([Some(8), Some(1)], Some(3)));
        match checked {
            Ok(()) => 0,
            Err(MemrefError::Size { dimension, has }) => 100 + 10 * dimension as i64 + has as i64,
            Err(_) => -1,
        }
    };
    let bound = bind(&fixed).unwrap();
    let pointer = memory.as_mut_ptr();
    let good = Ranked { allocated: pointer, aligned: pointer, offset: 3, sizes: [2, 5], strides: [8, 1] };
    let cases = [
        (good, 0),
        (Ranked { sizes: [1, 5], ..good }, 101),
        (Ranked { strides: [7, 1], ..good }, -1),
        (Ranked { offset: 0, ..good }, -1),
    ];
    for (m, wanted) in cases {
        // SAFETY: as above; the closure reads no element.
        assert_eq!(unsafe { _mlir_ciface_fixed(bound.as_ptr(), &m) }, wanted);
    }
}

/// Tests subword values with other bits above them, which the caller leaves there.
fn cut() {
    type Parts = (i8, i16, i32, bool);
    #[repr(C)]
    #[derive(Clone, Copy, PartialEq, Debug)]
    struct OfParts(i8, i16, i32, bool);
    unsafe extern "C" {
        fn _mlir_ciface_cut(result: *mut OfParts, f: *const (), x: i64);
    }
    let parts = |x: i64| -> Parts { (x as i8, x as i16, x as i32, x & 1 != 0) };
    let wanted = Cell::new(0);
    #[rustfmt::skip]
    let closure = |a: i8, b: i16, c: i32, d: bool, e: i8, f: i16, g: i32, h: bool, i: i8, j: i16, k: i32, l: bool| {
        assert_eq!([(a, b, c, d), (e, f, g, h), (i, j, k, l)], [parts(wanted.get()); 3]);
        (i, f, c, l)
    };
    let bound = bind(&closure).unwrap();
    for x in [0x1234_5678_9abc_def0, -0x1234_5678_9abc_def1, i64::MIN, 1, -1] {
        wanted.set(x);
        // SAFETY: as above.
        let found = left(|result| unsafe { _mlir_ciface_cut(result, bound.as_ptr(), x) });
        let (a, b, c, d) = parts(x);
        assert_eq!(found, OfParts(a, b, c, d), "{x:x}");
    }
}

/// Tests floating-point results. A processor returns some of them in registers other than the first ones.
fn floats() {
    #[repr(C)]
    #[derive(Clone, Copy, PartialEq, Debug)]
    struct OfFloats(f32, f64, f32, f64, i64);
    #[repr(C)]
    #[derive(Clone, Copy, PartialEq, Debug)]
    struct Eight(f32, f64, f32, f64, f32, f64, f32, f64);
    unsafe extern "C" {
        fn _mlir_ciface_four_floats(result: *mut OfFloats, f: *const (), x: f32);
        fn _mlir_ciface_sixteen_floats(result: *mut Eight, f: *const (), x: f32, y: f64);
    }
    let four = |x: f32| (x, f64::from(x) * 2., -x, f64::MIN_POSITIVE, 5i64);
    #[rustfmt::skip]
    let sixteen = |a: f32, b: f64, c: f32, d: f64, e: f32, f: f64, g: f32, h: f64, i: f32, j: f64, k: f32, l: f64, m: f32, n: f64, o: f32, p: f64| {
        assert_eq!((a, c, a, a), (e, i, g, k));
        assert_eq!([b, d, f, h, j, l, n], [p; 7]);
        (a, -b, c, -n, -m, p * 2., -o, p)
    };
    let (of_four, of_sixteen) = (bind(&four).unwrap(), bind(&sixteen).unwrap());
    for x in [1.5, f32::MAX, -0.1, f32::MIN_POSITIVE / 4., f32::INFINITY, 0.] {
        for _ in 0..9 {
            // The x87 stack has eight registers, and none of them may stay full.
            // SAFETY: as above.
            let found = left(|result| unsafe { _mlir_ciface_four_floats(result, of_four.as_ptr(), x) });
            assert_eq!(found, OfFloats(x, f64::from(x) * 2., -x, f64::MIN_POSITIVE, 5));
        }
        let (y, z) = (f64::from(x) / 3., x * 0.5);
        // SAFETY: as above.
        let found = left(|result| unsafe { _mlir_ciface_sixteen_floats(result, of_sixteen.as_ptr(), x, y) });
        assert_eq!(found, Eight(x, -y, z, -y, -x, y * 2., -z, y));
    }
    // The numbers are signaling and quiet NaNs. Even if registers hold such a number in another format, it must be
    // passed and returned unchanged.
    for bits in [0x7fa0_0001, 0xffc0_1234] {
        // SAFETY: as above.
        let found = left(|result| unsafe {
            _mlir_ciface_four_floats(result, of_four.as_ptr(), f32::from_bits(bits))
        });
        assert_eq!(found.0.to_bits(), bits, "{bits:x}");
    }
}

/// Tests vectors by value, among more numbers than there are registers, and as results in registers and in memory.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[allow(clippy::type_complexity, clippy::too_many_arguments)]
fn vectors() {
    #[repr(C)]
    #[derive(Clone, Copy, PartialEq, Debug)]
    struct OfNumbers(Four, f64, Lanes<i64, 2>, i64);
    #[repr(C)]
    #[derive(Clone, Copy, PartialEq, Debug)]
    struct First(Four, Lanes<i32, 4>, f32);
    #[repr(C)]
    #[derive(Clone, Copy, PartialEq, Debug)]
    struct All(Four, Lanes<i32, 4>, Lanes<f64, 2>, Lanes<i64, 2>);
    unsafe extern "C" {
        fn _mlir_ciface_vectors(result: *mut OfNumbers, f: *const ());
        fn _mlir_ciface_vectors_first(result: *mut First, f: *const ());
        fn _mlir_ciface_four_vectors(result: *mut All, f: *const ());
    }
    let numbers = |a: Four,
                   s: f32,
                   b: Lanes<i64, 2>,
                   i: i64,
                   d: f64,
                   c: Lanes<i8, 16>,
                   e: Lanes<i16, 8>,
                   g: Lanes<f64, 2>,
                   h: Lanes<F16, 8>,
                   t: f32,
                   k: Lanes<i32, 4>,
                   y: i8,
                   z: Lanes<Bf16, 8>| {
        assert_eq!((b.0, i, d, g.0, t, y), ([-5, 6], 7, 8.5, [1.25, -2.5], 0.25, -9));
        assert_eq!(c.0, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, -16]);
        assert_eq!((e.0, h.0), ([-1, 2, -3, 4, -5, 6, -7, 8], [ONE_AND_A_HALF; 8]));
        assert_eq!((k.0, z.0), ([10, -20, 30, -40], [MINUS_THREE; 8]));
        (Lanes(a.0.map(|x| s * x)), d + f64::from(t), Lanes([b.0[1], b.0[0]]), i + i64::from(y))
    };
    let bound = bind(&numbers).unwrap();
    // SAFETY: as above.
    let of_numbers = left(|result| unsafe { _mlir_ciface_vectors(result, bound.as_ptr()) });
    assert_eq!(of_numbers, OfNumbers(Lanes([0.5, 1., 1.5, 2.]), 8.75, Lanes([6, -5]), -2));

    let first = |a: Four| (Lanes(a.0.map(|x| -x)), Lanes(a.0.map(|x| x as i32)), a.0[3]);
    let bound = bind(&first).unwrap();
    // SAFETY: as above.
    let of_first = left(|result| unsafe { _mlir_ciface_vectors_first(result, bound.as_ptr()) });
    assert_eq!(of_first, First(Lanes([-1., -2., -3., -4.]), Lanes([1, 2, 3, 4]), 4.));

    let all =
        || (Lanes([1f32, 2., 3., 4.]), Lanes([5i32, 6, 7, -8]), Lanes([9f64, -10.]), Lanes([11i64, -12]));
    let bound = bind(&all).unwrap();
    // SAFETY: as above.
    let four = left(|result| unsafe { _mlir_ciface_four_vectors(result, bound.as_ptr()) });
    assert_eq!(four, All(Lanes([1., 2., 3., 4.]), Lanes([5, 6, 7, -8]), Lanes([9., -10.]), Lanes([11, -12])));
}

/// Returns the number of bytes that the program has allocated with `malloc`, or 0 where the system does not count them.
#[cfg(windows)]
fn allocated() -> usize {
    0
}
#[cfg(not(windows))]
fn allocated() -> usize {
    // SAFETY: this only reads numbers.
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
    // The stack use of the caller does not grow with the number of calls, and the caller frees the descriptors that it
    // receives.
    let before = allocated();
    // SAFETY: as above.
    unsafe { _mlir_ciface_unranked_loop(bound.as_ptr(), &m, times) };
    assert_eq!(calls.get(), times + 1);
    assert_eq!(allocated(), before);
}

fn recursion(depth: i64) {
    let mut memory = [2.0f32];
    let v = Ranked::of_slice(&mut memory, [1]).unwrap();
    /// Calls the recursive function with a bound closure, as a user of a trampoline would.
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

/// Runs the program. The argument is the length of the loops.
#[unsafe(no_mangle)]
extern "C" fn main() -> i32 {
    let effort: isize = std::env::args().nth(1).map_or(1000, |effort| effort.parse().unwrap());
    rank!(0 _mlir_ciface_rank0 plain_address0);
    rank!(1 _mlir_ciface_rank1 plain_address1);
    rank!(2 _mlir_ciface_rank2 plain_address2);
    rank!(3 _mlir_ciface_rank3 plain_address3);
    rank!(4 _mlir_ciface_rank4 plain_address4);
    rank!(5 _mlir_ciface_rank5 plain_address5);
    several_concurrently();
    numbers();
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64"))]
    halves();
    floats();
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    vectors();
    without_a_rank(effort);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..effort / 10).for_each(|n| recursion(n as i64 % 500)));
        }
    });
    assert_eq!(statictramp::live(), 0);
    println!("ranks 0 to 5, three at once, recursion in four threads");
    0
}
