//! Points-to graph of the whole module. Each value is visited only once, even if several queries need it, and a value
//! with more than `MOST_LOCATIONS` locations is treated as unknown. The work is therefore linear in the number of
//! values queried, and the analysis terminates even if values form a cycle.

use super::reach::Reaches;
use super::steps::{Actual, Base, Location};
use crate::calls::{TASK_ALLOC, is_byval, runtime};
use crate::llvm::{opcode::*, *};
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

/// Maximum number of locations for one value. A trampoline's chain needs fewer: one for each copy of its host that an
/// optimizer has made.
const MOST_LOCATIONS: usize = 64;

/// The results so far.
#[derive(Default)]
pub struct Graph {
    nodes: HashMap<Value, Node>,
    todo: Vec<Work>,
}

#[derive(Default)]
struct Node {
    locations: Vec<Location>,
    is_unknown: bool,
    onward: Vec<Onward>,
    /// The values from which this value is derived.
    from: Vec<Value>,
}

/// A use of a pointer.
#[derive(Clone, Copy)]
enum Onward {
    /// This value is the pointer plus this offset in bytes.
    Step(Value, i64),
    /// This value is loaded through the pointer.
    Load(Value),
}

enum Work {
    New(Value),
    Location(Value, Location),
    Unknown(Value),
}

impl Graph {
    pub fn locations(&mut self, reaches: &Reaches, pointer: Value) -> Option<Vec<Location>> {
        self.ensure(pointer);
        self.run(reaches);
        let node = &self.nodes[&pointer];
        (!node.is_unknown).then(|| node.locations.clone())
    }

    /// Returns the parameters from which `pointers` are derived.
    pub fn parameters(&mut self, reaches: &Reaches, pointers: Vec<Value>) -> Vec<(Value, u32)> {
        pointers.iter().for_each(|pointer| self.ensure(*pointer));
        self.run(reaches);
        let mut parameters = Vec::new();
        let mut reached: HashSet<Value> = pointers.iter().copied().collect();
        let mut todo = pointers;
        while let Some(value) = todo.pop() {
            reaches.steps.visit();
            parameters.extend(value.as_parameter());
            todo.extend(self.nodes[&value].from.iter().copied().filter(|from| reached.insert(*from)));
        }
        parameters
    }

    fn ensure(&mut self, value: Value) {
        if let Entry::Vacant(location) = self.nodes.entry(value) {
            location.insert(Node::default());
            self.todo.push(Work::New(value));
        }
    }

    fn run(&mut self, reaches: &Reaches) {
        while let Some(work) = self.todo.pop() {
            reaches.steps.visit();
            match work {
                Work::New(value) => self.define(reaches, value),
                Work::Location(value, location) => {
                    for onward in self.nodes[&value].onward.clone() {
                        self.go(reaches, onward, location);
                    }
                }
                Work::Unknown(value) => {
                    for onward in self.nodes[&value].onward.clone() {
                        let (Onward::Step(to, _) | Onward::Load(to)) = onward;
                        self.unknown(to);
                    }
                }
            }
        }
    }

    /// Finds the values from which a value is derived.
    fn define(&mut self, reaches: &Reaches, value: Value) {
        if !value.is_plain_pointer() {
            return self.unknown(value);
        }
        if let Some((function, number)) = value.as_parameter() {
            if is_byval(function, number) {
                return self.unknown(value);
            }
            let Some(actuals) = reaches.steps.actual_arguments(function, number) else {
                return self.location(value, (Base::Parameter(function, number), 0));
            };
            for actual in actuals.iter() {
                match *actual {
                    Actual::Value(actual) => self.edge(reaches, actual, Onward::Step(value, 0)),
                    Actual::Task(call) => self.location(value, (Base::Task(call), 0)),
                }
            }
            return;
        }
        if LLVMIsAGlobalVariable(value).is_some() {
            return self.location(value, (Base::Global(value), 0));
        }
        match value.opcode() {
            Some(ALLOCA) => self.location(value, (Base::Frame(value), 0)),
            Some(GET_ELEMENT_PTR) => match reaches.steps.offset(value) {
                Some(offset) => self.edge(reaches, value.operand(0), Onward::Step(value, offset)),
                None => self.unknown(value),
            },
            Some(BIT_CAST | FREEZE) => self.edge(reaches, value.operand(0), Onward::Step(value, 0)),
            Some(PHI) => value.operands().for_each(|from| self.edge(reaches, from, Onward::Step(value, 0))),
            Some(SELECT) => {
                (1..3).for_each(|index| self.edge(reaches, value.operand(index), Onward::Step(value, 0)))
            }
            Some(CALL) if runtime(value).as_deref() == Some(TASK_ALLOC) => {
                self.location(value, (Base::Task(value), 0))
            }
            Some(LOAD) => self.edge(reaches, value.operand(0), Onward::Load(value)),
            _ => self.unknown(value),
        }
    }

    fn edge(&mut self, reaches: &Reaches, from: Value, onward: Onward) {
        let (Onward::Step(to, _) | Onward::Load(to)) = onward;
        self.ensure(from);
        self.nodes.entry(to).or_default().from.push(from);
        let node = self.nodes.entry(from).or_default();
        node.onward.push(onward);
        if node.is_unknown {
            return self.unknown(to);
        }
        for location in node.locations.clone() {
            self.go(reaches, onward, location);
        }
    }

    fn go(&mut self, reaches: &Reaches, onward: Onward, (base, offset): Location) {
        reaches.steps.visit();
        match (onward, base) {
            (Onward::Step(to, further), _) => match offset.checked_add(further) {
                Some(offset) => self.location(to, (base, offset)),
                None => self.unknown(to),
            },
            (Onward::Load(to), Base::Frame(variable)) => {
                self.loaded(reaches, to, reaches.contents(variable, offset))
            }
            (Onward::Load(to), Base::Task(task)) if offset == 0 => self.location(to, (Base::Shared(task), 0)),
            (Onward::Load(to), Base::Shared(task)) => {
                self.loaded(reaches, to, reaches.shared_contents(task, offset))
            }
            (Onward::Load(to), _) => self.unknown(to),
        }
    }

    fn loaded(&mut self, reaches: &Reaches, load: Value, values: Option<Vec<Value>>) {
        match values {
            Some(values) => {
                values.into_iter().for_each(|value| self.edge(reaches, value, Onward::Step(load, 0)))
            }
            None => self.unknown(load),
        }
    }

    fn location(&mut self, value: Value, location: Location) {
        let node = self.nodes.entry(value).or_default();
        if node.is_unknown || node.locations.contains(&location) {
            return;
        }
        if node.locations.len() == MOST_LOCATIONS {
            return self.unknown(value);
        }
        node.locations.push(location);
        self.todo.push(Work::Location(value, location));
    }

    fn unknown(&mut self, value: Value) {
        let node = self.nodes.entry(value).or_default();
        if !node.is_unknown {
            node.is_unknown = true;
            self.todo.push(Work::Unknown(value));
        }
    }
}
