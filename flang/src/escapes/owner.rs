//! Whose the memory is to which a pointer of a context points.

use super::context::{Context, Contexts, Passed, ROOT, leads_to, passed};
use crate::aggregate::element;
use crate::calls::{INIT, TASK_ALLOC, called, chain_parameter, is_memory_copy};
use crate::llvm::{opcode::*, *};
use crate::points_to::Steps;
use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};

/// Bytes, `None` where they are not constant.
pub type Offset = Option<i64>;

/// The owner of memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Owner {
    /// A variable in a frame: an `alloca`, or the copy that a `byval` parameter is.
    Frame(Value, Context),
    /// A global variable.
    Global(Value),
    /// What the host was given.
    Argument,
    /// What a call returned that allocates a task: it begins with a pointer to what the task shares.
    Task(Value, Context),
    /// What a task shares.
    Shared(Value, Context),
}

/// An owner and bytes from the start of its memory.
pub type Place = (Owner, Offset);

/// What is in memory.
enum Content {
    /// What lies some bytes within a value.
    Value(Value, Context, i64),
    Shared(Value, Context),
}

/// What is stored in a variable, from a byte on.
#[derive(Clone, Copy)]
struct Stored {
    what: What,
    at: i64,
    bytes: i64,
}

#[derive(Clone, Copy)]
enum What {
    Value(Value),
    /// A copy of what this points to.
    Copy(Value),
}

/// Finds owners in one module.
pub struct Owners<'a> {
    pub steps: &'a Steps,
    /// What is stored in variables in which nothing else stores.
    stores: RefCell<HashMap<Value, Option<Vec<Stored>>>>,
    /// Values that were looked at for the question that is being answered.
    visits: Cell<usize>,
}

/// A host's variable, reached by a task in a region in an internal procedure, is four loads deep.
const DEEPEST: u32 = 16;

/// Offsets of one pointer that are told apart.
const MOST_OFFSETS: usize = 16;

/// Values of one question.
const MOST_VISITS: usize = 20_000;

/// A step of the search: a pointer lies some bytes within the value, and is followed so many bytes further on.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Step {
    value: Value,
    context: Context,
    within: i64,
    further: Offset,
}

/// What is left to look at, each step once, and not for more offsets than a bound.
#[derive(Default)]
struct Worklist {
    todo: Vec<Step>,
    seen: HashSet<Step>,
    offsets: HashMap<(Value, Context, i64), usize>,
}

