//! Rewrites a module: each trampoline becomes one of the library's, made where its address is first needed, at most
//! once for an internal procedure in an invocation of its host, and freed at each exit of the host.
//!
//! What is remembered between is a cell ({handle, address}, see `helpers.ll`) in the host's frame. Where it lies
//! depends on who needs the address:
//!
//! - only the host: a variable of its own, which the optimizer makes registers of;
//! - siblings of the procedure and OpenMP regions too, which have the host's tuple as their chain: behind that tuple,
//!   at an offset that all of them know;
//! - code whose chain comes from where this module does not show: there is no cell. The library gives it one
//!   trampoline for each {callee, chain}, which is never freed by the code.

use crate::llvm::{opcode::*, *};
use crate::memory::{ADJUST, Base, INIT, Memory, called, chain_parameter};
use crate::sites::{Adjust, Found, Site, why_no_exits};
use std::collections::HashMap;

/// Bytes of a cell: two pointers.
const CELL: u64 = 16;

/// Tuples that one chain may be, and the procedures whose cells lie behind each of them.
struct Group {
    tuples: Vec<Value>,
    callees: Vec<Value>,
}

/// Where the cell of a site is.
enum Cell {
    Own { tuple: Value, offset: i64 },
    BehindTuple { group: usize, number: usize },
    None,
}

/// What a site's chain is.
enum Chain {
    /// The tuple of its own function, or bytes behind its start.
    Own(Value, i64),
    /// The tuples of other functions, each at its start.
    Others(Vec<Value>),
    Unknown,
}

/// Rewrites what is understood. True if anything changed.
pub fn rewrite(module: Module, Found { sites, adjusts, .. }: &Found) -> bool {
    if sites.is_empty() && adjusts.is_empty() {
        return remove_unused(module);
    }
    let memory = Memory::new(module);
    let chains: Vec<Chain> = sites.iter().map(|site| chain(&memory, site)).collect();
    let groups = groups(sites, &chains);
    let cells: Vec<Cell> =
        sites.iter().zip(chains).map(|(site, chain)| cell(&groups, site.callee, chain)).collect();
    let mut rewriter = Rewriter::new(memory, groups);
    for (site, cell) in sites.iter().zip(cells) {
        rewriter.init(site, cell);
    }
    for Adjust { adjust, memory } in adjusts {
        rewriter.adjust(*adjust, *memory);
    }
    rewriter.extend_tuples();
    rewriter.callees.remove_unused();
    module.link(HELPERS);
    remove_unused(module);
    true
}

const HELPERS: &str = include_str!("helpers.ll");

/// As long as the intrinsic is declared and used, the object asks for an executable stack.
fn remove_unused(module: Module) -> bool {
    let unused = [INIT, ADJUST].into_iter().filter_map(|name| module.function(name));
    unused.filter(|intrinsic| LLVMGetFirstUse(*intrinsic).is_none()).map(|it| LLVMDeleteFunction(it)).count()
        > 0
}

fn chain(memory: &Memory, site: &Site) -> Chain {
    match memory.own_variable(site.chain).filter(|(tuple, _)| has_one_instance(*tuple)) {
        Some((tuple, offset)) => Chain::Own(tuple, offset),
        None => others_tuples(memory, site).map_or(Chain::Unknown, Chain::Others),
    }
}

/// Whether a variable is there once in each invocation of its function, whose size is known.
fn has_one_instance(variable: Value) -> bool {
    LLVMGetInstructionParent(variable) == LLVMGetEntryBasicBlock(variable.function())
        && variable.operand(0).as_integer() == Some(1)
}

/// The tuples of other functions that a site's chain may be, each at its start.
fn others_tuples(memory: &Memory, site: &Site) -> Option<Vec<Value>> {
    let tuple = |(base, offset)| match base {
        Base::Frame(tuple) if offset == 0 && has_one_instance(tuple) => Some(tuple),
        _ => None,
    };
    let tuples: Option<Vec<_>> = memory.places(site.chain)?.into_iter().map(tuple).collect();
    tuples.filter(|tuples| {
        !tuples.is_empty() && tuples.iter().all(|tuple| why_no_exits(tuple.function()).is_none())
    })
}

fn groups(sites: &[Site], chains: &[Chain]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for (site, chain) in sites.iter().zip(chains) {
        let Chain::Others(tuples) = chain else { continue };
        let tuples = tuples.clone();
        let mut group = Group { tuples, callees: vec![site.callee] };
        // Whatever shares a tuple with this has its cells at the same offsets, and so is one group with it.
        let tuples = group.tuples.clone();
        for other in groups.extract_if(.., |other| other.tuples.iter().any(|tuple| tuples.contains(tuple))) {
            add_missing(&mut group.tuples, other.tuples);
            add_missing(&mut group.callees, other.callees);
        }
        groups.push(group);
    }
    groups
}

