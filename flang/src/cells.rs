//! Where the cell of each procedure lies.

use crate::llvm::*;
use crate::memory::{Base, Memory};
use crate::sites::{Exits, Site};
use std::collections::HashMap;

/// Bytes of a cell: two pointers.
pub const CELL: u64 = 16;

/// Tuples that one chain may be, and the procedures whose cells lie behind each of them.
#[derive(Default)]
pub struct Group {
    pub tuples: Vec<Value>,
    pub callees: Vec<Value>,
    numbers: HashMap<Value, usize>,
    /// Bytes from the start of each tuple to its cells: behind the largest.
    pub first_cell: u64,
}

impl Group {
    fn add_callee(&mut self, callee: Value) {
        let next = self.callees.len();
        if *self.numbers.entry(callee).or_insert(next) == next {
            self.callees.push(callee);
        }
    }
}

/// Where the cell of a site is.
#[derive(Clone, Copy)]
pub enum Cell {
    /// A variable of its function.
    Own { tuple: Value, offset: i64 },
    /// Bytes behind its chain.
    BehindTuple { offset: u64 },
    /// Nowhere: the library finds the trampoline.
    None,
}

/// What a site's chain is.
#[derive(Clone)]
enum Chain {
    /// The tuple of its own function, or bytes behind its start.
    Own(Value, i64),
    /// The tuples of other functions, each at its start.
    Others(Vec<Value>),
    Unknown,
}

/// The cell of each site, and the tuples that are to have cells behind them.
pub fn assign(memory: &Memory, sites: &[Site]) -> (Vec<Cell>, Vec<Group>) {
    let mut exits = Exits::default();
    let mut known: HashMap<Value, Chain> = HashMap::new();
    let mut chains = Vec::new();
    for site in sites {
        let chain = known.entry(site.chain).or_insert_with(|| chain(memory, &mut exits, site));
        chains.push(chain.clone());
    }
    let mut groups = Groups::default();
    for (site, chain) in sites.iter().zip(&chains) {
        if let Chain::Others(tuples) = chain {
            groups.add(tuples, site.callee);
        }
    }
    for group in &mut groups.groups {
        let sizes = group.tuples.iter().map(|tuple| memory.size(LLVMGetAllocatedType(*tuple)));
        group.first_cell = sizes.max().unwrap_or(0).next_multiple_of(8);
    }
    let cells = sites.iter().zip(chains).map(|(site, chain)| match chain {
        Chain::Own(tuple, 0) => groups.behind(tuple, site.callee).unwrap_or(Cell::Own { tuple, offset: 0 }),
        Chain::Own(tuple, offset) => Cell::Own { tuple, offset },
        Chain::Others(tuples) => groups.behind(tuples[0], site.callee).unwrap_or(Cell::None),
        Chain::Unknown => Cell::None,
    });
    (cells.collect(), groups.groups)
}

fn chain(memory: &Memory, exits: &mut Exits, site: &Site) -> Chain {
    match memory.own_variable(site.chain).filter(|(tuple, _)| has_one_instance(memory, *tuple)) {
        Some((tuple, offset)) => Chain::Own(tuple, offset),
        None => others_tuples(memory, exits, site).map_or(Chain::Unknown, Chain::Others),
    }
}

/// Whether a variable is there once in each invocation of its function, and can be made larger.
fn has_one_instance(memory: &Memory, variable: Value) -> bool {
    variable.is_plain_alloca()
        && LLVMGetInstructionParent(variable) == LLVMGetEntryBasicBlock(variable.function())
        && variable.operand(0).as_integer() == Some(1)
        && memory.fixed_size(LLVMGetAllocatedType(variable)).is_some()
}

/// The tuples of other functions that a site's chain may be, each at its start.
fn others_tuples(memory: &Memory, exits: &mut Exits, site: &Site) -> Option<Vec<Value>> {
    let mut tuple = |(base, offset)| match base {
        Base::Frame(tuple)
            if offset == 0
                && has_one_instance(memory, tuple)
                && exits.why_none(tuple.function()).is_none() =>
        {
            Some(tuple)
        }
        _ => None,
    };
    let tuples: Option<Vec<_>> = memory.places(site.chain)?.into_iter().map(&mut tuple).collect();
    tuples.filter(|tuples| !tuples.is_empty())
}

/// Whatever shares a tuple has its cells at the same offsets, and so is one group.
#[derive(Default)]
struct Groups {
    groups: Vec<Group>,
    of_tuple: HashMap<Value, usize>,
}

impl Groups {
    fn add(&mut self, tuples: &[Value], callee: Value) {
        let there: Vec<usize> = tuples.iter().filter_map(|tuple| self.of_tuple.get(tuple).copied()).collect();
        // The smaller are added to the largest, so that each tuple moves a few times at most.
        let largest = there.iter().copied().max_by_key(|group| self.groups[*group].tuples.len());
        let into = largest.unwrap_or_else(|| {
            self.groups.push(Group::default());
            self.groups.len() - 1
        });
        for other in there {
            if other != into {
                let other = std::mem::take(&mut self.groups[other]);
                other.callees.into_iter().for_each(|callee| self.groups[into].add_callee(callee));
                other.tuples.into_iter().for_each(|tuple| self.add_tuple(into, tuple));
            }
        }
        tuples.iter().for_each(|tuple| self.add_tuple(into, *tuple));
        self.groups[into].add_callee(callee);
    }

    fn add_tuple(&mut self, group: usize, tuple: Value) {
        if self.of_tuple.insert(tuple, group) != Some(group) {
            self.groups[group].tuples.push(tuple);
        }
    }

    fn behind(&self, tuple: Value, callee: Value) -> Option<Cell> {
        let group = &self.groups[*self.of_tuple.get(&tuple)?];
        let number = *group.numbers.get(&callee)?;
        Some(Cell::BehindTuple { offset: group.first_cell + number as u64 * CELL })
    }
}