impl Worklist {
    fn add(&mut self, mut step: Step) {
        if self.seen.contains(&step) {
            return; // by another way, or round a loop
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

    /// All places to which a pointer may point, `None` where that is not seen. Of the host, where it is known, the
    /// invocation is meant that made the trampoline: in the root its parameters are what its caller passed.
    pub fn places(
        &self,
        contexts: &Contexts,
        host: Option<Value>,
        pointer: Value,
        context: Context,
    ) -> Option<Vec<Place>> {
        self.visits.set(0);
        Search { owners: self, contexts, host }.places(pointer, context, 0)
    }

    /// Values that are stored in a variable, unless others may store there, too. Whoever is given it as a chain reads
    /// it, by what a chain is.
    fn stored_in(&self, variable: Value) -> Option<Vec<Stored>> {
        if let Some(known) = self.stores.borrow().get(&variable) {
            return known.clone();
        }
        let stores = self.find_stores(variable);
        self.stores.borrow_mut().insert(variable, stores.clone());
        stores
    }

    fn find_stores(&self, variable: Value) -> Option<Vec<Stored>> {
        let owner = variable.as_parameter().map_or_else(|| variable.function(), |(function, _)| function);
        let is_tuple = variable.users().into_iter().any(|user| is_chain_of(user, variable));
        let mut found = Vec::new();
        let mut todo = vec![(variable, 0)];
        let mut seen = HashSet::new();
        while let Some((pointer, at)) = todo.pop() {
            if !seen.insert((pointer, at)) {
                continue;
            }
            if seen.len() > MOST_VISITS {
                return None;
            }
            for user in pointer.users() {
                match user.opcode() {
                    Some(LOAD | ICMP) => {}
                    Some(STORE) if user.operand(0) == pointer => {
                        if !is_tuple {
                            return None;
                        }
                    }
                    // What a function that is called stores has no meaning here.
                    Some(STORE) if user.function() != owner => return None,
                    Some(STORE) => {
                        let bytes = self.steps.size(LLVMTypeOf(user.operand(0))) as i64;
                        found.push(Stored { what: What::Value(user.operand(0)), at, bytes })
                    }
                    Some(GET_ELEMENT_PTR) => todo.push((user, at.checked_add(self.steps.offset(user)?)?)),
                    Some(BIT_CAST | ADDR_SPACE_CAST) => todo.push((user, at)),
                    Some(CALL | INVOKE) => {
                        for argument in (0..user.argument_count()).filter(|it| user.operand(*it) == pointer) {
                            if is_read_alone(user, argument) || is_chain_of(user, pointer) {
                                continue;
                            }
                            if argument == 0 && is_memory_copy(user) && user.function() == owner {
                                let bytes = user.operand(2).as_integer()?;
                                found.push(Stored { what: What::Copy(user.operand(1)), at, bytes });
                                continue;
                            }
                            let (function, number) = leads_to(user, argument)?;
                            todo.push((function.parameter(number), at));
                        }
                    }
                    _ => return None,
                }
            }
        }
        (!found.is_empty()).then_some(found)
    }

    /// The variable that is copied into what a task shares: its host fills that, and copies it.
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
    fn places(&self, pointer: Value, context: Context, depth: u32) -> Option<Vec<Place>> {
        if depth == DEEPEST {
            return None;
        }
        let steps = self.owners.steps;
        let (mut found, mut known) = (Vec::new(), HashSet::new());
        let mut work = Worklist::default();
        work.add(Step { value: pointer, context, within: 0, further: Some(0) });
        while let Some(step) = work.todo.pop() {
            self.owners.visits.set(self.owners.visits.get() + 1);
            if self.owners.visits.get() > MOST_VISITS {
                return None;
            }
            let Step { value, context, within, further } = step;
            let mut add = |owner| {
                if known.insert((owner, further)) {
                    found.push((owner, further));
                }
            };
            if LLVMIsAArgument(value).is_some() {
                self.parameter(step, &mut work, &mut add)?;
                continue;
            }
            if LLVMIsAGlobalVariable(value).is_some() {
                add(Owner::Global(value));
                continue;
            }
            if LLVMIsNull(value) != 0 || LLVMIsUndef(value) != 0 {
                continue; // nothing is stored there
            }
            if let Some((element, start)) = self.constant_element(value, within) {
                work.add(Step { value: element, within: within - start, ..step });
                continue;
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
                LOAD => {
                    for content in self.contents(value.operand(0), context, within, depth + 1)? {
                        match content {
                            Content::Value(value, context, within) => {
                                work.add(Step { value, context, within, further })
                            }
                            Content::Shared(task, context) => add(Owner::Shared(task, context)),
                        }
                    }
                }
                _ => return None,
            }
        }
        Some(found)
    }

    /// The element of a constant structure that has a byte, and where it starts.
    fn constant_element(&self, value: Value, byte: i64) -> Option<(Value, i64)> {
        let ty = LLVMTypeOf(value);
        if !ty.is_struct() || LLVMIsAConstant(value).is_none() {
            return None;
        }
        let starts =
            value.operands().zip(0..).map(|(it, index)| (it, self.owners.steps.offset_of(ty, index)));
        starts.take_while(|(_, start)| *start <= byte).last()
    }

    /// What a parameter is in each call that may lead to its function.
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
            add(Owner::Argument);
            return Some(());
        }
        if !function.is_local() {
            return None;
        }
        let users = function.users();
        users.into_iter().try_for_each(|user| if user.is_call() { came(user, ROOT) } else { None })
    }

    /// What may be some bytes after a pointer: all that is stored there, if that is seen.
    fn contents(&self, pointer: Value, context: Context, within: i64, depth: u32) -> Option<Vec<Content>> {
        let mut contents = Vec::new();
        for (owner, offset) in self.places(pointer, context, depth)? {
            let at = offset?.checked_add(within)?;
            let (variable, context, at) = match owner {
                Owner::Frame(variable, context) => (variable, context, at),
                Owner::Task(call, context) if at == 0 => {
                    contents.push(Content::Shared(call, context));
                    continue;
                }
                Owner::Shared(call, context) => {
                    let (record, start) = self.owners.record_of(call)?;
                    (record, context, start.checked_add(at)?)
                }
                _ => return None,
            };
            let before = contents.len();
            for stored in self.owners.stored_in(variable)? {
                let within = at - stored.at;
                if !(0..stored.bytes).contains(&within) {
                    continue;
                }
                match stored.what {
                    What::Value(value) => contents.push(Content::Value(value, context, within)),
                    What::Copy(from) if depth < DEEPEST => {
                        contents.extend(self.contents(from, context, within, depth + 1)?)
                    }
                    What::Copy(_) => return None,
                }
            }
            if contents.len() == before {
                return None;
            }
        }
        Some(contents)
    }
}

/// Whether a pointer is the chain of the procedure that an instruction calls, or makes a trampoline for.
fn is_chain_of(user: Value, pointer: Value) -> bool {
    if !user.is_call() {
        return false;
    }
    if called(user).as_deref() == Some(INIT) {
        return user.operand(2) == pointer;
    }
    user.called_function()
        .and_then(chain_parameter)
        .is_some_and(|number| number < user.argument_count() && user.operand(number) == pointer)
}

/// Whether a call only reads what an argument points to, or nothing.
fn is_read_alone(call: Value, argument: u32) -> bool {
    let name = called(call).unwrap_or_default();
    ["llvm.lifetime.", "llvm.dbg."].iter().any(|prefix| name.starts_with(prefix))
        || (argument == 1 && is_memory_copy(call))
}
