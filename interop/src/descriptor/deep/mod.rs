//! Deep copies of derived-type objects, using flang's tables of their components.
//!
//! Arrays to be copied are queued. Copying an array adds its allocatable (and, if requested, pointer) components to the
//! queue, so even a long linked list causes no recursion. Arrays stay in the queue after they are copied, so that they
//! can be freed in reverse order if a later step fails.

mod blocks;
mod list;

use super::table::{self, Component, Genre, Table};
use super::view::offset_by;
use super::{
    Attribute, Category, Descriptor, DescriptorError, Dimension, Format, Runtime, View, size_of_rank,
};
use crate::extent::with_dimension;
use blocks::{Block, Blocks};
use list::List;

/// The targets of pointer components in a deep copy.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Targets {
    /// The copy's pointers have the same targets as the original's, as after an assignment in Fortran.
    Shared,
    /// The targets are also copied. If two pointers in the original have the same target, so do the corresponding
    /// pointers in the copy, even in a cycle. If a pointer's target is part of an array or object that was copied
    /// earlier, the copied pointer points to the same part of the copy. Every pointer component must be associated or
    /// disassociated, not undefined.
    Copied,
}

/// The maximum nesting depth of objects with no allocatable or pointer between them.
const LEVELS: usize = 100;

/// An array to copy or to free.
#[derive(Clone, Copy)]
struct Item {
    /// The original's descriptor.
    from: *const (),
    /// The copy's descriptor or, in `deep_free`, the original's again.
    to: *mut (),
    /// Whether the walk allocated the copy or, in `deep_free`, must free the array.
    owned: bool,
}

impl Runtime {
    /// Copies an array or a scalar in flang's layout, including a derived type's allocatable components at every level
    /// and, depending on `targets`, the targets of its pointer components. The result is an allocatable that belongs to
    /// no variable; [`Descriptor::copy_back`] stores it in an unallocated variable. If the original is not allocated or
    /// associated, neither is the result. No user-defined assignment is called. If a target overlaps an array that is
    /// copied later, the two are copied separately.
    ///
    /// Stack usage does not depend on the number of objects. Until it returns, the function uses additional memory: up
    /// to 72 bytes per array or, if targets are copied, up to 240 bytes per array and 168 bytes per element of a
    /// non-contiguous array.
    ///
    /// # Errors
    /// [`DescriptorError::Runtime`] if memory is exhausted; [`DescriptorError::Overflow`] if an array's size is not
    /// representable; [`DescriptorError::Extent`] for an assumed-size array; [`DescriptorError::Version`] for
    /// gfortran's layout; [`DescriptorError::Table`] and [`DescriptorError::Unsupported`] for some types; other errors
    /// for invalid descriptors. On error, all copies made so far are freed.
    ///
    /// # Safety
    /// Code compiled by flang must have made the object, and either its descriptor or the one from which any addendum
    /// was copied. No code may change the object concurrently. The functions must belong to the run-time library of the
    /// same flang version.
    pub unsafe fn deep_copy(
        &self,
        object: &View<'_>,
        targets: Targets,
    ) -> Result<Descriptor, DescriptorError> {
        let mut from = Descriptor::new(object, object.format())?;
        let mut made = Descriptor::establish(
            object.format(),
            core::ptr::null_mut(),
            object.element_type(),
            object.element_len(),
            Attribute::Allocatable,
            object.dimensions(),
        )?;
        made.set_type_of(object);
        let root = Item { from: from.as_mut_ptr(), to: made.as_mut_ptr(), owned: false };
        let mut walk = Walk::new(self, object, targets, true)?;
        // SAFETY: the caller upholds the safety contract.
        let result = unsafe { walk.all(root) };
        if let Err(error) = result {
            // SAFETY: the run-time library allocated these arrays, and no other code has their addresses.
            let _ = unsafe { walk.free() };
            return Err(error);
        }
        drop(walk);
        Ok(made)
    }

