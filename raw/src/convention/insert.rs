//! Insertion of a context before a function's arguments: where the caller's arguments are, where the callee expects
//! them, and which moves an adapter must make.
//!
//! The walk that raw closures use (`walk.rs`) determines both the caller's and the callee's positions. If each argument
//! either stays in its place or moves from one of the first integer registers to the next one, libstatictramp uses an
//! adapter of a few instructions ([`registers`]). Otherwise the processor's `raw::forward` saves the argument
//! registers, calls `arrange.rs` to carry out a list of moves ([`Plan`]), and calls the callee with new stack
//! arguments.

use super::layout::{Layout, Leaf, Scalar, Type};
use super::location::Location;
use super::walk::{Convention, Visitor};
use crate::arch::Block;
use core::mem::MaybeUninit;

pub(super) const WORD: usize = size_of::<usize>();
/// Maximum number of parameters besides the context.
pub const MOST_PARAMETERS: usize = 64;

/// A part of an argument.
#[derive(Clone, Copy)]
struct Part {
    /// The offset in the argument, and the size, in bytes.
    offset: usize,
    size: usize,
    at: Location,
}

/// Maximum number of parts of an argument. An argument with more parts is rejected.
const MOST_PARTS: usize = 12;

/// A list of the parts of one argument, as [`Convention::locate`] reports them.
struct Parts {
    block: usize,
    stack: usize,
    /// The parts, of which the first `count` are valid.
    list: [Part; MOST_PARTS],
    count: usize,
}

/// Converts the address `from` in an imaginary call to a location. `block` and `stack` are the addresses of that call's
/// block and of its first stack argument.
fn location_of(from: usize, block: usize, stack: usize) -> Location {
    let in_block = from.wrapping_sub(block);
    if in_block < size_of::<Block>() {
        Location::Register(in_block)
    } else {
        Location::Stack(from.wrapping_sub(stack))
    }
}

/// Returns whether this is a 64-bit floating-point register in which a 32-bit float is NaN-boxed (upper half all ones).
fn is_boxing(location: Location) -> bool {
    matches!(location, Location::Register(offset) if Block::BOXES.contains(&offset))
}

/// Returns a zeroed block for an imaginary call.
fn empty_block() -> Block {
    // SAFETY: a block consists of integers and of pointers, which may all be zero.
    unsafe { MaybeUninit::zeroed().assume_init() }
}

/// Returns the address at which an entry with this block would find the first argument on the stack. The memory at that
/// address is not read.
fn stack_after(block: &Block) -> *const u8 {
    let end = core::ptr::from_ref(block).cast::<u8>().wrapping_add(size_of::<Block>());
    match () {
        // On Arm, the walk expects the arguments at exactly this distance from the block.
        _ if cfg!(target_arch = "arm") => end.wrapping_add(24),
        _ => end.wrapping_add(end.addr().wrapping_neg() % 16),
    }
}

impl Parts {
    fn push(&mut self, offset: usize, from: usize, size: usize) {
        let at = location_of(from, self.block, self.stack);
        if let Some(part) = self.list.get_mut(self.count) {
            *part = Part { offset, size, at };
        }
        self.count += 1;
    }

    /// Returns the parts, or `None` if there were too many.
    fn list(&self) -> Option<&[Part]> {
        self.list.get(..self.count)
    }
}

impl Visitor for Parts {
    unsafe fn bytes(&mut self, offset: usize, from: *const u8, size: usize) {
        self.push(offset, from.addr(), size);
    }

    unsafe fn address(&mut self, from: *const u8, _size: usize) {
        self.push(0, from.addr(), WORD);
    }

    #[cfg(any(target_arch = "powerpc", target_arch = "powerpc64"))]
    unsafe fn single(&mut self, offset: usize, register: *const u64) {
        // The argument stays in its register, because the context does not take a floating-point register.
        self.push(offset, register.addr(), 4);
    }
}

/// A walk over the arguments of an imaginary call, either for the caller or for the callee.
struct Side {
    block: Block,
    parts: Parts,
}

