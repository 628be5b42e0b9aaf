//! Closures that are stored without a heap and whose types are not part of their owner's type.

use super::bound::Bare;
use super::{BoundTrampoline, Closure, Local, Satisfies, UnsafeFn};
use crate::sync::rooms::InUse;
use crate::trampoline::AllocError;
use core::cell::UnsafeCell;
use core::fmt;
use core::marker::{PhantomData, PhantomPinned};
use core::mem::{ManuallyDrop, MaybeUninit};
use core::pin::Pin;

/// Storage for a closure of up to `BYTES` bytes.
#[repr(C, align(16))]
struct Room<const BYTES: usize>(UnsafeCell<MaybeUninit<[u8; BYTES]>>);

impl<const BYTES: usize> Room<BYTES> {
    const fn new() -> Self {
        Room(UnsafeCell::new(MaybeUninit::uninit()))
    }

    /// Moves a closure here and makes its trampoline. If that fails, drops the closure.
    ///
    /// # Safety
    /// The room must be empty, no other code may use it, and it must stay at its address as long as the trampoline is live.
    #[cfg_attr(named, track_caller)]
    unsafe fn bind<Args, K: Closure<Args>>(&self, closure: K) -> Result<BoundTrampoline, AllocError> {
        const {
            assert!(size_of::<K>() <= BYTES, "this closure needs more bytes than the guard or pool has");
            assert!(
                align_of::<K>() <= align_of::<Self>(),
                "a closure in a guard or pool cannot be aligned to more than 16 bytes"
            );
        }
        let room = self.0.get().cast::<K>();
        // SAFETY: the room is large enough, and the caller guarantees that it is empty.
        unsafe { room.write(closure) };
        BoundTrampoline::new::<Args, Bare<K>>(room.cast_const().cast())
            // SAFETY: no function pointer to the closure exists.
            .inspect_err(|_| unsafe { room.drop_in_place() })
    }
}

/// A `static` that stores up to `N` closures of up to `BYTES` bytes each, for programs without a heap. The closures'
/// function pointers are never freed.
///
/// ```
/// use statictramp::Pool;
///
/// static HANDLERS: Pool<4, 32> = Pool::new();
///
/// /// An interrupt table, which is filled when the program starts.
/// fn interrupts(divisor: u32) -> Result<[extern "C" fn(u32) -> u32; 2], statictramp::AllocError> {
///     let scale = HANDLERS.leaked_safe_fn(move |ticks: u32| ticks / divisor)?;
///     let offset = HANDLERS.leaked_safe_fn(move |ticks: u32| ticks + divisor)?;
///     Ok([scale, offset])
/// }
/// assert_eq!(interrupts(5)?.map(|handler| handler(10)), [2, 15]);
/// # Ok::<(), statictramp::AllocError>(())
/// ```
///
/// ```compile_fail,E0080
/// static SMALL: statictramp::Pool<1, 8> = statictramp::Pool::new();
/// let large = [0u8; 100];
/// let _f = SMALL.leaked(move |i: usize| large[i]);
/// ```
pub struct Pool<const N: usize, const BYTES: usize> {
    used: InUse,
    rooms: [Room<BYTES>; N],
}

// SAFETY: only the thread that has claimed a room fills it. After that, only calls use the room, and a call is unsafe
// if the closure is not `Sync`.
unsafe impl<const N: usize, const BYTES: usize> Sync for Pool<N, BYTES> {}

impl<const N: usize, const BYTES: usize> Pool<N, BYTES> {
    /// Returns an empty pool.
    #[expect(clippy::new_without_default, reason = "a `static` needs a constant")]
    #[must_use]
    pub const fn new() -> Self {
        Pool { used: InUse::new(), rooms: [const { Room::new() }; N] }
    }

    /// Binds a closure permanently.
    ///
    /// # Errors
    /// [`AllocError::Full`] if the pool is full or every trampoline is in use. The closure is then dropped. If the
    /// trampolines run out while several threads call this function, each failed call may permanently use up the pool's
    /// space for one closure.
    #[cfg_attr(named, track_caller)]
    pub fn leaked<Args, K: Closure<Args> + 'static>(
        &'static self,
        closure: K,
    ) -> Result<K::Pointer, AllocError> {
        let room = self.used.take(N).ok_or(AllocError::Full)?;
        // SAFETY: this thread has claimed the room, and the pool is `static`.
        let trampoline =
            unsafe { self.rooms[room].bind(closure) }.inspect_err(|_| self.used.give_back(room))?;
        Ok(ManuallyDrop::new(trampoline).pointer())
    }

    /// Like [`leaked`](Pool::leaked), but for a closure that all threads may call. The returned function is safe to call.
    ///
    /// # Errors
    /// Same as for [`leaked`](Pool::leaked).
    #[cfg_attr(named, track_caller)]
    pub fn leaked_safe_fn<Args, K>(
        &'static self,
        closure: K,
    ) -> Result<<K::Pointer as UnsafeFn>::Safe, AllocError>
    where
        K: Closure<Args> + Sync + 'static,
    {
        // SAFETY: the trampoline and the closure are never freed, and any thread may call the closure.
        self.leaked(closure).map(|pointer| unsafe { pointer.into_safe() })
    }
}