    /// Frees a pointer or an allocatable and everything that [`deep_copy`](Self::deep_copy) would copy with the same
    /// `targets`. The object is not finalized. Each array is freed only once, even if several pointers point to the
    /// array or to parts of it, or if an allocatable also owns it.
    ///
    /// # Errors
    /// [`DescriptorError::Unlike`] if the object is neither a pointer nor allocatable. Otherwise, fails for the same
    /// reasons as [`deep_copy`](Self::deep_copy). Unless the error is [`DescriptorError::Runtime`], nothing has been
    /// freed.
    ///
    /// # Safety
    /// Same as for [`deep_copy`](Self::deep_copy). In addition, the descriptor must be writable, this run-time library
    /// must have allocated all these arrays, and they must no longer be in use.
    pub unsafe fn deep_free(&self, descriptor: *mut (), targets: Targets) -> Result<(), DescriptorError> {
        // SAFETY: the caller upholds the safety contract.
        let object = unsafe { View::of(descriptor)? };
        if object.attribute() == Attribute::Other {
            return Err(DescriptorError::Unlike);
        }
        let mut walk = Walk::new(self, &object, targets, false)?;
        // SAFETY: the caller upholds the safety contract.
        unsafe {
            walk.all(Item { from: descriptor, to: descriptor, owned: false })?;
            match targets {
                Targets::Shared => walk.free(),
                Targets::Copied => walk.free_blocks(descriptor, object.format()),
            }
        }
    }
}

struct Walk<'r> {
    runtime: &'r Runtime,
    targets: Targets,
    is_copying: bool,
    queue: List<'r, Item>,
    /// The contiguous arrays of the original.
    blocks: Blocks<'r>,
    /// The non-contiguous arrays of the original.
    sections: Blocks<'r>,
}

impl<'r> Walk<'r> {
    fn new(
        runtime: &'r Runtime,
        object: &View<'_>,
        targets: Targets,
        is_copying: bool,
    ) -> Result<Self, DescriptorError> {
        let format = object.format();
        if format == Format::Gfortran {
            return Err(DescriptorError::Version(super::VERSIONS[0].1));
        }
        Ok(Walk {
            runtime,
            targets,
            is_copying,
            queue: List::new(runtime, format)?,
            blocks: Blocks::new(runtime, format)?,
            sections: Blocks::new(runtime, format)?,
        })
    }

    /// Visits all arrays.
    ///
    /// # Safety
    /// See [`Runtime::deep_copy`].
    unsafe fn all(&mut self, root: Item) -> Result<(), DescriptorError> {
        self.queue.push(root)?;
        let mut number = 0;
        while let Some(&item) = self.queue.as_slice().get(number) {
            // SAFETY: the caller upholds the safety contract.
            unsafe { self.visit(number, item)? };
            number += 1;
        }
        Ok(())
    }

    /// Frees the arrays that the walk owns, in reverse order, because an array may contain the descriptors of later
    /// arrays.
    ///
    /// # Safety
    /// The run-time library must have allocated the arrays, and they must no longer be in use.
    unsafe fn free(&mut self) -> Result<(), DescriptorError> {
        let mut result = Ok(());
        for item in self.queue.as_slice().iter().rev().filter(|item| item.owned) {
            // SAFETY: the caller upholds the safety contract.
            let freed = unsafe { self.runtime.deallocate(item.to) };
            result = result.and(freed);
        }
        result
    }