impl Side {
    fn new() -> Self {
        let nothing = Part { offset: 0, size: 0, at: Location::Stack(0) };
        Side {
            block: empty_block(),
            parts: Parts { block: 0, stack: 0, list: [nothing; MOST_PARTS], count: 0 },
        }
    }

    /// Starts the walk at the first argument. The walk then contains its own address, and must not be moved.
    fn begin(&mut self) {
        self.block.walk.stack = stack_after(&self.block);
        self.parts.block = (&raw const self.block).addr();
        self.parts.stack = stack_after(&self.block).addr();
    }

    fn result(&mut self) -> Option<&[Part]> {
        self.parts.count = 0;
        let address = self.block.locate_result();
        self.parts.push(0, address.addr(), WORD);
        self.parts.list()
    }

    /// Returns the parts of an argument that is a scalar in one register. For any other argument, returns `None`
    /// without placing it.
    #[inline(always)]
    fn scalar(&mut self, scalar: Scalar) -> Option<&[Part]> {
        let from = self.block.take_register(scalar)?;
        self.block.walk.taken();
        self.parts.count = 0;
        self.parts.push(0, from.addr(), scalar.size());
        self.parts.list()
    }

    fn argument(&mut self, leaf: &Leaf) -> Option<&[Part]> {
        if let Some(scalar) = Scalar::of(leaf.kind)
            && self.scalar(scalar).is_some()
        {
            return self.parts.list();
        }
        let layout = &Layout::of(leaf)?;
        self.parts.count = 0;
        if layout.size > 0 || Block::PASSES_EMPTY {
            self.block.locate(layout, &mut self.parts);
        }
        self.block.walk.taken();
        self.parts.list()
    }
}

/// The location of the context among the callee's parameters.
#[derive(Clone, Copy, PartialEq)]
pub enum Order {
    /// Before the parameters of the caller.
    First,
    /// After the parameters of the caller.
    Last,
}

/// Returns whether a result is returned in memory, or `None` if its type does not exist on this target. A scalar of at
/// most one word is never returned in memory.
fn is_in_memory(block: &Block, result: Option<&Type>) -> Option<bool> {
    let Some(leaf) = result.map(Type::leaf) else { return Some(false) };
    match Scalar::of(leaf.kind) {
        Some(scalar) if scalar.size() <= WORD => Some(false),
        _ => Some(block.in_memory(&Layout::of(&leaf)?)),
    }
}

/// A visitor of the parts of each argument, for the caller and for the callee.
trait Visit {
    fn context(&mut self, at: Location) -> Option<()>;
    fn argument(&mut self, caller: &[Part], callee: &[Part]) -> Option<()>;
}

/// Visits all arguments of a signature. Returns the size in bytes of the stack arguments for the callee, and whether
/// the result is in memory. Returns `None` if a type does not exist, if an argument has too many parts, or if the
/// visitor returned `None`.
fn visit(
    order: Order,
    result: Option<&Type>,
    parameters: &[Type],
    visitor: &mut impl Visit,
) -> Option<(usize, bool)> {
    let mut sides = [Side::new(), Side::new()];
    let [caller, callee] = &mut sides;
    caller.begin();
    callee.begin();
    let in_memory = is_in_memory(&caller.block, result)?;
    if in_memory {
        visitor.argument(caller.result()?, callee.result()?)?;
    }
    let pointer = Leaf::plain(super::kind::Kind::Pointer as u32);
    if order == Order::First {
        visitor.context(callee.argument(&pointer)?.first()?.at)?;
    }
    for parameter in parameters {
        let leaf = parameter.leaf();
        visitor.argument(caller.argument(&leaf)?, callee.argument(&leaf)?)?;
    }
    if order == Order::Last {
        visitor.context(callee.argument(&pointer)?.first()?.at)?;
    }
    let walked = callee.block.walk.stack.addr().wrapping_sub(stack_after(&callee.block).addr());
    Some((callee.block.stack_size(walked), in_memory))
}

/// A visitor that determines whether an adapter can insert the context by only moving the contents of the first integer
/// registers up by one.
#[derive(Default)]
struct Registers {
    /// Two sets of argument registers, with one bit for each register: those whose contents move up by one, and those
    /// whose contents stay.
    moving: u64,
    staying: u64,
    first: usize,
}

