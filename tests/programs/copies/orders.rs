//! Every order of creating and freeing trampolines in two copies of the library in one program. The programs for the
//! host and for boards include this file.

use core::ffi::{c_int, c_uint, c_void};

/// The pointers that all copies create. The callee adds a number to its argument.
pub type Function = unsafe extern "C" fn(c_int) -> c_int;

/// The number of trampolines in each copy.
const MOST: usize = 2;

/// The state of an address, as a copy reports it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Seen {
    Live,
    Dead,
    Foreign,
}

/// One copy of the library.
pub trait Library {
    fn name(&self) -> &'static str;
    /// Makes a trampoline whose callee adds NUMBERS[at].
    fn make(&self, at: usize) -> Function;
    /// Frees by address. Returns whether the copy accepts the address.
    fn free(&self, function: Function) -> bool;
    fn lookup(&self, function: Function) -> Seen;
    fn live(&self) -> usize;
}

static NUMBERS: [c_int; 2 * MOST] = [1000, 2000, 3000, 4000];

/// Returns a closure for each number.
pub fn closures() -> [impl Fn(c_int) -> c_int; 2 * MOST] {
    NUMBERS.each_ref().map(|number| move |x| x + number)
}

/// Implements `Library` for a version of the crate.
#[macro_export]
macro_rules! copy_of_crate {
    ($type:ident, $name:literal, $this:ident) => {
        struct $type<F>([F; 4]);
        impl<F: $this::Closure<(core::ffi::c_int,), Pointer = orders::Function>> orders::Library
            for $type<F>
        {
            fn name(&self) -> &'static str {
                $name
            }
            fn make(&self, at: usize) -> orders::Function {
                let callback = $this::bind(&self.0[at]).expect("a free slot");
                let function = callback.as_fn();
                core::mem::forget(callback); // freed by its address
                function
            }
            fn free(&self, function: orders::Function) -> bool {
                // SAFETY: no call is running, and none follows.
                match unsafe { $this::free(function as *const ()) } {
                    Ok(()) => true,
                    Err($this::FreeError::Lookup($this::LookupError::Foreign)) => false,
                    Err(other) => panic!("{other:?}"),
                }
            }
            fn lookup(&self, function: orders::Function) -> orders::Seen {
                match $this::lookup(function as *const ()) {
                    Ok($this::Lookup::Live { .. }) => orders::Seen::Live,
                    Ok(_) => orders::Seen::Dead,
                    Err($this::LookupError::Foreign) => orders::Seen::Foreign,
                    Err(other) => panic!("{other:?}"),
                }
            }
            fn live(&self) -> usize {
                $this::live()
            }
        }
    };
}

/// A copy of the C library: its functions.
pub struct InC {
    pub name: &'static str,
    pub bind: unsafe extern "C" fn(*const (), *const c_void, c_uint) -> Option<Function>,
    pub free: unsafe extern "C" fn(Function) -> c_int,
    pub lookup: unsafe extern "C" fn(Function, *mut *const (), *mut *mut c_void) -> c_int,
    pub live: unsafe extern "C" fn() -> usize,
}

extern "C" fn add(x: c_int, number: &c_int) -> c_int {
    x + number
}

impl Library for InC {
    fn name(&self) -> &'static str {
        self.name
    }
    fn make(&self, at: usize) -> Function {
        // SAFETY: the callee takes the context as its second argument.
        unsafe { (self.bind)(add as *const (), (&raw const NUMBERS[at]).cast(), 1) }.expect("a free slot")
    }
    fn free(&self, function: Function) -> bool {
        // SAFETY: no call is running, and none follows.
        unsafe { (self.free)(function) == 0 }
    }
    fn lookup(&self, function: Function) -> Seen {
        let (mut callee, mut context) = (core::ptr::null(), core::ptr::null_mut());
        // SAFETY: both pointers are valid.
        match unsafe { (self.lookup)(function, &mut callee, &mut context) } {
            1 => {
                let number = context.cast_const().cast();
                assert!(callee == add as *const () && NUMBERS.as_ptr_range().contains(&number));
                Seen::Live
            }
            0 => Seen::Dead,
            other => {
                assert_eq!(other, -1);
                Seen::Foreign
            }
        }
    }
    fn live(&self) -> usize {
        // SAFETY: this function has no preconditions.
        unsafe { (self.live)() }
    }
}

/// Checks each pointer after each step of every sequence with this number of makes and frees. Returns the number of
/// sequences.
pub fn every_order(copies: [&dyn Library; 2], steps: u32) -> usize {
    let before = copies.map(Library::live);
    let mut sequences = 0;
    for mut sequence in 0..(2 * MOST as u32).pow(steps) {
        sequences += 1;
        let mut made = [None; 2 * MOST];
        // A digit is the number of a trampoline. The step makes or frees it.
        for _ in 0..steps {
            let at = sequence as usize % (2 * MOST);
            sequence /= 2 * MOST as u32;
            let copy = copies[at / MOST];
            match made[at].take() {
                None => made[at] = Some(copy.make(at)),
                Some(function) => {
                    assert!(copy.free(function));
                    assert_eq!(copies.map(|any| any.lookup(function)), seen(at, Seen::Dead));
                }
            }
            check(copies, before, &made);
        }
        for (at, function) in made.iter().enumerate() {
            assert!(function.is_none_or(|function| copies[at / MOST].free(function)));
        }
        assert_eq!(copies.map(Library::live), before);
    }
    sequences
}

/// Checks that each copy rejects the other's pointer when asked to free it. The C library then prints a message.
pub fn foreign_frees(copies: [&dyn Library; 2]) {
    let before = copies.map(Library::live);
    let made = [Some(copies[0].make(0)), None, Some(copies[1].make(MOST)), None];
    for (at, function) in made.iter().enumerate() {
        assert!(function.is_none_or(|function| !copies[1 - at / MOST].free(function)));
        check(copies, before, &made);
    }
    assert!(copies[0].free(made[0].unwrap()) && copies[1].free(made[MOST].unwrap()));
}

/// Returns the states of a trampoline's address, as the two copies report them.
fn seen(at: usize, by_its_own: Seen) -> [Seen; 2] {
    let mut both = [Seen::Foreign; 2];
    both[at / MOST] = by_its_own;
    both
}

fn check(copies: [&dyn Library; 2], before: [usize; 2], made: &[Option<Function>; 2 * MOST]) {
    let mut live = before;
    for (at, function) in made.iter().enumerate() {
        let Some(function) = *function else { continue };
        live[at / MOST] += 1;
        // SAFETY: the trampoline is live.
        assert_eq!(unsafe { function(7) }, 7 + NUMBERS[at]);
        assert_eq!(copies.map(|copy| copy.lookup(function)), seen(at, Seen::Live));
    }
    assert_eq!(copies.map(Library::live), live);
}
