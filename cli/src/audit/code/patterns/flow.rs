//! Register values in AArch64 and RISC-V code, and the stores that write a trampoline.
//!
//! Instructions are processed in address order. Branches are ignored, because the stores of one trampoline follow each
//! other directly. `aarch64.rs` and `riscv.rs` decode the instructions.

use super::{Made, Root};

/// Number of registers. On AArch64, register 31 is the stack pointer.
const REGISTERS: usize = 32;
/// Number of bytes before a trampoline's first part at which register tracking begins.
pub const BEFORE: usize = 4096;
/// Number of bytes after a trampoline's last part at which register tracking ends. It is large because trampolines that
/// share constants may be stored far apart in a function.
pub const AFTER: usize = 2048;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Value {
    Relative(Root, i64),
    /// A partly known number. Only the bits in `known` are known.
    Bits {
        known: u64,
        bits: u64,
    },
}

impl Value {
    pub const UNKNOWN: Value = Value::Bits { known: 0, bits: 0 };

    pub fn constant(bits: u64) -> Self {
        Value::Bits { known: u64::MAX, bits }
    }

    /// Returns a mask of the known bits, and their values.
    fn parts(self) -> (u64, u64) {
        match self {
            Value::Relative(..) => (0, 0),
            Value::Bits { known, bits } => (known, bits & known),
        }
    }

    pub fn plus(self, other: Value) -> Self {
        match (self, other) {
            (Value::Relative(root, offset), Value::Bits { known: u64::MAX, bits })
            | (Value::Bits { known: u64::MAX, bits }, Value::Relative(root, offset)) => {
                Value::Relative(root, offset.wrapping_add(bits as i64))
            }
            (Value::Bits { known: u64::MAX, bits: one }, Value::Bits { known: u64::MAX, bits: other }) => {
                Value::constant(one.wrapping_add(other))
            }
            _ => Value::UNKNOWN,
        }
    }

    pub fn and(self, other: Value) -> Self {
        let ((one, left), (two, right)) = (self.parts(), other.parts());
        Value::Bits { known: one & two | one & !left | two & !right, bits: left & right }
    }

    pub fn or(self, other: Value) -> Self {
        let ((one, left), (two, right)) = (self.parts(), other.parts());
        Value::Bits { known: one & two | left | right, bits: left | right }
    }

    pub fn xor(self, other: Value) -> Self {
        let ((one, left), (two, right)) = (self.parts(), other.parts());
        Value::Bits { known: one & two, bits: left ^ right }
    }

    pub fn shifted_left(self, by: u32) -> Self {
        let (known, bits) = self.parts();
        let zeros = (1u64 << (by & 63)) - 1;
        Value::Bits { known: known << (by & 63) | zeros, bits: bits << (by & 63) }
    }

    /// Returns the lower 32 bits, zero-extended.
    pub fn low(self) -> Self {
        self.and(Value::constant(u32::MAX.into()))
    }
}

/// A store to memory.
#[derive(Clone, Copy, Debug)]
struct Store {
    /// Offset of the instruction.
    at: usize,
    root: Root,
    offset: i64,
    /// Length in bytes.
    width: u32,
    value: Value,
}

/// One 32-bit word of a trampoline: the bits that are the same in every trampoline, and their values.
#[derive(Clone, Copy)]
pub struct Word {
    pub fixed: u32,
    pub bits: u32,
}

/// The register values and the stores so far.
pub struct Flow {
    held: [Value; REGISTERS],
    stack: usize,
    roots: u32,
    stores: Vec<Store>,
}

impl Flow {
    /// Creates the initial state, in which registers contain unknown addresses. `stack` and `frame` are the register
    /// numbers of the stack pointer and of the frame pointer.
    pub fn new(stack: usize, frame: usize) -> Self {
        let mut held = core::array::from_fn(|number| Value::Relative(Root::Unknown(number as u32), 0));
        for (register, root) in [(stack, Root::Stack(0)), (frame, Root::Frame)] {
            if let Some(value) = held.get_mut(register) {
                *value = Value::Relative(root, 0);
            }
        }
        Flow { held, stack, roots: REGISTERS as u32, stores: Vec::new() }
    }

    pub fn get(&self, register: usize) -> Value {
        self.held.get(register).copied().unwrap_or(Value::UNKNOWN)
    }

    /// Sets a register. An unknown value becomes a new base address, different from all others. The stack pointer is
    /// still assumed to point to the stack, regardless of its value.
    pub fn set(&mut self, register: usize, value: Value) {
        self.roots += 1;
        let value = match value {
            Value::Relative(Root::Stack(_), _) => value,
            _ if register == self.stack => Value::Relative(Root::Stack(self.roots), 0),
            Value::Bits { known: 0, .. } => Value::Relative(Root::Unknown(self.roots), 0),
            _ => value,
        };
        if let Some(held) = self.held.get_mut(register) {
            *held = value;
        }
    }

