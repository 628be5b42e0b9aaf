//! Function pointers whose callers choose the lifetimes.

use crate::turn;
use statictramp::{Guard, bind, boxed, higher_ranked};

struct Event {
    code: u32,
}

type OnEvent = for<'a> unsafe extern "C" fn(&'a Event) -> u32;
type Two = for<'a, 'b> unsafe extern "C-unwind" fn(&'a Event, &'b mut u32, u8);

/// A typical function of a crate that wraps a C library. It creates the reference itself.
fn fire(handler: OnEvent, code: u32) -> u32 {
    let event = Event { code };
    // SAFETY: every caller keeps its guard alive.
    unsafe { handler(&event) }
}

#[test]
fn the_caller_chooses_the_lifetime() {
    let _turn = turn();
    let base = 40;
    let closure = |event: &Event| event.code + base;
    let callback = bind(&closure).unwrap();
    assert_eq!(fire(higher_ranked!(&callback => for<'a> unsafe extern "C" fn(&'a Event) -> u32), 2), 42);

    let on_heap = boxed(move |event: &Event| event.code * base).unwrap();
    assert_eq!(fire(higher_ranked!(&on_heap => for<'a> unsafe extern "C" fn(&'a Event) -> u32), 2), 80);
    let guards: Vec<Guard<OnEvent>> =
        vec![higher_ranked!(on_heap => for<'a> unsafe extern "C" fn(&'a Event) -> u32)];
    assert_eq!(fire(guards[0].as_fn(), 3), 120);
}

#[test]
fn each_reference_may_have_its_own_lifetime() {
    let _turn = turn();
    let add = boxed(statictramp::unwind(|event: &Event, sum: &mut u32, factor: u8| {
        *sum += event.code * u32::from(factor);
    }));
    let add = add.unwrap();
    let f: Two = higher_ranked!(&add => for<'a> unsafe extern "C-unwind" fn(&'a Event, &'a mut u32, u8));
    let mut sum = 1;
    for code in 0..3 {
        let event = Event { code };
        // SAFETY: the guard is alive.
        unsafe { f(&event, &mut sum, 2) };
    }
    assert_eq!(sum, 7);
}

/// Returns the closure unchanged. Its result borrows from its arguments, and the compiler infers this only
/// from such a bound.
fn borrowing<F: for<'a, 'b> Fn(&'a str, &'b str) -> &'a str>(closure: F) -> F {
    closure
}

fn first<T>(x: &Option<T>) -> Option<&T> {
    x.as_ref()
}

#[test]
fn a_result_may_borrow_from_an_argument() {
    let _turn = turn();
    #[allow(improper_ctypes_definitions)]
    type Until = for<'a, 'b> unsafe extern "C" fn(&'a str, &'b str) -> &'a str;
    let (text, skipped) = (String::from("left,right"), 1);
    let until = borrowing(move |x, y| &x[skipped..x.find(y).unwrap_or(x.len())]);
    let guard: Guard<Until> = higher_ranked!(boxed(until).unwrap() => for<'a, 'b> unsafe extern "C" fn(&'a str, &'b str) -> &'a str);
    let part = {
        let separator = String::from(",");
        // SAFETY: the guard is alive.
        unsafe { guard.as_fn()(&text, &separator) }
    };
    assert_eq!(part, "eft");

    let callback = bind(&first::<String>).unwrap();
    let f: for<'a> unsafe extern "C" fn(&'a Option<String>) -> Option<&'a String> = higher_ranked!(
        &callback => for<'a> unsafe extern "C" fn(&'a Option<String>) -> Option<&'a String>);
    let text = Some(text);
    // SAFETY: the callback is alive.
    assert_eq!(unsafe { f(&text) }.map(String::len), Some(10));
}

#[test]
fn each_lifetime_may_have_its_own_name() {
    let _turn = turn();
    let add = |x: &mut &str, y: &[&str], _: &u8, sum: &mut u32| *sum += (x.len() + y.len()) as u32;
    let callback = bind(&add).unwrap();
    let f = higher_ranked!(&callback => for<'a, 'b, 'c, 'd> unsafe extern "C" fn(
        &'a mut &'b str, &'c [&'c str], &'d u8, &'d mut u32));
    let mut sum = 0;
    // SAFETY: the callback is alive.
    unsafe { f(&mut "four", &["one"], &0, &mut sum) };
    assert_eq!(sum, 5);
}

