//! Rewrites a module: replaces trampolines on the stack with trampolines from the library. A trampoline is usually made
//! when its address is first needed, and freed when the host exits. Each invocation of the host has at most one
//! trampoline per internal procedure.
//!
//! In the meantime, a cell ({handle, address}, see `helpers.ll`) in the host's frame records the trampoline. The cell's
//! position depends on which code needs the address (see [`crate::cells`]):
//!
//! - If only the host needs the address, the cell is a separate variable, which the optimizer can keep in registers.
//! - If OpenMP regions or siblings of the procedure also need the address, the cell follows the host's tuple. All of
//!   them receive that tuple as their chain, so the cell is at the same offset for all of them.
//! - If code that needs the address receives its chain from outside this module, there is no cell: the library provides
//!   one trampoline, never freed, for each {callee, chain} pair.

use crate::attributes;
use crate::calls::{ADJUST, INIT, called};
use crate::cells::{self, Cell, Group, POINTERS};
use crate::llvm::{opcode::*, *};
use crate::names::{self, Library};
use crate::points_to::PointsTo;
use crate::sites::{Adjust, Scan, Site};
use std::collections::{HashMap, HashSet};

/// Rewrites all supported sites (see `sites.rs`). Returns true if anything changed. If `scratch` is true, trampolines
/// for which the library has no slot may use memory in the host's frame.
pub fn rewrite(pointers: &PointsTo, Scan { sites, adjusts, .. }: &Scan, scratch: bool) -> bool {
    let module = pointers.steps.module();
    if sites.is_empty() && adjusts.is_empty() {
        return remove_unused(module);
    }
    let (cells, groups) = cells::assign(pointers, sites, cells::stride(scratch));
    // All analysis is done before the module changes.
    let chains: HashSet<Value> = sites.iter().map(|site| site.chain).collect();
    let parameters = pointers.parameters_passed(chains.into_iter().collect());
    let mut rewriter = Rewriter::new(pointers, sites, adjusts, scratch);
    for (site, cell) in sites.iter().zip(cells) {
        rewriter.init(site, cell);
    }
    for adjust in adjusts {
        rewriter.adjust(adjust);
    }
    for group in &groups {
        group.tuples.iter().for_each(|tuple| rewriter.extend_tuple(*tuple, group));
    }
    attributes::permit(&pointers.steps, rewriter.changed(), &rewriter.addresses, &parameters);
    rewriter.library.remove_unused();
    names::link_helpers(module);
    remove_unused(module);
    true
}

/// Removes unused declarations of the intrinsics, which would make the module's object file request an executable stack.
fn remove_unused(module: Module) -> bool {
    let unused = [INIT, ADJUST].into_iter().filter_map(|name| module.function(name));
    unused.filter(|intrinsic| LLVMGetFirstUse(*intrinsic).is_none()).map(|it| it.delete_function()).count()
        > 0
}

struct Rewriter<'a> {
    pointers: &'a PointsTo,
    context: Context,
    builder: Builder,
    library: Library,
    /// Whether scratch memory follows each cell.
    scratch: bool,
    /// Maps each `llvm.adjust.trampoline` call to the `llvm.init.trampoline` call that made its trampoline earlier in
    /// the same block.
    follows: HashMap<Value, Value>,
    /// The alias classes (see `Site::class`) whose trampoline address must be kept across blocks.
    kept: HashSet<usize>,
    /// Maps each replaced `llvm.init.trampoline` call to the new trampoline's address.
    made: HashMap<Value, Value>,
    /// The cells that only the host needs, indexed by the tuple, the offset in the tuple, and the procedure.
    own: HashMap<(Value, i64, Value), Value>,
    exits: HashMap<Value, Vec<Value>>,
    changed: HashSet<Value>,
    /// The addresses that the rewritten code calls.
    addresses: Vec<Value>,
}

impl<'a> Rewriter<'a> {
    fn new(pointers: &'a PointsTo, sites: &[Site], adjusts: &[Adjust], scratch: bool) -> Self {
        let context = LLVMGetModuleContext(pointers.steps.module());
        let follows = follows(pointers, sites, adjusts);
        let kept = adjusts.iter().filter(|it| !follows.contains_key(&it.adjust)).map(|it| it.class).collect();
        Rewriter {
            pointers,
            context,
            builder: Builder::new(context),
            library: Library::declare(pointers.steps.module()),
            scratch,
            follows,
            kept,
            made: HashMap::new(),
            own: HashMap::new(),
            exits: HashMap::new(),
            changed: HashSet::new(),
            addresses: Vec::new(),
        }
    }