    /// Frees the arrays of all blocks. A block that starts inside another belongs to the same array.
    ///
    /// # Safety
    /// Same as for [`free`](Self::free). In addition, `root` must be the writable descriptor of the first array.
    unsafe fn free_blocks(&mut self, root: *mut (), format: Format) -> Result<(), DescriptorError> {
        let mut result = Ok(());
        let mut end = 0;
        for block in self.blocks.merge(&self.sections)? {
            let is_part = block.start < end;
            end = end.max(block.end());
            if !is_part {
                // The array's own descriptor may be in memory that has already been freed.
                let attribute =
                    if block.is_allocatable { Attribute::Allocatable } else { Attribute::Pointer };
                let mut array = list::bytes(format, attribute, block.copy, block.bytes)?;
                // SAFETY: the caller upholds the safety contract.
                let freed = unsafe { self.runtime.deallocate(array.as_mut_ptr()) };
                result = result.and(freed);
            }
        }
        // SAFETY: the caller guarantees that the descriptor, which begins with the address, is writable.
        unsafe { root.cast::<*mut ()>().write(core::ptr::null_mut()) };
        result
    }

    /// Copies an array, and adds its components to the queue.
    ///
    /// # Safety
    /// See [`Runtime::deep_copy`].
    unsafe fn visit(&mut self, number: usize, item: Item) -> Result<(), DescriptorError> {
        // SAFETY: the caller guarantees that this is a descriptor of the object.
        let from = unsafe { View::of(item.from)? };
        if from.base().is_null() {
            return Ok(());
        }
        if !from.has_default_allocator() {
            return Err(DescriptorError::Unsupported);
        }
        let (start, bytes) = span(&from)?;
        let follows = self.targets == Targets::Copied;
        let is_contiguous = from.is_contiguous();
        let dimensions = if follows && !is_contiguous { hash(&from) } else { 0 };
        let is_allocatable = from.attribute() == Attribute::Allocatable;
        // An allocatable already reached through a pointer needs a separate copy, but must not be freed twice.
        let may_be_known = number > 0 && (!is_allocatable || !self.is_copying);
        if follows && may_be_known {
            if let Some(block) = self.blocks.enclosing(start.addr(), bytes) {
                let at = from.base().addr().wrapping_sub(block.start);
                // SAFETY: the copy's descriptor is writable, and the block's copy has the same size and layout.
                unsafe { self.point(item.to, block.copy.wrapping_byte_add(at), None) };
                if is_allocatable {
                    // The library frees allocatables and targets differently, and this array is an allocatable.
                    let block = Block::new(start.addr(), bytes, from.base(), number);
                    self.blocks.add(Block { is_allocatable, ..block })?;
                }
                return Ok(());
            }
            let queue = self.queue.as_slice();
            let same = |block: &Block| {
                queue.get(block.item).is_some_and(|first| {
                    // SAFETY: the descriptor has been visited, so it is valid.
                    unsafe { View::of(first.from) }.is_ok_and(|first| {
                        first.base() == from.base()
                            && first.element_len() == from.element_len()
                            && first
                                .dimensions()
                                .iter()
                                .map(|d| (d.extent, d.stride))
                                .eq(from.dimensions().iter().map(|d| (d.extent, d.stride)))
                    })
                })
            };
            if let Some(block) = self.sections.equal(start.addr(), dimensions, same) {
                let first = queue.get(block.item).map(|first| first.to);
                // SAFETY: the copy's descriptor is writable, and the first copy's descriptor is valid and writable.
                unsafe { self.point(item.to, block.copy, first) };
                return Ok(());
            }
        }
        let copy = if self.is_copying {
            // SAFETY: the caller upholds the safety contract, and the descriptors are valid.
            unsafe { self.allocate(&from, item.to)? }
        } else {
            from.base()
        };
        if let Some(item) = self.queue.as_mut_slice().get_mut(number) {
            item.owned = true;
        }
        if self.is_copying && is_contiguous {
            // SAFETY: the copy has room for all bytes of the original.
            unsafe { copy.cast::<u8>().copy_from_nonoverlapping(start.cast(), bytes) };
        } else if self.is_copying {
            let len = from.element_len();
            let mut to = copy;
            each(&from, |element| {
                // SAFETY: the copy has room for all elements of the original.
                unsafe { to.cast::<u8>().copy_from_nonoverlapping(element.cast(), len) };
                if follows {
                    self.blocks.add(Block::new(element.addr(), len, to, number))?;
                }
                to = to.wrapping_byte_add(len);
                Ok(())
            })?;
        }
        if follows {
            let block = Block { dimensions, is_allocatable, ..Block::new(start.addr(), bytes, copy, number) };
            if is_contiguous { self.blocks.add(block)? } else { self.sections.add(block)? }
        }
        if from.element_type().category == Category::Struct {
            // SAFETY: the caller guarantees that flang made the table.
            let table = unsafe { Table::at(from.table())? };
            if table.size() > from.element_len() {
                return Err(DescriptorError::Table);
            }
            let mut to = copy;
            each(&from, |element| {
                // SAFETY: the table describes the element.
                unsafe { self.scan(table, element, to, 0)? };
                to = to.wrapping_byte_add(from.element_len());
                Ok(())
            })?;
        }
        Ok(())
    }

