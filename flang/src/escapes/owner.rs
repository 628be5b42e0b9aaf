//! Finds the owner of the memory that a pointer points to in a given context.

use super::context::{Context, Contexts, Passed, ROOT, passed};
use super::stored::{Stores, What, find_stores};
use crate::aggregate::element;
use crate::calls::{MALLOC, TASK_ALLOC, called, is_memory_copy, runtime};
use crate::llvm::{opcode::*, *};
use crate::points_to::Steps;
use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};

/// An offset in bytes, or `None` if the offset is not constant.
pub type Offset = Option<i64>;

/// The owner of a piece of memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Owner {
    /// A variable in a frame: an `alloca`, or the copy made by a call for a `byval` parameter. Memory from `malloc` is
    /// treated alike, because it too can be reached only through one instruction's result.
    Frame(Value, Context),
    /// Memory that was allocated for the descriptor at this byte offset within a variable.
    Allocated(Value, Context, i64),
    /// A global variable, or memory reached through an address in it.
    Global(Value),
    /// Memory that one of the host's parameters points to. The host's caller owns this memory.
    Argument(Value),
    /// Memory reached through an address that an argument contains, such as the base address in its descriptor.
    Reached(Value),
    /// A task, represented by the call that allocates the task. A task begins with a pointer to its shared data.
    Task(Value, Context),
    /// The data that a task shares with its creator.
    Shared(Value, Context),
}

/// An owner and a byte offset from the start of its memory.
pub type Location = (Owner, Offset);

/// The locations to which a pointer may point.
#[derive(Default)]
pub struct Locations {
    pub seen: Vec<Location>,
    /// Whether the list is complete.
    pub all: bool,
}

/// The contents of a piece of memory.
enum Content {
    /// The bytes at an offset within a value.
    Value(Value, Context, i64),
    /// The address of memory with this owner.
    Address(Owner),
}

/// Finds owners in one module.
pub struct Owners<'a> {
    pub steps: &'a Steps,
    /// The stores to each variable.
    stores: RefCell<HashMap<Value, Stores>>,
    /// Number of values visited for the current query.
    visits: Cell<usize>,
}

/// Maximum depth of the search. For example, reaching a host variable from a task, inside a region in an internal
/// procedure, takes four loads.
const DEEPEST: u32 = 16;

/// Maximum number of offsets distinguished for one pointer.
const MOST_OFFSETS: usize = 16;

/// Maximum number of values visited for one query.
const MOST_VISITS: usize = 20_000;

/// A step of the search: the pointer is at the byte offset `within` in the value, and the search continues at the
/// offset `further` from the pointer.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Step {
    value: Value,
    context: Context,
    within: i64,
    further: Offset,
}

/// Pending steps. Each step is taken only once, and the number of offsets is bounded.
#[derive(Default)]
struct Worklist {
    todo: Vec<Step>,
    seen: HashSet<Step>,
    offsets: HashMap<(Value, Context, i64), usize>,
}

impl Worklist {
    fn add(&mut self, mut step: Step) {
        if self.seen.contains(&step) {
            return; // already reached on another path, or through a loop
        }
        let offsets = self.offsets.entry((step.value, step.context, step.within)).or_default();
        *offsets += 1;
        if *offsets > MOST_OFFSETS {
            step.further = None;
        }
        if self.seen.insert(step) {
            self.todo.push(step);
        }
    }
}

impl<'a> Owners<'a> {
    pub fn new(steps: &'a Steps) -> Self {
        Owners { steps, stores: RefCell::default(), visits: Cell::new(0) }
    }

    /// Returns the locations to which a pointer may point. If `host` is given, the locations are those in the
    /// invocation that made the trampoline; in the root context, the host's parameters then belong to its caller.
    pub fn locations(
        &self,
        contexts: &Contexts,
        host: Option<Value>,
        pointer: Value,
        context: Context,
    ) -> Locations {
        self.visits.set(0);
        Search { owners: self, contexts, host }.locations(pointer, context, 0)
    }

    /// Returns the stores to a variable.
    fn stored_in(&self, variable: Value) -> Stores {
        if let Some(known) = self.stores.borrow().get(&variable) {
            return known.clone();
        }
        let stores = find_stores(self.steps, variable);
        self.stores.borrow_mut().insert(variable, stores.clone());
        stores
    }