impl<const N: usize, const BYTES: usize> fmt::Debug for Pool<N, BYTES> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool").field("used", &self.used.count()).finish_non_exhaustive()
    }
}

/// A function that drops the closure at an address.
type DropAt = unsafe fn(*mut u8);

/// A pinned guard with memory for a closure of up to `BYTES` bytes. Unlike [`InPlace`](crate::InPlace), this type does
/// not depend on the closure's type, so an `Inline` can be a struct field in a program without a heap.
///
/// ```
/// use core::pin::pin;
/// use statictramp::Inline;
///
/// let step = 5;
/// let mut guard = pin!(Inline::<unsafe extern "C" fn(u32) -> u32, 16>::new());
/// let f = guard.as_mut().bind(move |x: u32| x + step)?;
/// // SAFETY: the guard is alive.
/// assert_eq!(unsafe { f(1) }, 6);
/// # Ok::<(), statictramp::AllocError>(())
/// ```
///
/// `Bounds` has the same meaning as in `Guard<P, Bounds>`. Dropping the guard, or binding another closure, frees the
/// trampoline and then drops the closure. All calls must have returned by then, so the closure itself must neither drop
/// the guard nor bind another closure.
pub struct Inline<P, const BYTES: usize, Bounds: ?Sized = dyn Local> {
    /// The trampoline, and the function that drops the closure.
    bound: Option<(BoundTrampoline, DropAt)>,
    room: Room<BYTES>,
    types: PhantomData<(P, Bounds)>,
    _stays: PhantomPinned,
}

// SAFETY: as for `InPlace`: the closure satisfies `Bounds`, so other threads may call it.
unsafe impl<P, const BYTES: usize, Bounds: ?Sized + Send + Sync> Send for Inline<P, BYTES, Bounds> {}
// SAFETY: as above. A reference permits no use of the closure.
unsafe impl<P, const BYTES: usize, Bounds: ?Sized + Sync> Sync for Inline<P, BYTES, Bounds> {}

impl<P, const BYTES: usize, Bounds: ?Sized> Inline<P, BYTES, Bounds> {
    /// Returns a guard without a closure.
    #[expect(clippy::new_without_default, reason = "a `static` needs a constant")]
    #[must_use]
    pub const fn new() -> Self {
        Inline { bound: None, room: Room::new(), types: PhantomData, _stays: PhantomPinned }
    }

    /// Moves a closure into the guard, and returns the closure's function pointer. Frees any previous closure first.
    ///
    /// # Errors
    /// [`AllocError::Full`] if every trampoline is in use. The closure is then dropped.
    #[cfg_attr(named, track_caller)]
    pub fn bind<Args, K>(self: Pin<&mut Self>, closure: K) -> Result<P, AllocError>
    where
        K: Closure<Args, Pointer = P> + Satisfies<Bounds>,
        P: UnsafeFn,
    {
        // SAFETY: nothing is moved out of `this`, except that `clear` drops the closure.
        let this = unsafe { self.get_unchecked_mut() };
        this.clear();
        // SAFETY: the room is empty and pinned, and `clear` frees the trampoline before the room ceases to exist.
        let trampoline = unsafe { this.room.bind(closure) }?;
        let pointer = trampoline.pointer();
        // SAFETY: `clear` calls this function once, with the room's address.
        this.bound = Some((trampoline, |room| unsafe { room.cast::<K>().drop_in_place() }));
        Ok(pointer)
    }

    fn clear(&mut self) {
        if let Some((trampoline, end)) = self.bound.take() {
            drop(trampoline);
            // SAFETY: the room contains the closure for which `end` was made, and no call can begin.
            unsafe { end(self.room.0.get().cast()) };
        }
    }
}

impl<P, const BYTES: usize, Bounds: ?Sized> Drop for Inline<P, BYTES, Bounds> {
    fn drop(&mut self) {
        self.clear();
    }
}

impl<P, const BYTES: usize, Bounds: ?Sized> fmt::Debug for Inline<P, BYTES, Bounds> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let address = self.bound.as_ref().map(|(trampoline, _)| trampoline.as_ptr());
        f.debug_tuple("Inline").field(&address).finish()
    }
}