    /// Returns the functions into which code was inserted.
    fn changed(&self) -> Vec<Value> {
        self.changed.iter().copied().collect()
    }

    fn init(&mut self, site: &Site, cell: Cell) {
        let Site { init, callee, chain, .. } = *site;
        let address = match cell {
            Cell::Own { tuple, offset } => {
                let cell = self.own_cell(site, tuple, offset);
                let scratch = self.scratch_of(cell, init);
                self.library.take.call(self.builder.before(init), &[cell, callee, chain, scratch])
            }
            Cell::AfterTuple { offset } => {
                let cell = self.builder.before(init).further(self.context, chain, offset);
                let scratch = self.scratch_of(cell, init);
                self.library.take_shared.call(&self.builder, &[cell, callee, chain, scratch])
            }
            Cell::None => self.library.share.call(self.builder.before(init), &[callee, chain]),
        };
        if self.kept.contains(&site.class) {
            let store = self.builder.store(address, site.memory);
            store.set_alignment(alignment(site.memory));
        }
        self.made.insert(init, address);
        self.addresses.push(address);
        init.erase();
        self.changed.insert(site.function);
    }

    /// Returns the address of the scratch memory after a cell, computed before the given instruction, or null if there
    /// is none.
    fn scratch_of(&self, cell: Value, before: Value) -> Value {
        if self.scratch {
            self.builder.before(before).further(self.context, cell, POINTERS)
        } else {
            self.context.null()
        }
    }

    fn adjust(&mut self, Adjust { adjust, memory, .. }: &Adjust) {
        let made = self.follows.get(adjust).and_then(|init| self.made.get(init)).copied();
        let address = made.unwrap_or_else(|| {
            let address = self.builder.before(*adjust).load(self.context.pointer(), *memory);
            address.set_alignment(alignment(*memory));
            self.addresses.push(address);
            address
        });
        adjust.replace_with(address);
        adjust.erase();
    }

    /// Returns the cell of a procedure whose address only its host needs. The cell is cleared at the function's entry,
    /// and the trampoline in it is freed at each exit.
    fn own_cell(&mut self, site: &Site, tuple: Value, offset: i64) -> Value {
        let key = (tuple, offset, site.callee);
        if let Some(cell) = self.own.get(&key) {
            return *cell;
        }
        let entry = site.function.entry_block();
        let first = LLVMGetFirstInstruction(entry).expect("every block has a terminator");
        let cell = self
            .builder
            .at_entry(first)
            .alloca(array_type(self.context.pointer(), cells::stride(self.scratch) / 8), "statictramp.cell");
        cell.set_alignment(8);
        self.empty(cell, 0);
        self.end_at_exits(site.function, cell, &[0]);
        self.own.insert(key, cell);
        cell
    }

    /// Clears both words of the cell at an offset from an address.
    fn empty(&self, base: Value, offset: u64) {
        for word in [offset, offset + 8] {
            let address = self.builder.further(self.context, base, word);
            self.builder.store(self.context.null(), address).set_alignment(8);
        }
    }

    /// Inserts, before each exit of a function, code that frees the trampolines in the cells at the given offsets from
    /// an address.
    fn end_at_exits(&mut self, function: Value, base: Value, offsets: &[u64]) {
        let exits = self.exits.entry(function).or_insert_with(|| exits(function));
        for exit in exits.iter() {
            for offset in offsets {
                let cell = self.builder.before(*exit).further(self.context, base, *offset);
                self.library.end.call(&self.builder, &[cell]);
            }
        }
    }

    /// Adds cells to a tuple. Inserts code that clears the cells at the host's entry and frees their trampolines at
    /// each exit.
    fn extend_tuple(&mut self, tuple: Value, group: &Group) {
        let ty = tuple.allocated_type();
        let cells = group.callees.len() as u64;
        let byte = LLVMInt8TypeInContext(self.context);
        let pad = array_type(byte, group.first_cell - self.pointers.steps.size(ty));
        let words = array_type(self.context.pointer(), group.stride / 8 * cells);
        let extended = self.builder.at_entry(tuple).alloca(self.context.packed_struct(&[ty, pad, words]), "");
        extended.set_alignment(tuple.alignment().max(8));
        let offsets: Vec<u64> = (0..cells).map(|number| group.first_cell + number * group.stride).collect();
        offsets.iter().for_each(|offset| self.empty(extended, *offset));
        self.end_at_exits(tuple.function(), extended, &offsets);
        self.changed.insert(tuple.function());
        remove_lifetime(self.pointers, tuple);
        let name = tuple.name();
        tuple.replace_with(extended);
        tuple.erase();
        extended.set_name(&name);
    }
}