fn add_missing(to: &mut Vec<Value>, from: Vec<Value>) {
    for value in from {
        if !to.contains(&value) {
            to.push(value);
        }
    }
}

fn cell(groups: &[Group], callee: Value, chain: Chain) -> Cell {
    let behind = |tuple: Value| {
        groups.iter().enumerate().find_map(|(group, candidate)| {
            let number = candidate.callees.iter().position(|member| *member == callee)?;
            candidate.tuples.contains(&tuple).then_some(Cell::BehindTuple { group, number })
        })
    };
    match chain {
        Chain::Own(tuple, offset) => {
            let shared = if offset == 0 { behind(tuple) } else { None };
            shared.unwrap_or(Cell::Own { tuple, offset })
        }
        Chain::Others(tuples) => behind(tuples[0]).unwrap_or(Cell::None),
        Chain::Unknown => Cell::None,
    }
}

/// The library's functions and the helpers, as they are declared in the module.
struct Callees {
    take: Value,
    take_shared: Value,
    end: Value,
    share: Value,
}

impl Callees {
    fn declare(module: Module) -> Self {
        let context = LLVMGetModuleContext(module);
        let pointer = context.pointer();
        let declare = |name: &str, result, parameters: &[Type]| {
            module
                .function(name)
                .unwrap_or_else(|| module.add_function(name, function_type(result, parameters)))
        };
        let void = LLVMVoidTypeInContext(context);
        Callees {
            take: declare("statictramp.take", pointer, &[pointer; 3]),
            take_shared: declare("statictramp.take.shared", pointer, &[pointer; 3]),
            end: declare("statictramp.end", void, &[pointer]),
            share: declare("statictramp_share", pointer, &[pointer; 2]),
        }
    }

    /// What no call has come to name.
    fn remove_unused(&self) {
        for function in [self.take, self.take_shared, self.end, self.share] {
            if LLVMGetFirstUse(function).is_none() {
                LLVMDeleteFunction(function);
            }
        }
    }
}

struct Rewriter {
    memory: Memory,
    context: Context,
    builder: Builder,
    callees: Callees,
    groups: Vec<Group>,
    /// The cells of hosts that alone need them, by tuple, offset in it and procedure.
    own: HashMap<(Value, i64, Value), Value>,
}

impl Rewriter {
    fn new(memory: Memory, groups: Vec<Group>) -> Self {
        let context = LLVMGetModuleContext(memory.module());
        let callees = Callees::declare(memory.module());
        Rewriter { memory, context, builder: Builder::new(context), callees, groups, own: HashMap::new() }
    }

    fn init(&mut self, site: &Site, cell: Cell) {
        let arguments = |cell| [cell, site.callee, site.chain];
        let address = match cell {
            Cell::Own { tuple, offset } => {
                let cell = self.own_cell(site, tuple, offset);
                self.builder.before(site.init).call(self.callees.take, &arguments(cell))
            }
            Cell::BehindTuple { group, number } => {
                let offset = self.first_cell(&self.groups[group]) + number as u64 * CELL;
                let cell = self.builder.before(site.init).further(self.context, site.chain, offset);
                self.builder.call(self.callees.take_shared, &arguments(cell))
            }
            Cell::None => self.builder.before(site.init).call(self.callees.share, &[site.callee, site.chain]),
        };
        let store = self.builder.store(address, site.memory);
        LLVMSetAlignment(store, alignment(site.memory));
        LLVMInstructionEraseFromParent(site.init);
        permit_effects(site.function);
    }

    fn adjust(&self, adjust: Value, memory: Value) {
        let address = self.builder.before(adjust).load(self.context.pointer(), memory);
        LLVMSetAlignment(address, alignment(memory));
        LLVMReplaceAllUsesWith(adjust, address);
        LLVMInstructionEraseFromParent(adjust);
    }

    /// The cell of a procedure whose address its host alone needs: made empty at the entry, ended at each exit.
    fn own_cell(&mut self, site: &Site, tuple: Value, offset: i64) -> Value {
        let key = (tuple, offset, site.callee);
        if let Some(cell) = self.own.get(&key) {
            return *cell;
        }
        let entry = LLVMGetEntryBasicBlock(site.function);
        let first = LLVMGetFirstInstruction(entry).expect("a block ends in an instruction");
        let cell = self
            .builder
            .at_entry(first)
            .alloca(LLVMArrayType2(self.context.pointer(), 2), "statictramp.cell");
        LLVMSetAlignment(cell, 8);
        self.empty(cell, 0);
        for exit in exits(site.function) {
            self.builder.before(exit).call(self.callees.end, &[cell]);
        }
        self.own.insert(key, cell);
        cell
    }

