//! All the slots there are: the static table, and the areas by which it has grown.
//!
//! ```text
//!   index   0 .. SLOTS | SLOTS .. 2 SLOTS | 2 SLOTS .. 4 SLOTS | 4 SLOTS .. 8 SLOTS | ...
//!           the table  | area 1           | area 2             | area 3
//! ```
//!
//! Each area doubles what there was, so a few pointers reach a million slots and an index
//! tells its area without a search. An area is published by one exchange: of two threads
//! that grow at once each maps an area, one is kept, and neither waits for the other. Areas
//! stay until the process ends, so that a stale pointer never runs into nothing.

use crate::bitmap::{Bitmap, words};
use crate::slot::Slot;
use crate::sync::{Acquire, AtomicU32, AtomicUsize, Relaxed, atomics, const_fn};
#[cfg(growing)]
use crate::sync::{AtomicPtr, Release};
use crate::table::{NotAStub, SLOTS, Table};

/// As many indices as a dead slot can keep of itself (`src/slot.rs`).
#[cfg(growing)]
pub(crate) const MOST_SLOTS: usize = 1 << crate::slot::INDEX_BITS;

/// How often the table can double until then.
#[cfg(growing)]
const AREAS: usize = (MOST_SLOTS.div_ceil(SLOTS)).next_power_of_two().ilog2() as usize;

/// What is known of the slots of one area, one bit for each.
#[derive(Clone, Copy)]
pub(crate) struct Marks<'a> {
    /// Index of the area's first slot.
    pub(crate) first: u32,
    /// Slots that have been handed out at least once. Only grows.
    pub(crate) taken: Bitmap<'a>,
    /// 1 once every index is taken, which it then stays.
    pub(crate) all_taken: &'a AtomicU32,
    /// Those whose slot is open: no slot's memory is read before its bit is seen here.
    pub(crate) open: Bitmap<'a>,
    /// Advice to the sweep: slots that have died since it last passed them.
    pub(crate) dead: Bitmap<'a>,
}

impl Marks<'_> {
    /// How many slots the area has.
    pub(crate) fn len(&self) -> u32 {
        self.taken.len() as u32
    }
}

/// Slots that were added while the program ran.
#[cfg(growing)]
pub(crate) struct Area<L> {
    pub(crate) first: u32,
    pub(crate) len: u32,
    pub(crate) all_taken: AtomicU32,
    /// Three bitmaps, one behind the other, as in `Marks`.
    pub(crate) words: &'static [AtomicUsize],
    /// Where its stubs and slots lie.
    pub(crate) land: L,
}

#[cfg(growing)]
impl<L> Area<L> {
    /// Words that the bitmaps of an area of `len` slots take.
    pub(crate) const fn words(len: usize) -> usize {
        3 * words(len)
    }

    fn marks(&self) -> Marks<'_> {
        let len = self.len as usize;
        let (taken, others) = self.words.split_at_checked(words(len)).unwrap_or_default();
        let (open, dead) = others.split_at_checked(words(len)).unwrap_or_default();
        Marks {
            first: self.first,
            taken: Bitmap::new(taken, len),
            all_taken: &self.all_taken,
            open: Bitmap::new(open, len),
            dead: Bitmap::new(dead, len),
        }
    }
}

/// Where the stubs and slots of an area lie, by their number in the area.
#[cfg(growing)]
pub(crate) trait Land {
    fn slot(&self, number: u32) -> &Slot;
    fn stub(&self, number: u32) -> *const ();
    fn number_of(&self, address: usize) -> Result<u32, NotAStub>;
}

pub(crate) struct Areas<T: Table> {
    table: T,
    taken: [AtomicUsize; words(SLOTS)],
    all_taken: AtomicU32,
    open: [AtomicUsize; words(SLOTS)],
    dead: [AtomicUsize; words(SLOTS)],
    /// Areas 1, 2, ...; null from the first that is not there yet.
    #[cfg(growing)]
    more: [AtomicPtr<Area<T::Land>>; AREAS],
}

impl<T: Table> Areas<T> {
    const_fn! {
        pub(crate) fn new(table: T) -> Self {
            Areas {
                table,
                taken: atomics![AtomicUsize::new(0); words(SLOTS)],
                all_taken: AtomicU32::new(0),
                open: atomics![AtomicUsize::new(0); words(SLOTS)],
                dead: atomics![AtomicUsize::new(0); words(SLOTS)],
                #[cfg(growing)]
                more: atomics![AtomicPtr::new(core::ptr::null_mut()); AREAS],
            }
        }
    }

