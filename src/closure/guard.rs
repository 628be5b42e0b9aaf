//! A guard whose type does not contain the closure's type, for use in struct fields, vectors and maps.

use super::kept::{Kept, OnHeap};
use super::{BoundTrampoline, Boxed, Closure, Local, Satisfies, boxed, guard_methods};
use crate::trampoline::AllocError;
use core::fmt;
use core::marker::PhantomData;
use core::mem::ManuallyDrop;
use core::ptr::NonNull;

/// A closure on the heap with its function pointer. Only the type of the pointer is part of the guard's type, so guards
/// of different closures fit into one vector, map or field.
///
/// ```
/// use core::ffi::c_int;
/// use statictramp::Guard;
///
/// struct Signal {
///     handlers: Vec<Guard<unsafe extern "C" fn(c_int) -> c_int>>,
/// }
///
/// let (step, factor) = (5, 2);
/// let mut signal = Signal { handlers: Vec::new() };
/// signal.handlers.push(Guard::new(move |x: c_int| x + step)?);
/// signal.handlers.push(statictramp::boxed(move |x: c_int| x * factor)?.erase());
/// // SAFETY: the guards are alive.
/// let sum: c_int = signal.handlers.iter().map(|guard| unsafe { guard.as_fn()(10) }).sum();
/// assert_eq!(sum, 15 + 20);
/// # Ok::<(), statictramp::AllocError>(())
/// ```
///
/// `Bounds` states additional properties of the closure, as in `Box<dyn Fn() + ...>`:
///
/// | type | the closure | made by |
/// |---|---|---|
/// | `Guard<P>` | any closure that borrows nothing | [`new`](Guard::new), [`Boxed::erase`] |
/// | `Guard<P, dyn Local + 'a>` | any closure; may borrow for `'a` | [`new`](Guard::new), [`Boxed::erase`] |
/// | `Guard<P, dyn Send + Sync>` | `Send + Sync`, like the guard | [`shared`](Guard::shared), [`Boxed::erase_shared`] |
/// | `Guard<P, dyn Send + Sync + 'a>` | `Send + Sync`; may borrow for `'a` | [`shared`](Guard::shared), [`Boxed::erase_shared`] |
///
/// `Guard<P, dyn Local>::from` converts a guard with the bounds `Send + Sync` to a guard without these bounds.
///
/// A guard owns one allocation, which contains the closure. As with [`Boxed`], dropping the guard frees the trampoline
/// and then drops the closure, and a call to the closure may drop the guard.
#[must_use = "the function pointer is dead as soon as this is dropped"]
pub struct Guard<P, Bounds: ?Sized = dyn Local> {
    trampoline: ManuallyDrop<BoundTrampoline>,
    /// The address of a [`Kept`] closure. Only `end` knows the closure's type.
    kept: NonNull<()>,
    end: unsafe fn(NonNull<()>),
    pointer: P,
    bounds: PhantomData<Bounds>,
}

// SAFETY: the requirements are the same as for `Boxed`: the closure moves to the other thread, and the first thread may continue
// to call it. `Bounds` promises no property that the closure lacks, because each guard is made for a closure that satisfies all
// bounds in `Bounds`. A function pointer may be sent to any thread.
unsafe impl<P, Bounds: ?Sized + Send + Sync> Send for Guard<P, Bounds> {}
// SAFETY: the only operations on a reference are reading the pointer and calling it.
unsafe impl<P, Bounds: ?Sized + Sync> Sync for Guard<P, Bounds> {}

impl<'a, P> Guard<P, dyn Local + 'a> {
    /// Binds a closure on the heap.
    ///
    /// # Errors
    /// [`AllocError::Full`] if every trampoline is in use. The closure is then dropped; [`try_boxed`](crate::try_boxed)
    /// returns it instead.
    #[cfg_attr(named, track_caller)]
    pub fn new<Args, K: Closure<Args, Pointer = P> + 'a>(closure: K) -> Result<Self, AllocError> {
        Ok(boxed(closure)?.erase())
    }
}

impl<'a, P> Guard<P, dyn Send + Sync + 'a> {
    /// Binds a closure that any thread may call, with a guard that any thread may use.
    ///
    /// # Errors
    /// Same as for [`new`](Guard::new).
    #[cfg_attr(named, track_caller)]
    pub fn shared<Args, K>(closure: K) -> Result<Self, AllocError>
    where
        K: Closure<Args, Pointer = P> + Send + Sync + 'a,
    {
        Ok(boxed(closure)?.erase_shared())
    }
}

impl<P: Copy, Bounds: ?Sized> Guard<P, Bounds> {
    guard_methods!("this guard lives until the call returns, unless that call itself drops it", P: super::UnsafeFn, |guard| guard.pointer);
}