    pub fn forget(&mut self, registers: impl IntoIterator<Item = usize>) {
        registers.into_iter().for_each(|register| self.set(register, Value::UNKNOWN));
    }

    /// Forgets the addresses in these registers and in the stack pointer, but keeps constants. Called after a return or
    /// an indirect jump, because the code that follows belongs to another function or is reached by a branch.
    pub fn forget_addresses(&mut self, registers: impl IntoIterator<Item = usize>) {
        for register in registers {
            if matches!(self.get(register), Value::Relative(..)) {
                self.set(register, Value::UNKNOWN);
            }
        }
        self.set(self.stack, Value::UNKNOWN);
    }

    /// Records a store of `width` bytes.
    pub fn store(&mut self, at: usize, address: Value, width: u32, value: Value) {
        if let Value::Relative(root, offset) = address {
            self.stores.push(Store { at, root, offset, width, value });
        }
    }

    /// Returns the trampolines matching `form` that the stores write. Each word must be stored at its offset from a
    /// common address. All fixed bits of word number `key` and of at least one other word must be known, and every
    /// known fixed bit must match the form.
    pub fn made(&self, form: &[Word], key: usize, frame_on_stack: bool) -> Vec<Made> {
        let mut made: Vec<Made> = Vec::new();
        for store in &self.stores {
            for into in (0..store.width.max(4) - 3).step_by(4) {
                let start = store.offset.wrapping_add(into.into()).wrapping_sub(4 * key as i64);
                let this = self.made_at(store, start, form, key);
                let on_stack = store.root.is_stack(frame_on_stack);
                made.extend(this.map(|first| Made { first, on_stack }));
            }
        }
        made.dedup();
        made
    }

    /// Returns the offset of the first instruction that stores a part of the trampoline at `start`. `by` is the store
    /// that writes word number `key` of this trampoline.
    fn made_at(&self, by: &Store, start: i64, form: &[Word], key: usize) -> Option<usize> {
        let (mut first, mut certain) = (by.at, 0);
        for (number, word) in form.iter().enumerate() {
            let offset = start.wrapping_add(4 * number as i64);
            let holds = |it: &&Store| {
                let into = offset.wrapping_sub(it.offset);
                it.root == by.root && 0 <= into && into.wrapping_add(4) <= it.width.into()
            };
            let store = match number == key {
                true => by,
                false => self.stores.iter().filter(holds).min_by_key(|it| it.at.abs_diff(by.at))?,
            };
            let (known, bits) = store.value.parts();
            let shift = 8 * offset.wrapping_sub(store.offset) as u32;
            let (known, bits) = ((known >> shift) as u32 & word.fixed, (bits >> shift) as u32);
            if (bits ^ word.bits) & known != 0 || number == key && known != word.fixed {
                return None;
            }
            certain += usize::from(known == word.fixed);
            first = first.min(store.at);
        }
        (certain > 1).then_some(first)
    }
}

#[cfg(test)]
mod tests {
    use super::{Flow, Value, Word};

    const FORM: [Word; 2] = [Word { fixed: !0, bits: 0x11 }, Word { fixed: 0xfff, bits: 0x222 }];

    fn stored(distance: u64, second: u64, register: usize) -> Flow {
        let mut flow = Flow::new(2, 8);
        let base = flow.get(register);
        flow.store(0, base, 4, Value::constant(0x11));
        flow.store(4, base.plus(Value::constant(distance)), 4, Value::constant(second));
        flow
    }

    #[test]
    fn a_trampoline_is_recognised_only_if_its_words_are_at_the_right_distances() {
        let made = |flow: Flow| flow.made(&FORM, 0, true).len();
        assert_eq!(made(stored(4, 0x7000_0222, 2)), 1);
        assert_eq!(made(stored(8, 0x7000_0222, 2)), 0);
        assert_eq!(made(stored(4, 0x7000_0223, 2)), 0);
        let mut flow = stored(8, 0x222, 2);
        let other = flow.get(9).plus(Value::constant(4));
        flow.store(8, other, 4, Value::constant(0x222));
        assert_eq!(made(flow), 0);
    }

    #[test]
    fn only_the_stack_pointer_and_a_frame_pointer_prove_the_stack() {
        let on_stack = |register, frame| stored(4, 0x222, register).made(&FORM, 0, frame)[0].on_stack;
        assert!(on_stack(2, false) && on_stack(8, true));
        assert!(!on_stack(8, false) && !on_stack(10, true));
    }

    #[test]
    fn known_bits_follow_from_the_operation() {
        let unknown = Value::UNKNOWN.and(Value::constant(!0xfff)).or(Value::constant(0x3b7));
        assert_eq!(unknown, Value::Bits { known: 0xfff, bits: 0x3b7 });
        assert_eq!(Value::UNKNOWN.shifted_left(20), Value::Bits { known: 0xf_ffff, bits: 0 });
        assert_eq!(Value::constant(!0).xor(Value::constant(0xff)), Value::constant(!0xff));
        assert_eq!(Value::constant(!0).low(), Value::constant(0xffff_ffff));
    }
}