    /// Returns the variable that the host fills in and then copies into a task's shared data.
    fn record_of(&self, task: Value) -> Option<(Value, i64)> {
        let shared =
            task.users().into_iter().filter(|user| user.opcode() == Some(LOAD) && user.operand(0) == task);
        let copies = shared
            .flat_map(|shared| shared.users().into_iter().map(move |user| (shared, user)))
            .filter(|(shared, user)| is_memory_copy(*user) && user.operand(0) == *shared);
        let mut records = copies.map(|(_, copy)| self.steps.own_variable(copy.operand(1)));
        match (records.next(), records.next()) {
            (Some(record), None) => record,
            _ => None,
        }
    }
}

struct Search<'a, 'b> {
    owners: &'b Owners<'a>,
    contexts: &'b Contexts,
    host: Option<Value>,
}

impl Search<'_, '_> {
    fn locations(&self, pointer: Value, context: Context, depth: u32) -> Locations {
        let mut locations = Locations { seen: Vec::new(), all: depth < DEEPEST };
        if !locations.all {
            return locations;
        }
        let mut known = HashSet::new();
        let mut work = Worklist::default();
        work.add(Step { value: pointer, context, within: 0, further: Some(0) });
        while let Some(step) = work.todo.pop() {
            self.owners.visits.set(self.owners.visits.get() + 1);
            if self.owners.visits.get() > MOST_VISITS {
                locations.all = false;
                break;
            }
            let mut add = |owner| {
                if known.insert((owner, step.further)) {
                    locations.seen.push((owner, step.further));
                }
            };
            let followed = self.step(step, &mut work, &mut add, depth);
            locations.all &= followed.is_some();
        }
        locations
    }

    /// Continues with the values from which a value was computed, or adds the value's owner. Returns `None` if some of
    /// these values are not visible.
    fn step(&self, step: Step, work: &mut Worklist, add: &mut dyn FnMut(Owner), depth: u32) -> Option<()> {
        let steps = self.owners.steps;
        let Step { value, context, within, further } = step;
        if LLVMIsAArgument(value).is_some() {
            return self.parameter(step, work, add);
        }
        if LLVMIsAGlobalVariable(value).is_some() {
            add(Owner::Global(value));
            return Some(());
        }
        if LLVMIsNull(value) != 0 || LLVMIsUndef(value) != 0 {
            return Some(()); // a null or undefined value refers to no memory
        }
        if let Some((element, start)) = self.constant_element(value, within) {
            work.add(Step { value: element, within: within - start, ..step });
            return Some(());
        }
        match value.opcode()? {
            ALLOCA => add(Owner::Frame(value, context)),
            GET_ELEMENT_PTR => {
                let further =
                    further.zip(steps.offset(value)).and_then(|(one, other)| one.checked_add(other));
                work.add(Step { value: value.operand(0), further, ..step })
            }
            BIT_CAST | ADDR_SPACE_CAST | FREEZE | PTR_TO_INT | INT_TO_PTR => {
                work.add(Step { value: value.operand(0), ..step })
            }
            PHI => value.operands().for_each(|value| work.add(Step { value, ..step })),
            SELECT => value.operands().skip(1).for_each(|value| work.add(Step { value, ..step })),
            INSERT_VALUE => {
                let element = element(steps, value)?;
                if element.contains(&within) {
                    work.add(Step { value: value.operand(1), within: within - element.start, ..step })
                } else {
                    work.add(Step { value: value.operand(0), ..step })
                }
            }
            EXTRACT_VALUE => {
                let within = within + element(steps, value)?.start;
                work.add(Step { value: value.operand(0), within, ..step })
            }
            CALL if called(value).as_deref() == Some(TASK_ALLOC) => add(Owner::Task(value, context)),
            CALL if runtime(value).as_deref() == Some(MALLOC) => add(Owner::Frame(value, context)),
            LOAD => {
                let mut contents = Vec::new();
                let all = self.contents(value.operand(0), context, within, depth + 1, &mut contents);
                for content in contents {
                    match content {
                        Content::Value(value, context, within) => {
                            work.add(Step { value, context, within, further })
                        }
                        Content::Address(owner) => add(owner),
                    }
                }
                return all;
            }
            _ => return None,
        }
        Some(())
    }