    /// Sets a pointer in the copy to the copied memory at `base`. If `like`, another descriptor in the copy, is given,
    /// its strides are used.
    ///
    /// # Safety
    /// Both descriptors must be valid and have the same number of dimensions, and `to` must be writable.
    unsafe fn point(&self, to: *mut (), base: *mut (), like: Option<*mut ()>) {
        if !self.is_copying {
            return;
        }
        // SAFETY: the caller upholds the safety contract.
        unsafe {
            to.cast::<*mut ()>().write(base);
            let (Some(like), Ok(_)) = (like, View::of(to)) else { return };
            if let Ok(like) = View::of(like) {
                let dimensions = to.byte_add(size_of_rank(0)).cast::<Dimension>();
                for (number, dimension) in like.dimensions().iter().enumerate() {
                    (*dimensions.add(number)).stride = dimension.stride;
                }
            }
        }
    }

    /// Allocates a contiguous copy of an array, and stores it in the copy's descriptor.
    ///
    /// # Safety
    /// `to` must be the address of a writable copy of the array's descriptor.
    unsafe fn allocate(&self, from: &View<'_>, to: *mut ()) -> Result<*mut (), DescriptorError> {
        let bytes = from.len().and_then(|count| count.checked_mul(from.element_len()));
        // SAFETY: the descriptor belongs to the caller, who guarantees that the functions belong to flang's library.
        let made = unsafe { list::allocate(self.runtime, from.format(), View::of(to)?.attribute(), bytes)? };
        let base = made.view()?.base();
        // SAFETY: the caller guarantees that `to` is writable and has these dimensions.
        unsafe {
            to.cast::<*mut ()>().write(base);
            let dimensions = to.byte_add(size_of_rank(0)).cast::<Dimension>();
            let mut stride = from.element_len() as isize;
            for (number, dimension) in from.dimensions().iter().enumerate() {
                dimensions.add(number).write(Dimension { stride, ..*dimension });
                stride = stride.wrapping_mul(dimension.extent);
            }
        }
        Ok(base)
    }

