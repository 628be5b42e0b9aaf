//! Search for escapes: follows a procedure's address through a module.

use super::context::{Context, Contexts, ROOT, entered};
use super::library::{Use, known_use};
use super::other_procedures::{OtherProcedures, described_argument};
use super::owner::{Offset, Owner, Owners};
use super::path::{further, unknown, within};
use super::{tasks, types};
use crate::aggregate::element;
use crate::calls::{ADJUST, INIT, TASK_ENTRY, TASK_PARAMETER, called, is_memory_copy};
use crate::llvm::{opcode::*, *};
use crate::report::procedure;
use std::collections::{HashMap, HashSet};

/// The verdict on an address. An adverse verdict includes the reason and the responsible instruction.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// The address is not used after its host has returned.
    No,
    /// The host is the main program, and no visible code runs after the program has ended.
    AtEnd,
    /// The address may be used after its host has returned, for example because it leaves the visible code.
    May(Value, String),
    /// The address is stored in memory that outlives the host, or is returned by the host.
    Escapes(Value, String),
}

impl Verdict {
    pub fn rank(&self) -> u8 {
        match self {
            Verdict::No => 0,
            Verdict::AtEnd => 1,
            Verdict::May(..) => 2,
            Verdict::Escapes(..) => 3,
        }
    }
}

/// A value from which the address can be reached.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Tracked {
    value: Value,
    context: Context,
    /// The path to the address: each offset except the last selects a pointer, and the next offset is relative to that
    /// pointer's target. The last offset selects the address.
    path: Vec<Offset>,
}

/// The state of a search.
pub struct Flow<'a> {
    owners: &'a Owners<'a>,
    others: &'a OtherProcedures<'a>,
    host: Value,
    /// The function that takes the address.
    taker: Value,
    contexts: Contexts,
    seen: HashSet<Tracked>,
    /// Number of paths recorded for each value.
    paths: HashMap<(Value, Context), usize>,
    todo: Vec<Tracked>,
    /// The most serious verdict so far.
    pub verdict: Verdict,
}

/// The message for a task that may outlive the host.
pub const TASK_OUTLIVES: &str = "a task that may run after the host has returned uses it";

/// Maximum length of a path to follow: enough for a pointer to a procedure-pointer component.
const LONGEST: usize = 6;

/// Maximum number of paths distinguished for one value.
const MOST_PATHS: usize = 24;

/// Maximum number of values in one search.
const MOST_VALUES: usize = 50_000;

impl<'a> Flow<'a> {
    /// Starts a search for uses of the address after the host has returned.
    pub fn new(owners: &'a Owners<'a>, others: &'a OtherProcedures<'a>, host: Value, taker: Value) -> Self {
        Flow {
            owners,
            others,
            host,
            taker,
            contexts: Contexts::new(),
            seen: HashSet::new(),
            paths: HashMap::new(),
            todo: Vec::new(),
            verdict: Verdict::No,
        }
    }

    /// Follows all uses of an address.
    pub fn address(&mut self, value: Value) {
        loop {
            self.track(Tracked { value, context: ROOT, path: vec![Some(0)] });
            while let Some(tracked) = self.todo.pop() {
                if self.seen.len() > MOST_VALUES {
                    self.todo.clear();
                    self.may(value, "the search reached its limit");
                    break;
                }
                for user in tracked.value.users() {
                    self.user(&tracked, user);
                }
            }
            // A function that was searched for one call may have to be searched again for another.
            self.seen.clear();
            self.paths.clear();
            if !self.contexts.take_joined() {
                return;
            }
        }
    }

    fn track(&mut self, mut tracked: Tracked) {
        if self.seen.contains(&tracked) {
            return;
        }
        let paths = self.paths.entry((tracked.value, tracked.context)).or_default();
        *paths += 1;
        if *paths > MOST_PATHS {
            tracked.path.iter_mut().skip(1).for_each(|offset| *offset = None);
        }
        if self.seen.insert(tracked.clone()) {
            self.todo.push(tracked);
        }
    }

    /// Returns whether the host is the main program, whose frame exists until the program ends. Exit handlers run even
    /// later.
    fn host_is_program(&self) -> bool {
        self.host.name() == "_QQmain"
    }

    fn found(&mut self, verdict: Verdict) {
        let verdict = match verdict {
            Verdict::May(at, why) | Verdict::Escapes(at, why) if self.host_is_program() => {
                if self.others.runs_at_exit {
                    Verdict::May(
                        at,
                        format!("{why}; and the file registers procedures that run when the program ends"),
                    )
                } else {
                    Verdict::AtEnd
                }
            }
            verdict => verdict,
        };
        if verdict.rank() > self.verdict.rank() {
            self.verdict = verdict;
        }
    }

