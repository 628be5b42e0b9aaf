//! Decoded x86 instructions around a possible trampoline: the values that they store, and whether they store to the
//! stack.
//!
//! Register values are tracked through moves, additions and address computations, in address order. After a return or
//! an unconditional jump, the register values are taken from an earlier branch to the next instruction. If no branch
//! skips the return or jump, the function is assumed to end there, and its stores are not combined with later ones.

use super::{Made, Root};
use iced_x86::{
    Decoder, DecoderOptions, FlowControl, Instruction, InstructionInfoFactory, Mnemonic, OpAccess, OpKind,
    Register,
};
use std::collections::{BTreeMap, HashMap};

/// Decoding begins this many bytes before the first part of a possible trampoline, with one decoder at each of `STARTS`
/// consecutive offsets. A decoder that begins inside an instruction soon agrees with the others on the instruction
/// boundaries.
const BEFORE: usize = 512;
const STARTS: usize = 32;
/// Number of bytes to decode after the last known part of a trampoline, because further parts may follow.
const AFTER: usize = 64;

/// Number of registers whose values are tracked.
const REGISTERS: usize = 20;
/// Maximum length in bytes of a branch within a function. Longer branches are treated as calls to other functions.
const LONGEST_BRANCH: u64 = 1 << 16;

/// Registers that a call may change in both the System V and the Windows calling convention.
const CALL_CLOBBERED: [Register; 7] = [
    Register::EAX,
    Register::ECX,
    Register::EDX,
    Register::R8D,
    Register::R9D,
    Register::R10D,
    Register::R11D,
];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Value {
    Constant(u64),
    Relative(Root, i64),
}

/// A store to memory.
#[derive(Clone, Copy, Debug)]
struct Store {
    /// Offset of the instruction.
    at: usize,
    /// The index, within the decoded code, of the function that contains the instruction.
    function: u32,
    root: Root,
    offset: i64,
    width: usize,
    value: Option<u64>,
}

/// The stores near a possible trampoline.
pub struct Stores {
    all: Vec<Store>,
    /// Whether the frame pointer is known to point to the stack.
    frame_on_stack: bool,
}

impl Stores {
    /// Decodes the code from about `BEFORE` bytes before `first` to `AFTER` bytes after `last`. Returns `None` unless
    /// most decoders agree on where an instruction begins.
    pub fn around(processor: Processor, code: &[u8], first: usize, last: usize) -> Option<Stores> {
        let bits = processor.bits;
        let start = agreed_start(bits, code, first)?;
        let end = (last + AFTER).min(code.len());
        let bytes = code.get(start..end)?;
        let mut decoder = Decoder::with_ip(bits, bytes, start as u64, DecoderOptions::NONE);
        let mut state = State::new(processor);
        let (mut instruction, mut all) = (Instruction::default(), Vec::new());
        let mut info = InstructionInfoFactory::new();
        let mut flow = Flow::default();
        while decoder.can_decode() {
            decoder.decode_out(&mut instruction);
            if !instruction.is_invalid() {
                flow.enter(&instruction, &mut state);
                all.extend(state.store(&instruction));
                state.step(&instruction, &mut info);
                flow.leave(&instruction, &state);
            }
        }
        let before = code.get(..first)?;
        let frames: &[&[u8]] = match bits {
            64 => &[b"\x55\x48\x89\xe5", b"\x55\x48\x8b\xec"],
            _ => &[b"\x55\x89\xe5", b"\x55\x8b\xec"],
        };
        let frame_on_stack = frames.iter().any(|it| memchr::memmem::rfind(before, it).is_some());
        Some(Stores { all, frame_on_stack })
    }

    fn made(&self, parts: &[Store]) -> Option<Made> {
        let first = parts.iter().map(|it| it.at).min()?;
        Some(Made { first, on_stack: parts.iter().all(|it| it.root.is_stack(self.frame_on_stack)) })
    }

    /// Returns the `width`-byte stores of any of `values`.
    fn of<'a>(&'a self, width: usize, values: &'a [u64]) -> impl Iterator<Item = Store> + 'a {
        let mask = u64::MAX >> (64 - 8 * width);
        self.all.iter().copied().filter(move |it| {
            it.width == width && it.value.is_some_and(|value| values.contains(&(value & mask)))
        })
    }

