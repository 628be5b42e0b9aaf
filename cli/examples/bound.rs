//! Makes function pointers of each kind, prints a list of them, and waits. This is the Rust program for the tests of
//! `statictramp dump`. With an argument, it first takes a backtrace, which maps the program's file again.

use statictramp::{Guard, bind, boxed, by_mut, leaked};
use std::backtrace::Backtrace;
use std::ffi::c_int;

fn twice(x: c_int) -> c_int {
    2 * x
}

fn thrice<T: From<u8> + std::ops::Mul<Output = T>>(x: T) -> T {
    T::from(3) * x
}

extern "C" fn procedure() {}

/// Binds a closure with a parameter that points to another closure, so the name of its type contains the name of the
/// other.
fn with_context<F>(context: F) -> Guard<unsafe extern "C" fn(*mut F) -> usize>
where
    F: Fn() -> usize + 'static,
{
    let value = context();
    boxed(move |_: *mut F| value).unwrap().erase()
}

/// A type whose name is long.
type Wide<T> = (T, Result<T, Option<T>>, Vec<T>);
type Wider<T> = Wide<Wide<T>>;

fn of_type<T: 'static>() -> Guard<unsafe extern "C" fn(c_int) -> usize> {
    boxed(|x: c_int| size_of::<T>() + x as usize).unwrap().erase()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let step = 5;
    let add = |x: c_int| x + step;
    let mut sum = 0;
    let count = by_mut(|x: c_int| sum += x);
    let added = bind(&add)?;
    let counted = bind(&count)?;
    let kept = boxed(move |x: c_int| x * step)?;
    let erased = boxed(by_mut(move |x: c_int| println!("{x}")))?.erase();
    let doubled = bind(&(twice as fn(c_int) -> c_int))?;
    let item = leaked(twice)?;
    let generic = leaked(thrice::<c_int>)?;
    let wrapped = boxed(by_mut(twice))?;
    let arguments = std::env::args().len();
    let other = with_context(move || arguments);
    let long = of_type::<Wider<Wider<String>>>();
    let plain = statictramp::Trampoline::new(procedure as *const (), core::ptr::null_mut())?;
    let stubs = [
        ("borrowed", added.trampoline().as_ptr()),
        ("by_mut", counted.trampoline().as_ptr()),
        ("boxed", kept.trampoline().as_ptr()),
        ("erased", erased.as_fn() as *const ()),
        ("pointer", doubled.trampoline().as_ptr()),
        ("item", item as *const ()),
        ("generic", generic as *const ()),
        ("wrapped", wrapped.trampoline().as_ptr()),
        ("other", other.as_fn() as *const ()),
        ("long", long.as_fn() as *const ()),
        ("plain", plain.as_ptr()),
    ];
    for (kind, stub) in stubs {
        println!("{kind} {stub:p}");
    }
    if arguments > 1 {
        drop(Backtrace::force_capture().to_string());
    }
    println!("ready");
    std::thread::park();
    Ok(())
}