impl<P: Copy, Bounds: ?Sized + 'static> Guard<P, Bounds> {
    /// Returns the function pointer. The trampoline and the closure are never freed, so for the contract of
    /// [`as_fn`](Guard::as_fn), the guard lives forever.
    ///
    /// ```
    /// use statictramp::Guard;
    ///
    /// let step = 5;
    /// let f: unsafe extern "C" fn(u32) -> u32 = Guard::new(move |x: u32| x + step)?.leak();
    /// // SAFETY: the closure is never freed.
    /// assert_eq!(unsafe { f(1) }, 6);
    /// # Ok::<(), statictramp::AllocError>(())
    /// ```
    pub fn leak(self) -> P {
        ManuallyDrop::new(self).pointer
    }
}

impl<P, Bounds: ?Sized> Guard<P, Bounds> {
    /// Erases the type of the function pointer, so that guards of closures with different signatures fit into one
    /// vector. The new guard's pointer is the function's address.
    ///
    /// ```
    /// use statictramp::{Guard, UnsafeFn};
    ///
    /// let guards: Vec<Guard<*const ()>> = vec![
    ///     Guard::new(|| 7u8)?.erase_signature(),
    ///     Guard::new(|x: f64| x / 2.0)?.erase_signature(),
    /// ];
    /// // SAFETY: the guard is alive, and the closure has this signature.
    /// let half = unsafe { <unsafe extern "C" fn(f64) -> f64>::from_ptr(guards[1].as_fn())(3.0) };
    /// assert_eq!(half, 1.5);
    /// # Ok::<(), statictramp::AllocError>(())
    /// ```
    pub fn erase_signature(self) -> Guard<*const (), Bounds> {
        let pointer = self.trampoline.as_ptr();
        // SAFETY: the bounds are the same. An untyped pointer cannot be called.
        unsafe { self.with(pointer) }
    }

    /// Converts the guard to another type.
    ///
    /// # Safety
    /// The trampoline must be callable through the pointer, and the closure must satisfy all bounds in `To`.
    unsafe fn with<Q, To: ?Sized>(self, pointer: Q) -> Guard<Q, To> {
        let guard = ManuallyDrop::new(self);
        // SAFETY: `guard` is neither used again nor dropped, so the trampoline is moved out exactly once. The pointer
        // itself needs no drop.
        let trampoline = unsafe { core::ptr::read(&guard.trampoline) };
        Guard { trampoline, kept: guard.kept, end: guard.end, pointer, bounds: PhantomData }
    }

    /// Makes a guard from a closure on the heap and the closure's function pointer.
    ///
    /// # Safety
    /// The trampoline must be callable through a pointer of type `P`, except that calls may be subject to additional
    /// requirements.
    #[doc(hidden)]
    pub unsafe fn of<K: Satisfies<Bounds>>(closure: OnHeap<K>, pointer: P) -> Self {
        /// Frees a closure of type `K` after its guard was dropped, or lets the last call in progress free it.
        ///
        /// # Safety
        /// `kept` must come from a guard and must not be used again.
        unsafe fn end<K>(kept: NonNull<()>) {
            // SAFETY: the caller upholds the safety contract. `K` is the type that was erased.
            unsafe { Kept::<K>::guard_dropped(kept.cast()) }
        }
        let (trampoline, kept) = closure.into_parts();
        Guard { trampoline, kept: kept.cast(), end: end::<K>, pointer, bounds: PhantomData }
    }
}

impl<P, Bounds: ?Sized> Drop for Guard<P, Bounds> {
    fn drop(&mut self) {
        // SAFETY: neither field is used again, and no call can begin between the two statements.
        unsafe {
            ManuallyDrop::drop(&mut self.trampoline);
            (self.end)(self.kept);
        }
    }
}

impl<P, Bounds: ?Sized> fmt::Debug for Guard<P, Bounds> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Guard").field(&self.trampoline.as_ptr()).finish()
    }
}

impl<'a, P: Copy> From<Guard<P, dyn Send + Sync + 'a>> for Guard<P, dyn Local + 'a> {
    /// Removes the bounds `Send + Sync` from the guard's type, so that the guard fits into a vector of guards that must
    /// stay on their thread.
    fn from(guard: Guard<P, dyn Send + Sync + 'a>) -> Self {
        let pointer = guard.pointer;
        // SAFETY: the pointer is the same, and `Local` guarantees nothing except the lifetime.
        unsafe { guard.with(pointer) }
    }
}

impl<K: Closure<Args>, Args> Boxed<K, Args> {
    /// Erases the closure's type. Nothing is allocated or copied.
    pub fn erase<'a>(self) -> Guard<K::Pointer, dyn Local + 'a>
    where
        K: 'a,
    {
        let pointer = self.trampoline().pointer();
        // SAFETY: the pointer has the closure's pointer type.
        unsafe { Guard::of(self.into_heap(), pointer) }
    }

    /// Erases the closure's type, but keeps the bounds `Send + Sync`, so that any thread may use the closure. Nothing
    /// is allocated or copied.
    pub fn erase_shared<'a>(self) -> Guard<K::Pointer, dyn Send + Sync + 'a>
    where
        K: Send + Sync + 'a,
    {
        let pointer = self.trampoline().pointer();
        // SAFETY: the pointer has the closure's pointer type.
        unsafe { Guard::of(self.into_heap(), pointer) }
    }
}