/// Checks that the macro's caller needs no unsafe code, and that the macro accepts every kind of signature,
/// including generic types, wrapped closures and no arguments.
#[test]
#[forbid(unsafe_code)]
fn higher_ranked_needs_no_unsafe_code() {
    // If the macro used one of these names for a variable, the compiler would take it for a pattern.
    #[allow(non_upper_case_globals, dead_code)]
    mod shadowed {
        pub const guard: u8 = 0;
        pub const for_all: u8 = 0;
        pub const pointer: u8 = 0;
    }
    #[allow(unused_imports)]
    use shadowed::*;
    fn constant<T: Copy + Unpin + 'static>(value: T) {
        let closure = move |_: &T, _: u8| value;
        let callback = bind(&closure).unwrap();
        let _f: for<'x> unsafe extern "C" fn(&'x T, u8) -> T =
            higher_ranked!(&callback => for<'x> unsafe extern "C" fn(&'x T, u8) -> T);
    }
    let _turn = turn();
    constant(3);
    let mut sum = 0;
    let add = statictramp::by_mut(move |x: &u32| sum += x);
    let add = bind(&add).unwrap();
    let _f: for<'a> unsafe extern "C" fn(&'a u32) =
        higher_ranked!(&add => for<'a> unsafe extern "C" fn(&'a u32,));
    let nothing = bind(&|| ()).unwrap();
    let _f: unsafe extern "C" fn() = higher_ranked!(&nothing => for<'a> unsafe extern "C" fn());
}

higher_ranked! {
    /// An alias that the macro knows.
    type Aliased = for<'a> unsafe extern "C" fn(&'a Event) -> u32;
}

#[test]
fn an_alias_declared_by_the_macro_replaces_the_type() {
    static HANDLER: std::sync::OnceLock<Guard<Aliased, dyn Send + Sync>> = std::sync::OnceLock::new();
    let _turn = turn();
    let (before, base) = (statictramp::live(), 10);
    let closure = |event: &Event| event.code + base;
    let callback = bind(&closure).unwrap();
    assert_eq!(fire(higher_ranked!(&callback => Aliased), 1), 11);
    let local: Guard<Aliased> =
        higher_ranked!(boxed(move |event: &Event| event.code * base).unwrap() => Aliased);
    let borrowing = boxed(|event: &Event| event.code + base).unwrap();
    let borrowing: Guard<Aliased, dyn statictramp::Local + '_> =
        higher_ranked!(borrowing => Aliased, dyn statictramp::Local + '_);
    let guards = [borrowing, local];
    assert_eq!(guards.each_ref().map(|guard| fire(guard.as_fn(), 2)), [12, 20]);

    let shared = boxed(move |event: &Event| event.code - base).unwrap();
    let guard = HANDLER.get_or_init(|| higher_ranked!(shared => Aliased, dyn Send + Sync));
    assert_eq!(std::thread::spawn(|| fire(guard.as_fn(), 15)).join().unwrap(), 5);
    drop((callback, guards));
    assert_eq!(statictramp::live(), before + 1);
    crate::free_leaked([guard.trampoline().as_ptr()]);
}

#[test]
fn a_leaked_pointer_to_a_safe_function_accepts_every_lifetime() {
    let _turn = turn();
    let before = statictramp::live();
    let calls = std::sync::atomic::AtomicU32::new(40);
    let count = boxed(move |event: &Event| calls.fetch_add(event.code, std::sync::atomic::Ordering::Relaxed));
    let f = higher_ranked!(count.unwrap() => for<'a> extern "C" fn(&'a Event) -> u32);
    f(&Event { code: 2 });
    assert_eq!(std::thread::spawn(move || f(&Event { code: 0 })).join().unwrap(), 42);
    assert_eq!(statictramp::live(), before + 1);
    crate::free_leaked([f as *const ()]);
}