impl Visit for Registers {
    fn context(&mut self, at: Location) -> Option<()> {
        self.first = Block::number(at)?;
        Some(())
    }

    fn argument(&mut self, caller: &[Part], callee: &[Part]) -> Option<()> {
        if caller.len() != callee.len() {
            return None;
        }
        for (from, to) in caller.iter().zip(callee) {
            if (from.offset, from.size) != (to.offset, to.size) {
                return None;
            }
            match (Block::number(from.at), Block::number(to.at)) {
                (None, None) if from.at == to.at => {}
                (Some(first), Some(then)) => {
                    let registers = match then.checked_sub(first)? {
                        0 => &mut self.staying,
                        1 => &mut self.moving,
                        _ => return None,
                    };
                    for number in first..first.checked_add(from.size.div_ceil(WORD))? {
                        *registers |= 1u64.checked_shl(u32::try_from(number).ok()?)?;
                    }
                }
                _ => return None,
            }
        }
        Some(())
    }
}

/// Returns the number of argument registers, from the first one that does not contain a result's address, whose
/// contents an adapter must move up by one, and whether the result is in memory. Returns `None` if a type does not
/// exist, or if such an adapter cannot insert the context.
pub fn registers(result: Option<&Type>, parameters: &[Type]) -> Option<(usize, bool)> {
    let mut registers = Registers::default();
    let (_, in_memory) = visit(Order::First, result, parameters, &mut registers)?;
    let Registers { moving, staying, first } = registers;
    let end = (u64::BITS - moving.leading_zeros()) as usize;
    let used = end.saturating_sub(first);
    // The registers that the adapter writes to.
    let written = (1u64.checked_shl(u32::try_from(used + 1).ok()?)? - 1) << first;
    let moves_before = moving & ((1 << first) - 1) != 0;
    (staying & written == 0 && !moves_before).then_some((used, in_memory))
}

/// A visitor that ignores the reported locations.
struct Anywhere;

impl Visitor for Anywhere {
    unsafe fn bytes(&mut self, _offset: usize, _from: *const u8, _size: usize) {}

    unsafe fn address(&mut self, _from: *const u8, _size: usize) {}

    #[cfg(any(target_arch = "powerpc", target_arch = "powerpc64"))]
    unsafe fn single(&mut self, _offset: usize, _register: *const u64) {}
}

/// Returns the number of the first argument register that neither the arguments nor a result's address uses, in which
/// an adapter can pass a context after the arguments, without moving any argument. Returns `None` if no register is
/// left, if a type does not exist, or on 32-bit x86.
pub fn register_after(result: Option<&Type>, parameters: &[Type]) -> Option<usize> {
    if cfg!(target_arch = "x86") {
        return None; // the "registers" are words on the stack, and the word after the arguments belongs to the caller
    }
    let mut block = empty_block();
    block.walk.stack = stack_after(&block);
    if is_in_memory(&block, result)? {
        block.locate_result();
    }
    for parameter in parameters {
        let leaf = parameter.leaf();
        if Scalar::of(leaf.kind).and_then(|scalar| block.take_register(scalar)).is_none() {
            let layout = &Layout::of(&leaf)?;
            if layout.size > 0 || Block::PASSES_EMPTY {
                block.locate(layout, &mut Anywhere);
            }
        }
        block.walk.taken();
    }
    let from = block.take_register(Scalar::of(super::kind::Kind::Pointer as u32)?)?.addr();
    Block::number(location_of(from, (&raw const block).addr(), stack_after(&block).addr()))
}

/// The number of words in a plan's header: the size in bytes of the stack arguments for the callee, whether the result
/// is in memory, the location of the context, and the number of moves. Three words for each move follow it: source,
/// target and size.
pub(super) const HEAD: usize = 4;
const MOST_MOVES: usize = 3 * MOST_PARAMETERS;

/// The bit that is set in the encoding of a location if the location is on the stack.
pub(super) const ON_STACK: u32 = 1 << 31;
/// The bit that is set in a move's size if the 4-byte number must be NaN-boxed in the target register (upper half all
/// ones).
pub(super) const BOXED: u32 = 1 << 31;