    /// Records that the address may escape, and the reason.
    pub fn may(&mut self, at: Value, why: &str) {
        self.found(Verdict::May(at, why.into()))
    }

    fn user(&mut self, of: &Tracked, user: Value) {
        let steps = self.owners.steps;
        let points = of.path.len() > 1;
        match user.opcode() {
            Some(STORE) if user.operand(0) == of.value => self.store(of, user, user.operand(1)),
            Some(STORE | ICMP) => {} // the old value is overwritten, or the address is only compared
            Some(LOAD) if points => self.load(of, user),
            Some(GET_ELEMENT_PTR) if points && user.operand(0) == of.value => {
                let back = steps.offset(user).and_then(i64::checked_neg);
                self.track(Tracked { value: user, path: further(&of.path, back), ..*of })
            }
            Some(PHI | SELECT | BIT_CAST | ADDR_SPACE_CAST | FREEZE | PTR_TO_INT | INT_TO_PTR) => {
                self.track(Tracked { value: user, ..of.clone() })
            }
            Some(INSERT_VALUE) => self.insert(of, user),
            Some(EXTRACT_VALUE) => {
                let element = element(steps, user);
                if let Some(path) = within(&of.path, element.map(|bytes| (bytes.start, bytes.end))) {
                    self.track(Tracked { value: user, path, ..*of })
                }
            }
            Some(CALL | INVOKE) => self.call(of, user),
            Some(RET) => self.ret(of, user),
            Some(_) if LLVMIsAInstruction(user).is_some() => {
                self.may(user, "it is used in a way that the plugin does not recognize")
            }
            _ => {} // debug information
        }
    }

    /// Follows a value through an `insertvalue`, as either the inserted element or the aggregate. The search ends here
    /// if the instruction overwrites the part of the aggregate that contains the address.
    fn insert(&mut self, of: &Tracked, insert: Value) {
        let element = element(self.owners.steps, insert);
        if insert.operand(1) == of.value {
            let mut path = of.path.clone();
            path[0] = path[0].zip(element.clone()).map(|(at, bytes)| at + bytes.start);
            self.track(Tracked { value: insert, path, ..*of });
        }
        if insert.operand(0) == of.value
            && !of.path[0].zip(element).is_some_and(|(at, bytes)| bytes.contains(&at))
        {
            self.track(Tracked { value: insert, ..of.clone() });
        }
    }

    fn load(&mut self, of: &Tracked, load: Value) {
        let bytes = self.owners.steps.size(LLVMTypeOf(load)) as i64;
        if let Some(path) = within(&of.path[1..], Some((0, bytes))) {
            self.track(Tracked { value: load, path, ..*of })
        }
    }

    /// Handles the store, through `to`, of a value from which the address can be reached.
    fn store(&mut self, of: &Tracked, store: Value, to: Value) {
        if of.path.len() >= LONGEST {
            return self.may(store, "it is stored too deep in other variables");
        }
        let locations = self.owners.locations(&self.contexts, Some(self.host), to, of.context);
        for (owner, offset) in locations.seen {
            let at = offset.zip(of.path[0]).and_then(|(offset, within)| offset.checked_add(within));
            let mut path = vec![Some(0), at];
            path.extend(&of.path[1..]);
            match owner {
                Owner::Frame(variable, context) => self.track(Tracked { value: variable, context, path }),
                Owner::Allocated(variable, context, start) => {
                    path.insert(1, Some(start)); // the variable contains a pointer to the memory
                    self.track(Tracked { value: variable, context, path })
                }
                Owner::Global(variable) => self.stored_in_global(store, variable),
                Owner::Argument(_) | Owner::Reached(_) => self.found(Verdict::Escapes(
                    store,
                    "it is stored in an argument, which outlives the host".into(),
                )),
                Owner::Shared(task, context) => self.shared(path, task, context),
                Owner::Task(..) => self.may(store, "it is stored in a task"),
            }
        }
        if !locations.all {
            self.may(store, "it is stored in memory of an unknown owner")
        }
    }

    /// Follows memory that contains the address and is shared with a task.
    fn shared(&mut self, mut path: Vec<Offset>, task: Value, from: Context) {
        if tasks::task_outlives(self.host, task, &self.others.tasks) {
            self.may(task, TASK_OUTLIVES);
        }
        let entry = LLVMIsAFunction(task.operand(TASK_ENTRY)).filter(|entry| !entry.is_declaration());
        let Some(entry) = entry.filter(|entry| entry.parameter_count() > TASK_PARAMETER) else {
            return self.may(task, "it is shared with a task that is not visible");
        };
        // A task begins with a pointer to its shared data.
        path.insert(0, Some(0));
        path[1] = path[1].and(Some(0));
        self.enter(entry, TASK_PARAMETER, task, from, path);
    }