    /// Stores null in both words of a cell, some bytes behind an address.
    fn empty(&self, base: Value, offset: u64) {
        for word in [offset, offset + 8] {
            let place = self.builder.further(self.context, base, word);
            LLVMSetAlignment(self.builder.store(LLVMConstNull(self.context.pointer()), place), 8);
        }
    }

    /// Bytes from the start of a group's tuples to their cells: behind the largest.
    fn first_cell(&self, group: &Group) -> u64 {
        let sizes = group.tuples.iter().map(|tuple| self.memory.size(LLVMGetAllocatedType(*tuple)));
        sizes.max().unwrap_or(0).next_multiple_of(8)
    }

    /// Gives each tuple of a group its cells, empties them, and ends them at each exit of their host.
    fn extend_tuples(&self) {
        for group in &self.groups {
            let first = self.first_cell(group);
            for tuple in &group.tuples {
                self.extend_tuple(*tuple, first, group.callees.len() as u64);
            }
        }
        if !self.groups.is_empty() {
            self.memory.module().functions().for_each(permit_writes_behind_tuple);
        }
    }

    fn extend_tuple(&self, tuple: Value, first: u64, cells: u64) {
        let ty = LLVMGetAllocatedType(tuple);
        let pad = LLVMArrayType2(LLVMInt8TypeInContext(self.context), first - self.memory.size(ty));
        let words = LLVMArrayType2(self.context.pointer(), 2 * cells);
        let builder = self.builder.at_entry(tuple);
        let extended = builder.alloca(self.context.packed_struct(&[ty, pad, words]), "");
        LLVMSetAlignment(extended, LLVMGetAlignment(tuple).max(8));
        let offsets = || (0..cells).map(|number| first + number * CELL);
        offsets().for_each(|offset| self.empty(extended, offset));
        for exit in exits(tuple.function()) {
            for offset in offsets() {
                let cell = self.builder.before(exit).further(self.context, extended, offset);
                self.builder.call(self.callees.end, &[cell]);
            }
        }
        // The cells live as long as the function.
        for user in tuple.users() {
            if called(user).is_some_and(|name| name.starts_with("llvm.lifetime.")) {
                LLVMInstructionEraseFromParent(user);
            }
        }
        let name = tuple.name();
        permit_effects(tuple.function());
        LLVMReplaceAllUsesWith(tuple, extended);
        LLVMInstructionEraseFromParent(tuple);
        extended.set_name(&name);
    }
}

/// The alignment that is known of a trampoline's memory.
fn alignment(memory: Value) -> u32 {
    if memory.opcode() == Some(ALLOCA) { LLVMGetAlignment(memory) } else { 1 }
}

/// The instructions before which a function's frame ends: its returns, and where an exception goes on to its caller.
fn exits(function: Value) -> Vec<Value> {
    let terminators = function.blocks().filter_map(|it| LLVMGetBasicBlockTerminator(it));
    let exits = terminators.filter(|end| matches!(end.opcode(), Some(RET | RESUME)));
    exits
        .map(|exit| {
            // Between a tail call that must be one and its return there may be a cast alone.
            let before = std::iter::successors(Some(exit), |at| LLVMGetPreviousInstruction(*at)).take(3);
            before.into_iter().find(|at| at.is_must_tail()).unwrap_or(exit)
        })
        .collect()
}

/// An optimizer may have noted that a function does not synchronize, write or free. The library's functions do, so
/// neither it nor its callers may say so.
fn permit_effects(function: Value) {
    const EFFECTS: [&str; 6] = ["memory", "nosync", "nofree", "willreturn", "norecurse", "speculatable"];
    let mut reached = vec![function];
    let mut next = 0;
    while let Some(function) = reached.get(next).copied() {
        next += 1;
        EFFECTS.iter().for_each(|effect| function.remove_attribute(FUNCTION_ATTRIBUTES, effect));
        for user in function.users() {
            if user.is_call() && LLVMGetCalledValue(user) == function {
                EFFECTS.iter().for_each(|effect| user.remove_attribute(FUNCTION_ATTRIBUTES, effect));
            }
            if LLVMIsAInstruction(user).is_some() && !reached.contains(&user.function()) {
                reached.push(user.function());
            }
        }
    }
}

/// Siblings write the cells behind the tuple that they are given, and others read them meanwhile.
fn permit_writes_behind_tuple(function: Value) {
    const LIMITS: [&str; 6] = ["noalias", "readonly", "readnone", "writeonly", "nocapture", "captures"];
    if let Some(number) = chain_parameter(function) {
        let calls = function
            .users()
            .into_iter()
            .filter(|user| user.is_call() && LLVMGetCalledValue(*user) == function);
        for of in std::iter::once(function).chain(calls) {
            LIMITS.iter().for_each(|limit| of.remove_attribute(number + 1, limit));
        }
    }
}
