//! Assigns a position to each procedure's cell, which records the procedure's trampoline (see `lower.rs`). A tuple is the
//! memory in which flang passes a host's variables to its internal procedures.

use crate::llvm::*;
use crate::points_to::{Base, PointsTo};
use crate::sites::{Exits, Site};
use std::collections::HashMap;

/// Size in bytes of the two pointers in a cell.
pub const POINTERS: u64 = 16;

/// Size in bytes of the scratch memory after the pointers, which exists only if the library may use it. flang itself
/// reserves this many bytes for a trampoline.
const SCRATCH: u64 = 32;

/// Returns the distance in bytes between two cells.
pub fn stride(with_scratch: bool) -> u64 {
    POINTERS + if with_scratch { SCRATCH } else { 0 }
}

/// Tuples that must have their cells at the same offsets, and the procedures whose cells follow each tuple.
#[derive(Default)]
pub struct Group {
    pub tuples: Vec<Value>,
    pub callees: Vec<Value>,
    numbers: HashMap<Value, usize>,
    /// Offset in bytes of the first cell from the start of each tuple: the size of the largest tuple, rounded up.
    pub first_cell: u64,
    /// Distance in bytes between two cells.
    pub stride: u64,
}

impl Group {
    fn add_callee(&mut self, callee: Value) {
        let next = self.callees.len();
        if *self.numbers.entry(callee).or_insert(next) == next {
            self.callees.push(callee);
        }
    }
}

/// The location of a site's cell.
#[derive(Clone, Copy)]
pub enum Cell {
    /// In a variable of the site's function.
    Own { tuple: Value, offset: i64 },
    /// At this byte offset from the site's chain.
    AfterTuple { offset: u64 },
    /// The site has no cell, so the library looks up the trampoline.
    None,
}

/// The origin of a site's chain.
#[derive(Clone)]
enum Chain {
    /// A tuple of the site's function, and the byte offset within it that the chain points to.
    Own(Value, i64),
    /// The chain is the address of one of these tuples in other functions.
    Others(Vec<Value>),
    Unknown,
}

/// Assigns a cell to each site, and returns the groups of tuples that need cells.
pub fn assign(pointers: &PointsTo, sites: &[Site], stride: u64) -> (Vec<Cell>, Vec<Group>) {
    let mut exits = Exits::default();
    let mut known: HashMap<Value, Chain> = HashMap::new();
    let mut chains = Vec::new();
    for site in sites {
        let chain = known.entry(site.chain).or_insert_with(|| chain(pointers, &mut exits, site));
        chains.push(chain.clone());
    }
    let mut groups = Groups::default();
    for (site, chain) in sites.iter().zip(&chains) {
        if let Chain::Others(tuples) = chain {
            groups.add(tuples, site.callee);
        }
    }
    for group in &mut groups.groups {
        let sizes = group.tuples.iter().map(|tuple| pointers.steps.size(tuple.allocated_type()));
        group.stride = stride;
        group.first_cell = sizes.max().unwrap_or(0).next_multiple_of(8);
    }
    let cells = sites.iter().zip(chains).map(|(site, chain)| match chain {
        Chain::Own(tuple, 0) => groups.after(tuple, site.callee).unwrap_or(Cell::Own { tuple, offset: 0 }),
        Chain::Own(tuple, offset) => Cell::Own { tuple, offset },
        Chain::Others(tuples) => groups.after(tuples[0], site.callee).unwrap_or(Cell::None),
        Chain::Unknown => Cell::None,
    });
    (cells.collect(), groups.groups)
}

fn chain(pointers: &PointsTo, exits: &mut Exits, site: &Site) -> Chain {
    match pointers.steps.own_variable(site.chain).filter(|(tuple, _)| has_one_instance(pointers, *tuple)) {
        Some((tuple, offset)) => Chain::Own(tuple, offset),
        None => others_tuples(pointers, exits, site).map_or(Chain::Unknown, Chain::Others),
    }
}

/// Returns whether a variable can be enlarged and exists exactly once per invocation of its function.
fn has_one_instance(pointers: &PointsTo, variable: Value) -> bool {
    variable.is_plain_alloca()
        && variable.block() == variable.function().entry_block()
        && variable.operand(0).as_integer() == Some(1)
        && pointers.steps.fixed_size(variable.allocated_type()).is_some()
}

/// Returns other functions' tuples whose address may be a site's chain.
fn others_tuples(pointers: &PointsTo, exits: &mut Exits, site: &Site) -> Option<Vec<Value>> {
    let mut tuple = |(base, offset)| match base {
        Base::Frame(tuple)
            if offset == 0
                && has_one_instance(pointers, tuple)
                && exits.why_none(tuple.function()).is_none() =>
        {
            Some(tuple)
        }
        _ => None,
    };
    let tuples: Option<Vec<_>> = pointers.locations(site.chain)?.into_iter().map(&mut tuple).collect();
    tuples.filter(|tuples| !tuples.is_empty())
}

/// The groups of tuples, and the index of each tuple's group.
#[derive(Default)]
struct Groups {
    groups: Vec<Group>,
    of_tuple: HashMap<Value, usize>,
}

impl Groups {
    fn add(&mut self, tuples: &[Value], callee: Value) {
        let there: Vec<usize> = tuples.iter().filter_map(|tuple| self.of_tuple.get(tuple).copied()).collect();
        // Smaller groups are merged into the largest group, so that few tuples change groups.
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

    fn after(&self, tuple: Value, callee: Value) -> Option<Cell> {
        let group = &self.groups[*self.of_tuple.get(&tuple)?];
        let number = *group.numbers.get(&callee)?;
        Some(Cell::AfterTuple { offset: group.first_cell + number as u64 * group.stride })
    }
}