    fn enter(&mut self, function: Value, number: u32, call: Value, from: Context, path: Vec<Offset>) {
        match self.contexts.enter(function, call, from) {
            Some(context) => {
                self.track(Tracked { value: function.parameter(number), context, path });
            }
            None => self.may(call, "there are too many calls to follow"),
        }
    }

    fn stored_in_global(&mut self, store: Value, variable: Value) {
        let name = procedure(&variable.name());
        let whose = if self.taker == store.function() {
            String::new()
        } else {
            format!("{} captures it: ", procedure(&store.function().name()))
        };
        self.found(Verdict::Escapes(
            store,
            format!("{whose}it is stored in '{name}', which outlives the host"),
        ));
    }

    /// Checks a call that uses the pointer. A call through the pointer does not let it escape, but passing it as an
    /// argument may.
    fn call(&mut self, of: &Tracked, call: Value) {
        for position in (0..call.argument_count()).filter(|position| call.operand(*position) == of.value) {
            self.argument(of, call, position);
        }
    }

    fn argument(&mut self, of: &Tracked, call: Value, position: u32) {
        let name = called(call).unwrap_or_default();
        if is_memory_copy(call) {
            if position == 1 && of.path.len() > 1 {
                self.copy(of, call);
            }
            return;
        }
        let harmless = ["llvm.lifetime.", "llvm.dbg.", "llvm.memset", ADJUST];
        if harmless.iter().any(|harmless| name.starts_with(harmless)) || (name == INIT && position < 2) {
            return;
        }
        match entered(call, position) {
            // The called function is visible, so the search continues with its parameter. If the call makes a trampoline,
            // this parameter is the static chain of the trampoline's procedure, which may differ from the procedure whose
            // address is followed.
            Some((function, number)) => self.enter(function, number, call, of.context, of.path.clone()),
            None if self.run_by_library(of, call, position, &name) => {}
            None if known_use(&name, position) == Some(Use::Copies) && self.assigned(of, call) => {}
            None => {
                if let Some(why) = self.others.unseen(call, position, of.path.len() > 1) {
                    self.may(call, &why)
                }
            }
        }
    }

    /// Handles a call in which the run-time library runs a derived type's procedures. Returns false for any other call,
    /// or if one of these procedures is not visible.
    fn run_by_library(&mut self, of: &Tracked, call: Value, position: u32, name: &str) -> bool {
        if described_argument(call, name) != Some(position) || of.path.len() < 2 {
            return false;
        }
        let Some(procedures) = types::procedures(call.operand(position)) else { return false };
        for procedure in procedures.into_iter().filter(|procedure| procedure.parameter_count() > 0) {
            // These procedures receive the descriptor itself, or the address in the descriptor's first word.
            self.enter(procedure, 0, call, of.context, of.path.clone());
            if of.path.len() > 2 && of.path[1].is_none_or(|at| at == 0) {
                let mut path = vec![Some(0), None];
                path.extend(&of.path[3..]);
                self.enter(procedure, 0, call, of.context, path);
            }
        }
        true
    }

    /// Handles a call in which the run-time library copies data between two objects, each given by a descriptor.
    /// Returns false for any other call, or if one of the descriptors is not visible.
    fn assigned(&mut self, of: &Tracked, call: Value) -> bool {
        if of.path.len() < 3 || self.others.types_have_procedures {
            return false;
        }
        let Some(base) = types::described_base(call.operand(0)) else { return false };
        let mut path = vec![None];
        path.extend(&of.path[3..]);
        self.store(&Tracked { path, ..*of }, call, base);
        true
    }

    /// Follows a copy of memory that contains the address.
    fn copy(&mut self, of: &Tracked, call: Value) {
        let bytes = call.operand(2).as_integer();
        let copied = bytes
            .map_or_else(|| Some(unknown(&of.path[1..])), |bytes| within(&of.path[1..], Some((0, bytes))));
        if let Some(path) = copied {
            // The copy is treated as a load and a store of the whole range.
            self.store(&Tracked { value: of.value, context: of.context, path }, call, call.operand(0));
        }
    }

    fn ret(&mut self, of: &Tracked, ret: Value) {
        let function = ret.function();
        let entries = self.contexts.entries(of.context, function).to_vec();
        for entry in &entries {
            if entry.call.called_function() == Some(function) {
                self.track(Tracked { value: entry.call, context: entry.from, ..of.clone() })
            } else {
                self.may(ret, "it is returned to the caller of a sibling procedure")
            }
        }
        if !entries.is_empty() {
            return;
        }
        if function == self.host {
            return self.found(Verdict::Escapes(ret, "it is returned by the host".into()));
        }
        for user in function.users() {
            if user.is_call() && user.called_function() == Some(function) {
                self.track(Tracked { value: user, ..of.clone() })
            } else {
                self.may(ret, "it is returned to the caller of a sibling procedure")
            }
        }
    }
}