    /// What a freed trampoline runs.
    #[inline(always)]
    pub(crate) fn dead_procedure(&self) -> *const () {
        self.table.dead_procedure()
    }

    /// The slot of an index that the caller was handed out, or that [`opened`](Areas::opened)
    /// or [`Marks`] have shown to it.
    #[inline(always)]
    pub(crate) fn slot(&self, index: u32) -> &Slot {
        #[cfg(growing)]
        if index as usize >= SLOTS {
            return self.slot_of_area(index);
        }
        self.table.slot(index)
    }

    /// The slot of an index that another thread has put on a list: its area may not be there
    /// yet for who has not seen that thread's Release.
    #[inline(always)]
    pub(crate) fn listed(&self, index: u32) -> Option<&Slot> {
        #[cfg(growing)]
        if index as usize >= SLOTS {
            return self.listed_of_area(index);
        }
        Some(self.table.slot(index))
    }

    /// The stub of an index as for [`slot`](Areas::slot).
    #[inline(always)]
    pub(crate) fn stub(&self, index: u32) -> *const () {
        #[cfg(growing)]
        if index as usize >= SLOTS {
            return self.stub_of_area(index);
        }
        self.table.stub(index)
    }

    /// The index of the slot whose stub begins at `address`.
    pub(crate) fn index_of(&self, address: usize) -> Result<u32, NotAStub> {
        match self.table.index_of(address) {
            #[cfg(growing)]
            Err(NotAStub::Foreign) => self.index_in_areas(address),
            found => found,
        }
    }

    /// The same for a stub of the static table; `None` for any other address.
    #[inline(always)]
    pub(crate) fn index_in_table(&self, address: usize) -> Option<u32> {
        self.table.index_at(address)
    }

    /// Whether an index that was handed out is one of the static table.
    #[inline(always)]
    pub(crate) fn is_in_table(&self, index: u32) -> bool {
        !cfg!(growing) || (index as usize) < SLOTS
    }

    /// Whether the slot of such an index is marked as one that died.
    #[inline(always)]
    pub(crate) fn is_marked_in_table(&self, index: u32) -> bool {
        Bitmap::new(&self.dead, SLOTS).contains(index as usize, Relaxed)
    }

    /// The slot of any index at all, if it is open, so that its memory may be read. Acquire
    /// pairs with the Release that announced it.
    #[inline(always)]
    pub(crate) fn opened(&self, index: u32) -> Option<&Slot> {
        if index as usize >= SLOTS {
            #[cfg(growing)]
            return self.opened_in_area(index);
            #[cfg(not(growing))]
            return None;
        }
        let open = Bitmap::new(&self.open, SLOTS).contains(index as usize, Acquire);
        open.then(|| self.table.slot(index))
    }

    /// The marks of the area of an index that is handed out, and its number there.
    #[inline(always)]
    pub(crate) fn marks(&self, index: u32) -> (Marks<'_>, usize) {
        #[cfg(growing)]
        if index as usize >= SLOTS {
            return self.marks_of_area(index);
        }
        (self.marks_of_table(), index as usize)
    }

    #[inline(always)]
    fn marks_of_table(&self) -> Marks<'_> {
        Marks {
            first: 0,
            taken: Bitmap::new(&self.taken, SLOTS),
            all_taken: &self.all_taken,
            open: Bitmap::new(&self.open, SLOTS),
            dead: Bitmap::new(&self.dead, SLOTS),
        }
    }

    /// The marks of area `number`, the table being number 0, if it is there.
    #[inline(always)]
    fn numbered(&self, number: usize) -> Option<Marks<'_>> {
        if number == 0 {
            return Some(self.marks_of_table());
        }
        #[cfg(growing)]
        return self.area(number).map(Area::marks);
        #[cfg(not(growing))]
        None
    }

    /// The marks of every area, in order.
    #[inline]
    pub(crate) fn all(&self) -> impl Iterator<Item = Marks<'_>> {
        (0..).map_while(|number| self.numbered(number))
    }

    /// Every index there is now.
    pub(crate) fn indices(&self) -> impl Iterator<Item = u32> {
        self.all().flat_map(|marks| marks.first..marks.first + marks.len())
    }

    /// How many slots there are now.
    pub(crate) fn capacity(&self) -> usize {
        self.all().map(|marks| marks.len() as usize).sum()
    }
}

/// Where an index leads that nobody can have handed out.
#[cfg(growing)]
#[cold]
fn nowhere() -> ! {
    #[cfg(loom)]
    panic!("a slot in an area that is not there");
    #[cfg(not(loom))]
    crate::line::fatal("BUG: a slot in an area that is not there")
}