    /// Adds the components of an object to the queue.
    ///
    /// # Safety
    /// The table must describe both objects.
    unsafe fn scan(
        &mut self,
        table: Table,
        from: *mut (),
        to: *mut (),
        level: usize,
    ) -> Result<(), DescriptorError> {
        if level == LEVELS {
            return Err(DescriptorError::Table);
        }
        for component in table.components()? {
            let (component, at) = component?;
            let Component { genre, rank, element_type, .. } = component;
            let is_derived = element_type.category == Category::Struct;
            let offset = usize::try_from(component.offset).ok().ok_or(DescriptorError::Table)?;
            let ends_within = |bytes: usize| {
                let end = offset.checked_add(bytes);
                if end.is_some_and(|end| end <= table.size()) { Ok(()) } else { Err(DescriptorError::Table) }
            };
            let (from, to) = (from.wrapping_byte_add(offset), to.wrapping_byte_add(offset));
            match genre {
                Genre::Automatic => return Err(DescriptorError::Unsupported),
                Genre::Pointer if self.targets == Targets::Shared => {}
                Genre::Pointer | Genre::Allocatable => {
                    if component.on_device {
                        return Err(DescriptorError::Unsupported);
                    }
                    ends_within(size_of_rank(rank.into()) + if is_derived { 16 } else { 0 })?;
                    // SAFETY: the table describes the object, which contains a descriptor at this offset.
                    let view = unsafe { View::of(from)? };
                    let attribute =
                        if genre == Genre::Pointer { Attribute::Pointer } else { Attribute::Allocatable };
                    if view.attribute() != attribute
                        || view.dimensions().len() != usize::from(rank)
                        || view.addendum().is_some() && !is_derived
                    {
                        return Err(DescriptorError::Table);
                    }
                    if !view.base().is_null() {
                        self.queue.push(Item { from, to, owned: false })?;
                    }
                }
                Genre::Data if is_derived => {
                    // SAFETY: flang made the table and the tables of its components.
                    let (inner, count) = unsafe {
                        let inner = Table::at(core::ptr::with_exposed_provenance(component.table as usize))?;
                        (inner, table::elements(&component, at)?)
                    };
                    ends_within(count.checked_mul(inner.size()).ok_or(DescriptorError::Table)?)?;
                    for number in 0..count {
                        let by = number * inner.size();
                        // SAFETY: the component is an array of `count` objects that its type's table describes.
                        unsafe {
                            self.scan(
                                inner,
                                from.wrapping_byte_add(by),
                                to.wrapping_byte_add(by),
                                level + 1,
                            )?;
                        };
                    }
                }
                Genre::Data => {}
            }
        }
        Ok(())
    }
}

/// Returns the lowest address of an array, and the number of bytes from that address to the array's end.
fn span(view: &View<'_>) -> Result<(*mut (), usize), DescriptorError> {
    if view.is_assumed_size() {
        return Err(DescriptorError::Extent(view.dimensions().len().saturating_sub(1) as u8));
    }
    if view.is_empty() {
        return Ok((view.base(), 0));
    }
    let len = isize::try_from(view.element_len()).ok().ok_or(DescriptorError::Overflow)?;
    let range =
        view.dimensions().iter().try_fold((0, len), |range, d| with_dimension(range, d.extent, d.stride));
    let (lowest, highest) = range.ok_or(DescriptorError::Overflow)?;
    let start = offset_by(view.base(), lowest).ok_or(DescriptorError::Overflow)?;
    Ok((start, highest.abs_diff(lowest)))
}

/// Returns an FNV-1a hash of the fields that all descriptors of an array share (the lower bounds can differ).
fn hash(view: &View<'_>) -> u64 {
    let dimensions = view.dimensions().iter().flat_map(|d| [d.extent as u64, d.stride as u64]);
    [view.base().addr() as u64, view.element_len() as u64].into_iter().chain(dimensions).fold(
        0xcbf2_9ce4_8422_2325,
        |hash, number| {
            number
                .to_le_bytes()
                .into_iter()
                .fold(hash, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
        },
    )
}

/// Calls a function with the address of each element, in array element order.
fn each(
    view: &View<'_>,
    mut call: impl FnMut(*mut ()) -> Result<(), DescriptorError>,
) -> Result<(), DescriptorError> {
    let mut index = [0isize; super::MOST_DIMENSIONS];
    let mut element = view.base();
    for _ in 0..view.len().unwrap_or(0) {
        call(element)?;
        for (index, dimension) in index.iter_mut().zip(view.dimensions()) {
            *index += 1;
            element = element.wrapping_byte_offset(dimension.stride);
            if *index < dimension.extent {
                break;
            }
            element = element.wrapping_byte_offset(dimension.stride.wrapping_mul(*index).wrapping_neg());
            *index = 0;
        }
    }
    Ok(())
}