/// The moves by which an adapter inserts a context. A plan contains no pointers, so equal plans have the same effect.
pub struct Plan {
    words: [u32; HEAD + 3 * MOST_MOVES],
    count: usize,
}

impl Plan {
    /// Returns the moves for a signature. Returns `None` if a type does not exist on this target, if there are too many
    /// moves or stack arguments for a plan, or if the target has no adapter for plans.
    pub fn new(order: Order, result: Option<&Type>, parameters: &[Type]) -> Option<Self> {
        Block::FORWARD?;
        let mut plan = Plan { words: [0; HEAD + 3 * MOST_MOVES], count: HEAD };
        let (stack, in_memory) = visit(order, result, parameters, &mut plan)?;
        let stack = u32::try_from(stack.checked_next_multiple_of(16)?).ok()?;
        if stack >= ON_STACK {
            return None;
        }
        plan.words[0] = stack;
        plan.words[1] = u32::from(in_memory);
        plan.words[3] = u32::try_from((plan.count - HEAD) / 3).ok()?;
        Some(plan)
    }

    /// Returns the words of the plan, in the form in which `raw::forward` expects them.
    pub fn words(&self) -> &[u32] {
        &self.words[..self.count]
    }

    fn push(&mut self, from: Location, to: Location, size: usize, boxed: bool) -> Option<()> {
        if from == to && matches!(to, Location::Register(_)) {
            return Some(());
        }
        let (from, to) = (encoded(from)?, encoded(to)?);
        let size = u32::try_from(size).ok().filter(|&size| size < BOXED)?;
        if !boxed
            && self.count > HEAD
            && let [.., last_from, last_to, last_size] = &mut self.words[..self.count]
            && *last_size & BOXED == 0
            && *last_from + *last_size == from
            && *last_to + *last_size == to
        {
            *last_size += size;
            return Some(());
        }
        let words = self.words.get_mut(self.count..self.count + 3)?;
        words.copy_from_slice(&[from, to, size | if boxed { BOXED } else { 0 }]);
        self.count += 3;
        Some(())
    }
}

fn encoded(location: Location) -> Option<u32> {
    let (offset, flag) = match location {
        Location::Register(offset) => (offset, 0),
        Location::Stack(offset) => (offset, ON_STACK),
    };
    u32::try_from(offset).ok().filter(|&offset| offset < ON_STACK).map(|offset| offset | flag)
}

/// Whether two arguments may share a word of the stack, possibly with padding between them.
const PACKS: bool = cfg!(all(target_arch = "aarch64", target_os = "macos"));

impl Visit for Plan {
    fn context(&mut self, at: Location) -> Option<()> {
        self.words[2] = encoded(at)?;
        Some(())
    }

    fn argument(&mut self, caller: &[Part], callee: &[Part]) -> Option<()> {
        for to in callee {
            for from in caller {
                let begin = from.offset.max(to.offset);
                let end = (from.offset + from.size).min(to.offset + to.size);
                if begin >= end {
                    continue;
                }
                let size = end - begin;
                let (source, target) = (from.at.plus(begin - from.offset), to.at.plus(begin - to.offset));
                let before = source.offset() % WORD;
                let in_registers = matches!((from.at, to.at), (Location::Register(_), Location::Register(_)));
                if size == 4 && is_boxing(target) && !is_boxing(source) {
                    self.push(source, target, size, true)?;
                } else if (from.offset, from.size) == (to.offset, to.size)
                    && target.offset() % WORD == before
                    && (in_registers || !PACKS)
                {
                    // Moves whole words, so that a number smaller than a word remains sign- or zero-extended.
                    let size = (size + before).next_multiple_of(WORD);
                    self.push(source.minus(before), target.minus(before), size, false)?;
                } else if cfg!(target_arch = "powerpc64")
                    && begin == from.offset
                    && begin == to.offset
                    && target.offset() % WORD == before
                {
                    // The rest of the first doubleword belongs to an element of the same argument that is also in a
                    // floating-point register. Callers fill it, and gcc's callees read it.
                    self.push(source.minus(before), target.minus(before), size + before, false)?;
                } else {
                    self.push(source, target, size, false)?;
                }
            }
        }
        Some(())
    }
}