/// A table that does not grow.
#[cfg(not(growing))]
impl<T: Table> Areas<T> {
    pub(crate) fn added(&self) -> usize {
        0
    }

    pub(crate) fn grow(&self, _known: usize, _limit: usize) -> bool {
        false
    }
}

/// The seam to what was added. Small and seldom run, so nothing of it is inlined.
#[cfg(growing)]
impl<T: Table> Areas<T> {
    /// Area `number`, from 1.
    ///
    /// Acquire: whoever published it had filled it in.
    fn area(&self, number: usize) -> Option<&Area<T::Land>> {
        let area = self.more.get(number.wrapping_sub(1))?.load(Acquire);
        // SAFETY: null, or an area that was made whole before it was published and stays.
        unsafe { area.as_ref() }
    }

    /// The area of an index from `SLOTS` on, and the number there.
    fn of(&self, index: u32) -> Option<(&Area<T::Land>, u32)> {
        let area = self.area((index as usize / SLOTS).checked_ilog2()? as usize + 1)?;
        Some((area, index - area.first))
    }

    /// The same of an index that was handed out, so the area is there: whoever handed it out
    /// had seen the area, and what has brought the index here, as a trampoline is passed on
    /// to another thread, has brought that, too.
    #[cold]
    #[inline(never)]
    fn of_handed_out(&self, index: u32) -> (&Area<T::Land>, u32) {
        self.of(index).unwrap_or_else(|| nowhere())
    }

    fn slot_of_area(&self, index: u32) -> &Slot {
        let (area, number) = self.of_handed_out(index);
        area.land.slot(number)
    }

    #[cold]
    #[inline(never)]
    fn listed_of_area(&self, index: u32) -> Option<&Slot> {
        let found = self.of(index);
        #[cfg(loom)]
        assert!(found.is_some(), "a list has led into an area that its reader has not seen");
        found.map(|(area, number)| area.land.slot(number))
    }

    fn stub_of_area(&self, index: u32) -> *const () {
        let (area, number) = self.of_handed_out(index);
        area.land.stub(number)
    }

    fn marks_of_area(&self, index: u32) -> (Marks<'_>, usize) {
        let (area, number) = self.of_handed_out(index);
        (area.marks(), number as usize)
    }

    #[cold]
    #[inline(never)]
    fn opened_in_area(&self, index: u32) -> Option<&Slot> {
        #[cfg(loom)]
        assert!((index as usize) < MOST_SLOTS, "an index was read from a slot that is not open");
        let (area, number) = self.of(index)?;
        let open = number < area.len && area.marks().open.contains(number as usize, Acquire);
        open.then(|| area.land.slot(number))
    }

    #[cold]
    #[inline(never)]
    fn index_in_areas(&self, address: usize) -> Result<u32, NotAStub> {
        for area in (1..=AREAS).map_while(|number| self.area(number)) {
            match area.land.number_of(address) {
                Err(NotAStub::Foreign) => {}
                found => return found.map(|number| area.first + number),
            }
        }
        Err(NotAStub::Foreign)
    }

    /// The land of an index that was handed out in an area, and its number there.
    #[cfg(feature = "sides")]
    pub(crate) fn land(&self, index: u32) -> Option<(&T::Land, u32)> {
        self.of(index).map(|(area, number)| (&area.land, number))
    }

    /// How many areas have been added.
    pub(crate) fn added(&self) -> usize {
        (1..=AREAS).take_while(|&number| self.area(number).is_some()).count()
    }

    /// Adds an area to those that the caller knows, up to `limit` slots in all. False if
    /// there is none to be had; true also if another thread has added one meanwhile.
    ///
    /// Release: who sees the pointer sees the area whole. The exchange fails only if
    /// another thread's succeeded, and who then uses that area loads it anew.
    #[cold]
    #[inline(never)]
    pub(crate) fn grow(&self, known: usize, limit: usize) -> bool {
        let Some(place) = self.more.get(known) else {
            return false;
        };
        let number = known + 1;
        if self.area(number).is_some() {
            return true;
        }
        let first = SLOTS << known;
        let most = limit.min(MOST_SLOTS).saturating_sub(first);
        if most == 0 {
            return false;
        }
        let Some(area) = self.table.map(first, most.min(first)) else {
            // Another thread may have been faster, and taken what there was.
            return self.area(number).is_some();
        };
        if place.compare_exchange(core::ptr::null_mut(), area.as_ptr(), Release, Relaxed).is_err() {
            // SAFETY: made above and published to nobody.
            unsafe { self.table.unmap(area) };
        } else {
            // SAFETY: it stays from now on.
            self.table.published(unsafe { area.as_ref() });
        }
        true
    }
}