    /// Returns the element that contains a given byte of a constant structure, and the offset of the element.
    fn constant_element(&self, value: Value, byte: i64) -> Option<(Value, i64)> {
        let ty = LLVMTypeOf(value);
        if !ty.is_struct() || LLVMIsAConstant(value).is_none() {
            return None;
        }
        let starts =
            value.operands().zip(0..).map(|(it, index)| (it, self.owners.steps.offset_of(ty, index)));
        starts.take_while(|(_, start)| *start <= byte).last()
    }

    /// For each possible call to the function, continues with the argument passed for the parameter.
    fn parameter(&self, step: Step, work: &mut Worklist, add: &mut dyn FnMut(Owner)) -> Option<()> {
        let (function, number) = step.value.as_parameter()?;
        if function.has_attribute(number + 1, "byval") {
            add(Owner::Frame(step.value, step.context));
            return Some(());
        }
        let mut came = |call, from| {
            match passed(call, function, number)? {
                Passed::Value(value) => work.add(Step { value, context: from, ..step }),
                Passed::Task(call) => add(Owner::Task(call, from)),
            }
            Some(())
        };
        let entries = self.contexts.entries(step.context, function);
        if !entries.is_empty() {
            return entries.iter().try_for_each(|entry| came(entry.call, entry.from));
        }
        if self.host == Some(function) {
            add(Owner::Argument(step.value));
            return Some(());
        }
        if !function.is_local() {
            return None;
        }
        let users = function.users();
        users.into_iter().try_for_each(|user| if user.is_call() { came(user, ROOT) } else { None })
    }

    /// Adds the possible contents of memory at an offset from a pointer. Returns `None` if some possible contents are
    /// unknown.
    fn contents(
        &self,
        pointer: Value,
        context: Context,
        within: i64,
        depth: u32,
        contents: &mut Vec<Content>,
    ) -> Option<()> {
        let locations = self.locations(pointer, context, depth);
        let mut all = locations.all.then_some(());
        for (owner, offset) in locations.seen {
            let at = offset.and_then(|offset| offset.checked_add(within));
            all = all.and(self.contents_of(owner, at, depth, contents));
        }
        all
    }

    /// Adds the possible contents at an offset within an owner's memory. Returns `None` if some possible contents are
    /// unknown.
    fn contents_of(&self, owner: Owner, at: Offset, depth: u32, contents: &mut Vec<Content>) -> Option<()> {
        let (variable, context, at) = match owner {
            Owner::Frame(variable, context) => (variable, context, at?),
            // An address that the host itself stores in this memory leaves the host through that store, which the
            // search finds separately.
            Owner::Argument(parameter) | Owner::Reached(parameter) => {
                contents.push(Content::Address(Owner::Reached(parameter)));
                return Some(());
            }
            Owner::Global(variable) => {
                match variable.initializer().filter(|_| variable.is_constant_global()) {
                    Some(constant) => contents.push(Content::Value(constant, ROOT, at?)),
                    None => contents.push(Content::Address(owner)), // the address of memory reached through this owner
                }
                return Some(());
            }
            Owner::Task(call, context) if at == Some(0) => {
                contents.push(Content::Address(Owner::Shared(call, context)));
                return Some(());
            }
            Owner::Shared(call, context) => {
                let (record, start) = self.owners.record_of(call)?;
                (record, context, start.checked_add(at?)?)
            }
            _ => return None,
        };
        let before = contents.len();
        let stores = self.owners.stored_in(variable);
        let mut all = stores.all.then_some(());
        for stored in &stores.found {
            let within = at - stored.at;
            if !(0..stored.bytes).contains(&within) {
                continue;
            }
            match stored.what {
                What::Value(value) => contents.push(Content::Value(value, context, within)),
                What::Copy(from) if depth < DEEPEST => {
                    all = all.and(self.contents(from, context, within, depth + 1, contents))
                }
                What::Copy(_) => all = None,
                What::Allocated => {
                    contents.push(Content::Address(Owner::Allocated(variable, context, stored.at)))
                }
            }
        }
        if contents.len() == before { None } else { all }
    }
}
