//! Points-to graph of the whole module. Each value is visited only once, even if several queries need it. A value with
//! more than `MOST_PLACES` places is treated as unknown. The work is therefore linear in the number of values queried,
//! and the analysis terminates even if values form a cycle.

use super::reach::Reaches;
use super::steps::{Actual, Base, Place};
use crate::calls::{TASK_ALLOC, is_byval, runtime};
use crate::llvm::{opcode::*, *};
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

/// Maximum number of places for one value. The chain of a trampoline needs fewer: one for each copy of its host that an
/// optimizer has made.
const MOST_PLACES: usize = 64;

/// The results so far.
#[derive(Default)]
pub struct Graph {
    nodes: HashMap<Value, Node>,
    todo: Vec<Work>,
}

#[derive(Default)]
struct Node {
    places: Vec<Place>,
    is_unknown: bool,
    onward: Vec<Onward>,
    /// The values that this value is derived from.
    from: Vec<Value>,
}

/// A use of a pointer.
#[derive(Clone, Copy)]
enum Onward {
    /// This value is the pointer plus an offset in bytes.
    Step(Value, i64),
    /// This value is loaded through the pointer.
    Load(Value),
}

enum Work {
    New(Value),
    Place(Value, Place),
    Unknown(Value),
}

impl Graph {
    pub fn places(&mut self, reaches: &Reaches, pointer: Value) -> Option<Vec<Place>> {
        self.ensure(pointer);
        self.run(reaches);
        let node = &self.nodes[&pointer];
        (!node.is_unknown).then(|| node.places.clone())
    }

    /// Returns the parameters from which `pointers` are derived.
    pub fn way(&mut self, reaches: &Reaches, pointers: Vec<Value>) -> Vec<(Value, u32)> {
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
        if let Entry::Vacant(place) = self.nodes.entry(value) {
            place.insert(Node::default());
            self.todo.push(Work::New(value));
        }
    }

    fn run(&mut self, reaches: &Reaches) {
        while let Some(work) = self.todo.pop() {
            reaches.steps.visit();
            match work {
                Work::New(value) => self.define(reaches, value),
                Work::Place(value, place) => {
                    for onward in self.nodes[&value].onward.clone() {
                        self.go(reaches, onward, place);
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
                return self.place(value, (Base::Parameter(function, number), 0));
            };
            for actual in actuals.iter() {
                match *actual {
                    Actual::Value(actual) => self.edge(reaches, actual, Onward::Step(value, 0)),
                    Actual::Task(call) => self.place(value, (Base::Task(call), 0)),
                }
            }
            return;
        }
        if LLVMIsAGlobalVariable(value).is_some() {
            return self.place(value, (Base::Global(value), 0));
        }
        match value.opcode() {
            Some(ALLOCA) => self.place(value, (Base::Frame(value), 0)),
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
                self.place(value, (Base::Task(value), 0))
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
        for place in node.places.clone() {
            self.go(reaches, onward, place);
        }
    }

    fn go(&mut self, reaches: &Reaches, onward: Onward, (base, offset): Place) {
        reaches.steps.visit();
        match (onward, base) {
            (Onward::Step(to, further), _) => match offset.checked_add(further) {
                Some(offset) => self.place(to, (base, offset)),
                None => self.unknown(to),
            },
            (Onward::Load(to), Base::Frame(variable)) => {
                self.loaded(reaches, to, reaches.contents(variable, offset))
            }
            (Onward::Load(to), Base::Task(task)) if offset == 0 => self.place(to, (Base::Shared(task), 0)),
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

    fn place(&mut self, value: Value, place: Place) {
        let node = self.nodes.entry(value).or_default();
        if node.is_unknown || node.places.contains(&place) {
            return;
        }
        if node.places.len() == MOST_PLACES {
            return self.unknown(value);
        }
        node.places.push(place);
        self.todo.push(Work::Place(value, place));
    }

    fn unknown(&mut self, value: Value) {
        let node = self.nodes.entry(value).or_default();
        if !node.is_unknown {
            node.is_unknown = true;
            self.todo.push(Work::Unknown(value));
        }
    }
}