/// Removes the tuple's lifetime markers, because its cells live as long as the function's invocation.
fn remove_lifetime(pointers: &PointsTo, tuple: Value) {
    let mut reached = HashSet::from([tuple]);
    let mut todo = vec![tuple];
    while let Some(pointer) = todo.pop() {
        for user in pointer.users() {
            pointers.steps.visit();
            match user.opcode() {
                Some(BIT_CAST | GET_ELEMENT_PTR) if reached.insert(user) => todo.push(user),
                _ if called(user).is_some_and(|name| name.starts_with("llvm.lifetime.")) => user.erase(),
                _ => {}
            }
        }
    }
}

/// Finds the `llvm.adjust.trampoline` calls whose result is already available, because the same block has made the
/// trampoline and no later code can have replaced it. Maps each to the `llvm.init.trampoline` call that made the
/// trampoline.
fn follows(pointers: &PointsTo, sites: &[Site], adjusts: &[Adjust]) -> HashMap<Value, Value> {
    let mut follows = HashMap::new();
    let inits: HashSet<Value> = sites.iter().map(|site| site.init).collect();
    let asks: HashSet<Value> = adjusts.iter().map(|adjust| adjust.adjust).collect();
    // If an OpenMP region also receives the memory, each call to the region may make another trampoline there.
    let given: HashSet<usize> = (sites.iter().map(|site| (site.memory, site.class)))
        .chain(adjusts.iter().map(|adjust| (adjust.memory, adjust.class)))
        .filter(|(memory, _)| memory.opcode() != Some(ALLOCA))
        .map(|(_, class)| class)
        .collect();
    let given: HashSet<Value> =
        sites.iter().filter(|site| given.contains(&site.class)).map(|site| site.memory).collect();
    let blocks: HashSet<Block> = adjusts.iter().map(|it| it.adjust.block()).collect();
    for block in blocks {
        let mut last: HashMap<Value, Value> = HashMap::new();
        let all = std::iter::successors(LLVMGetFirstInstruction(block), |at| at.next());
        for at in all {
            pointers.steps.visit();
            if inits.contains(&at) {
                // A pointer that is not an `alloca` may point to any of the memory in `last`.
                if at.operand(0).opcode() != Some(ALLOCA) {
                    last.clear();
                } else {
                    last.retain(|memory, _| memory.opcode() == Some(ALLOCA));
                }
                last.insert(at.operand(0), at);
            } else if asks.contains(&at) {
                follows.extend(last.get(&at.operand(0)).map(|init| (at, *init)));
            } else if at.is_call() && !at.called_function().is_some_and(Value::is_intrinsic) {
                last.retain(|memory, _| !given.contains(memory));
            }
        }
    }
    follows
}

/// Returns the known alignment of a trampoline's memory.
fn alignment(memory: Value) -> u32 {
    if memory.opcode() == Some(ALLOCA) { memory.alignment() } else { 1 }
}

/// Returns the instructions before which a function's frame ends: its returns, and the points at which an exception
/// propagates to its caller.
fn exits(function: Value) -> Vec<Value> {
    let terminators = function.blocks().filter_map(|it| LLVMGetBasicBlockTerminator(it));
    let exits = terminators.filter(|end| matches!(end.opcode(), Some(RET | RESUME)));
    exits
        .map(|exit| {
            // A return may follow a `musttail` call, with at most a cast in between, or an
            // `llvm.experimental.deoptimize` call. No code may be inserted between such a call and the return.
            let before = std::iter::successors(Some(exit), |at| at.previous()).take(3);
            let ends = |at: &Value| {
                at.is_must_tail()
                    || called(*at).is_some_and(|name| name.starts_with("llvm.experimental.deoptimize"))
            };
            before.into_iter().find(ends).unwrap_or(exit)
        })
        .collect()
}