    /// Finds `mov $chain, %ecx; jmp callee`: two opcodes five bytes apart, one followed by the chain and the other by
    /// the distance to the callee. If ecx holds an argument, GCC uses eax or pushes the chain. Linkers also write
    /// `push; jmp`, but not on a stack.
    pub fn i386(&self) -> Vec<Made> {
        let near = |one: Store, other: Store, distance: i64| {
            (one.function, one.root) == (other.function, other.root)
                && other.offset.wrapping_sub(one.offset) == distance
        };
        let mut made = Vec::new();
        for chain in self.of(1, &[0xb9, 0xb8, 0x68]) {
            let usual = chain.value.is_some_and(|value| value & 0xff == 0xb9);
            for jump in self.of(1, &[0xe9]).filter(|&jump| near(chain, jump, 5)) {
                let mut words = self.all.iter().filter(|it| it.width == 4);
                let has_word = words.any(|&word| near(chain, word, 1) || near(chain, word, 6));
                let this = self.made(&[chain, jump]).filter(|it| has_word && (it.on_stack || usual));
                made.extend(this);
            }
        }
        made
    }

    /// Finds `movabs $callee, %r11; movabs $chain, %r10; jmp *%r11`, with each instruction stored at its offset in the
    /// trampoline. If the addresses of these stores are unknown, returns only the earliest trampoline.
    pub fn x86_64(&self) -> Vec<Made> {
        const CALLEE: [u64; 2] = [0xbb49, 0xbb41];
        const CHAIN: [u64; 2] = [0xba49, 0xba41];
        let mut by_offset: HashMap<(u32, Root, i64), Vec<Store>> = HashMap::new();
        let jumps: Vec<Store> = self.of(4, &[0x90e3_ff49]).chain(self.of(2, &[0xff49])).collect();
        let chains: Vec<Store> = self.of(2, &CHAIN).collect();
        for &store in chains.iter().chain(&jumps) {
            by_offset.entry((store.function, store.root, store.offset)).or_default().push(store);
        }
        // Returns the store closest to `part` that writes the trampoline's next part.
        let after = |part: Store, is_jump: bool| {
            let stored = [6, 10].into_iter().filter_map(|length| {
                by_offset.get(&(part.function, part.root, part.offset.wrapping_add(length)))
            });
            let is_wanted = |it: &&Store| CHAIN.contains(&(it.value.unwrap_or(0) & 0xffff)) != is_jump;
            stored.flatten().filter(is_wanted).min_by_key(|it| it.at.abs_diff(part.at)).copied()
        };
        let (mut made, mut scattered) = (Vec::new(), None);
        for callee in self.of(2, &CALLEE) {
            let chain = after(callee, false);
            match chain.and_then(|chain| Some([callee, chain, after(chain, true)?])) {
                Some(parts) => made.extend(self.made(&parts)),
                None if scattered.is_none() => {
                    let same = |it: &&Store| it.function == callee.function;
                    let parts = (chains.iter().find(same), jumps.iter().find(same));
                    if let (Some(&chain), Some(&jump)) = parts {
                        scattered =
                            self.made(&[callee, chain, jump]).map(|it| Made { on_stack: false, ..it });
                    }
                }
                None => {}
            }
        }
        if made.is_empty() {
            made.extend(scattered);
        }
        made
    }
}

/// The control flow of the decoded code.
#[derive(Default)]
struct Flow {
    /// The register values at branches to later instructions, indexed by the target address.
    targets: BTreeMap<u64, [Value; REGISTERS]>,
    /// Whether the previous instruction is a jump or a return.
    has_left: bool,
    /// Whether the last instruction before any padding is a call, and whether there is padding.
    has_called: bool,
    is_padded: bool,
}

impl Flow {
    /// Determines the register values before an instruction.
    fn enter(&mut self, instruction: &Instruction, state: &mut State) {
        let here = instruction.ip();
        let branch = self.targets.remove(&here);
        while self.targets.first_key_value().is_some_and(|(&target, _)| target < here) {
            self.targets.pop_first();
        }
        if is_padding(instruction) {
            self.is_padded = true;
            return;
        }
        // A function may end with a call to a function that does not return.
        let ends_with_call = self.has_called && self.is_padded && here.is_multiple_of(16);
        match branch {
            Some(held) if self.has_left => state.held = held,
            None if (self.has_left || ends_with_call) && self.targets.is_empty() => state.begin_function(),
            None if self.has_left => state.forget_stack(),
            _ => {}
        }
    }

    /// Records the register values after an instruction, if it branches to a later one.
    fn leave(&mut self, instruction: &Instruction, state: &State) {
        if is_padding(instruction) {
            return;
        }
        let flow = instruction.flow_control();
        if matches!(flow, FlowControl::ConditionalBranch | FlowControl::UnconditionalBranch) {
            let target = instruction.near_branch_target();
            // In an object, an unrelocated jump to another section appears to go to the next instruction.
            if target > instruction.next_ip() && target - instruction.ip() <= LONGEST_BRANCH {
                self.targets.entry(target).or_insert(state.held);
            }
        }
        self.has_left = matches!(
            flow,
            FlowControl::UnconditionalBranch
                | FlowControl::IndirectBranch
                | FlowControl::Return
                | FlowControl::Exception
        );
        self.has_called = matches!(flow, FlowControl::Call | FlowControl::IndirectCall);
        self.is_padded = false;
    }
}

fn is_padding(instruction: &Instruction) -> bool {
    matches!(instruction.mnemonic(), Mnemonic::Nop | Mnemonic::Int3)
}

/// Returns the first offset from which most of the decoders agree on the instruction boundaries. All decoders begin
/// before `first`. Returns 0 if `first` is less than `BEFORE`.
fn agreed_start(bits: u32, code: &[u8], first: usize) -> Option<usize> {
    let Some(earliest) = first.checked_sub(BEFORE) else { return Some(0) };
    let mut meet: BTreeMap<usize, usize> = BTreeMap::new();
    for start in earliest..earliest + STARTS {
        let bytes = code.get(start..code.len().min(first + 16))?;
        let mut decoder = Decoder::with_ip(bits, bytes, start as u64, DecoderOptions::NONE);
        let mut instruction = Instruction::default();
        let target = (earliest + STARTS + 96) as u64;
        while decoder.can_decode() && decoder.ip() < target {
            decoder.decode_out(&mut instruction);
        }
        *meet.entry(decoder.ip() as usize).or_default() += 1;
    }
    let (start, votes) = meet.into_iter().max_by_key(|&(_, votes)| votes)?;
    (votes > STARTS / 2).then_some(start)
}

/// Properties of the decoded code.
#[derive(Clone, Copy)]
pub struct Processor {
    pub bits: u32,
    /// Whether functions preserve ESI and EDI. In 64-bit code, except on Windows, these are argument registers, so
    /// calls may change them.
    pub restores_esi_edi: bool,
}

/// The values of the registers.
struct State {
    processor: Processor,
    /// The values, indexed by register number. The last four are those of `ah`, `ch`, `dh` and `bh`.
    held: [Value; REGISTERS],
    roots: u32,
    /// The number of functions that have ended.
    function: u32,
}

impl State {
    fn new(processor: Processor) -> Self {
        let mut held: [Value; REGISTERS] =
            core::array::from_fn(|number| Value::Relative(Root::Unknown(number as u32), 0));
        held[4] = Value::Relative(Root::Stack(0), 0);
        held[5] = Value::Relative(Root::Frame, 0);
        State { processor, held, roots: REGISTERS as u32, function: 0 }
    }

    fn index(register: Register) -> Option<usize> {
        use Register::{AH, BH, CH, DH};
        match register {
            AH => Some(16),
            CH => Some(17),
            DH => Some(18),
            BH => Some(19),
            _ if register.is_gpr() => Some(register.full_register().number()),
            _ => None,
        }
    }

    fn get(&self, register: Register) -> Option<Value> {
        State::index(register).map(|index| self.held[index])
    }

    fn set(&mut self, register: Register, value: Value) {
        if let Some(index) = State::index(register) {
            self.held[index] = value;
        }
    }

    fn forget(&mut self, register: Register) {
        self.roots += 1;
        self.set(register, Value::Relative(Root::Unknown(self.roots), 0));
    }

    /// Begins another function, whose stack addresses are unrelated to the previous function's. The first call to this
    /// method keeps constants, because decoding may have begun inside a function, and an earlier branch may skip that
    /// function's return.
    fn begin_function(&mut self) {
        let is_whole = self.function > 0;
        self.function += 1;
        self.forget_stack();
        for register in 0..REGISTERS {
            let is_constant = matches!(self.held[register], Value::Constant(_));
            if ![4, 5].contains(&register) && (is_whole || !is_constant) {
                self.roots += 1;
                self.held[register] = Value::Relative(Root::Unknown(self.roots), 0);
            }
        }
        self.held[5] = Value::Relative(Root::Frame, 0);
    }

    /// Sets the stack pointer to an address unrelated to earlier addresses.
    fn forget_stack(&mut self) {
        self.roots += 1;
        self.held[4] = Value::Relative(Root::Stack(self.roots), 0);
    }

    fn address(&self, instruction: &Instruction) -> Option<(Root, i64)> {
        if instruction.memory_index() != Register::None {
            return None;
        }
        let displacement = match self.processor.bits {
            64 => instruction.memory_displacement64() as i64,
            _ => i64::from(instruction.memory_displacement32() as i32),
        };
        match self.get(instruction.memory_base())? {
            Value::Relative(root, offset) => Some((root, offset.wrapping_add(displacement))),
            Value::Constant(_) => None,
        }
    }

    fn store(&self, instruction: &Instruction) -> Option<Store> {
        if instruction.mnemonic() != Mnemonic::Mov || instruction.op0_kind() != OpKind::Memory {
            return None;
        }
        let (root, offset) = self.address(instruction)?;
        let value = match instruction.op1_kind() {
            OpKind::Register => match self.get(instruction.op1_register()) {
                Some(Value::Constant(value)) => Some(value),
                _ => None,
            },
            _ => Some(instruction.immediate(1)),
        };
        let width = instruction.memory_size().size();
        (1..=8).contains(&width).then_some(Store {
            at: instruction.ip() as usize,
            function: self.function,
            root,
            offset,
            width,
            value,
        })
    }

    /// Simulates an instruction's effect on the registers.
    fn step(&mut self, instruction: &Instruction, info: &mut InstructionInfoFactory) {
        let target = instruction.op0_register();
        let into_register = instruction.op0_kind() == OpKind::Register && State::index(target).is_some();
        let value = match instruction.mnemonic() {
            Mnemonic::Mov if into_register => match instruction.op1_kind() {
                OpKind::Register => self.get(instruction.op1_register()),
                OpKind::Memory => None,
                _ => Some(Value::Constant(instruction.immediate(1))),
            },
            Mnemonic::Lea if into_register => {
                self.address(instruction).map(|(root, offset)| Value::Relative(root, offset))
            }
            Mnemonic::Add | Mnemonic::Sub if into_register && is_immediate(instruction.op1_kind()) => {
                let by = instruction.immediate(1) as i64;
                let by = if instruction.mnemonic() == Mnemonic::Add { by } else { by.wrapping_neg() };
                self.moved(target, by)
            }
            Mnemonic::And if target.full_register().number() == 4 && into_register => {
                self.roots += 1;
                Some(Value::Relative(Root::Stack(self.roots), 0))
            }
            _ => None,
        };
        if let Some(value) = value {
            return self.set(target, value);
        }
        let by = i64::from(instruction.stack_pointer_increment());
        let written = info.info(instruction).used_registers();
        for used in written {
            let writes = matches!(
                used.access(),
                OpAccess::Write | OpAccess::ReadWrite | OpAccess::CondWrite | OpAccess::ReadCondWrite
            );
            let is_stack = State::index(used.register()) == Some(4);
            if writes && !is_stack {
                self.forget(used.register());
            }
        }
        let flow = instruction.flow_control();
        let is_call = matches!(flow, FlowControl::Call | FlowControl::IndirectCall);
        if is_call || flow == FlowControl::Return {
            CALL_CLOBBERED.into_iter().for_each(|register| self.forget(register));
        }
        // The instruction after a return usually belongs to another function.
        if is_call && !self.processor.restores_esi_edi || flow == FlowControl::Return {
            self.forget(Register::ESI);
            self.forget(Register::EDI);
        }
        // A call leaves the stack pointer unchanged, because the called function pops the return address.
        if !is_call
            && by != 0
            && let Some(value) = self.moved(Register::ESP, by)
        {
            self.set(Register::ESP, value);
        }
    }

    fn moved(&self, register: Register, by: i64) -> Option<Value> {
        Some(match self.get(register)? {
            Value::Relative(root, offset) => Value::Relative(root, offset.wrapping_add(by)),
            Value::Constant(value) => Value::Constant(value.wrapping_add(by as u64)),
        })
    }
}

fn is_immediate(kind: OpKind) -> bool {
    !matches!(kind, OpKind::Register | OpKind::Memory)
}
