//! Follows a procedure's address through a module.

use crate::escapes::unseen;
use crate::llvm::{opcode::*, *};
use crate::memory::{ADJUST, Base, INIT, Memory, called, chain_parameter};
use crate::report::procedure;
use std::collections::HashSet;
use std::rc::Rc;

/// What becomes of an address, and where in the program that shows.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// It is not used when the host has ended.
    No,
    /// It leads out of sight.
    May(Value, String),
    /// It is where it outlives the host.
    Escapes(Value, String),
}

impl Verdict {
    pub fn rank(&self) -> u8 {
        match self {
            Verdict::No => 0,
            Verdict::May(..) => 1,
            Verdict::Escapes(..) => 2,
        }
    }
}

/// The calls through which a function was reached, innermost first.
type Calls = Option<Rc<Call>>;

struct Call {
    call: Value,
    from: Calls,
}

/// Something that leads to the address.
#[derive(Clone)]
struct Tracked {
    value: Value,
    /// 0: it is the address; 1: it points to memory that holds it; 2: to a pointer to such memory.
    level: u8,
    /// From where it points to that memory, in bytes; `None` for anywhere in it.
    offset: Option<i64>,
    calls: Calls,
}

/// The search.
pub struct Flow<'a> {
    memory: &'a Memory,
    host: Value,
    /// The function that takes the address.
    taker: Value,
    seen: HashSet<(Value, u8, Option<i64>, Option<Value>)>,
    todo: Vec<Tracked>,
    /// The gravest so far.
    pub verdict: Verdict,
}

/// More levels than a pointer to a procedure pointer in a component has.
const DEEPEST: u8 = 4;

impl<'a> Flow<'a> {
    /// A search for what the host's end would leave dangling.
    pub fn new(memory: &'a Memory, host: Value, taker: Value) -> Self {
        Flow { memory, host, taker, seen: HashSet::new(), todo: Vec::new(), verdict: Verdict::No }
    }

    /// Follows an address.
    pub fn address(&mut self, value: Value) {
        self.track(Tracked { value, level: 0, offset: None, calls: None });
        while let Some(tracked) = self.todo.pop() {
            for user in tracked.value.users() {
                self.user(&tracked, user);
            }
        }
    }

    fn track(&mut self, tracked: Tracked) {
        let innermost = tracked.calls.as_ref().map(|calls| calls.call);
        if self.seen.insert((tracked.value, tracked.level, tracked.offset, innermost)) {
            self.todo.push(tracked);
        }
    }

    fn found(&mut self, verdict: Verdict) {
        if verdict.rank() > self.verdict.rank() {
            self.verdict = verdict;
        }
    }

    fn may(&mut self, at: Value, why: &str) {
        self.found(Verdict::May(at, why.into()))
    }

    fn user(&mut self, of: &Tracked, user: Value) {
        let same = |value| Tracked { value, ..of.clone() };
        match user.opcode() {
            Some(STORE) if user.operand(0) == of.value => self.store(of, user, user.operand(1), &of.calls),
            Some(STORE | ICMP) => {} // what was there is overwritten; an address is compared
            Some(LOAD) if of.level > 0 => self.load(of, user),
            Some(GET_ELEMENT_PTR) if of.level > 0 => {
                let offset = of.offset.and_then(|offset| Some(offset - self.memory.offset(user)?));
                self.track(Tracked { value: user, offset, ..of.clone() })
            }
            Some(PHI | SELECT | BIT_CAST | ADDR_SPACE_CAST | FREEZE | PTR_TO_INT | INT_TO_PTR) => {
                self.track(same(user))
            }
            Some(INSERT_VALUE | EXTRACT_VALUE) => {
                self.track(Tracked { value: user, offset: None, ..of.clone() })
            }
            Some(CALL | INVOKE) => self.call(of, user),
            Some(RET) => self.ret(of, user),
            Some(_) if LLVMIsAInstruction(user).is_some() => {
                self.may(user, "what is done with it is not understood")
            }
            _ => {} // debug information
        }
    }

    fn load(&mut self, of: &Tracked, load: Value) {
        let bytes = self.memory.size(LLVMTypeOf(load)) as i64;
        if of.offset.is_none_or(|offset| (0..bytes).contains(&offset)) {
            let offset = if of.level == 1 { None } else { Some(0) };
            self.track(Tracked { value: load, level: of.level - 1, offset, calls: of.calls.clone() })
        }
    }

    /// Something that leads to the address is stored at `to`.
    fn store(&mut self, of: &Tracked, store: Value, to: Value, calls: &Calls) {
        if of.level == DEEPEST {
            return self.may(store, "it is stored too deep in other variables");
        }
        let (mut root, mut further) = self.memory.root(to);
        let mut calls = calls.clone();
        // A parameter of a function that was followed into is what this call of it was given.
        while let (Some((function, number)), Some(inner)) = (root.as_parameter(), calls.clone())
            && inner.call.callee() == Some(function)
            && number < inner.call.argument_count()
        {
            let (given, more) = self.memory.root(inner.call.operand(number));
            root = given;
            further = further.zip(more).map(|(further, more)| further + more);
            calls = inner.from.clone();
        }
        let Some(places) = self.memory.places(root) else {
            return self.may(store, "it is stored in memory whose owner is not seen");
        };
        for (base, offset) in places {
            match base {
                Base::Frame(variable) => {
                    self.stored_in_frame(of, store, variable, further.map(|further| further + offset), &calls)
                }
                Base::Global(variable) => self.stored_in_global(store, variable),
                Base::Parameter(function, _) if function == self.host => self.found(Verdict::Escapes(
                    store,
                    "it is stored in an argument, which outlives the host".into(),
                )),
                _ => self.may(store, "it is stored in memory whose owner is not seen"),
            }
        }
    }

    fn stored_in_frame(
        &mut self,
        of: &Tracked,
        store: Value,
        variable: Value,
        offset: Option<i64>,
        calls: &Calls,
    ) {
        let owner = variable.function();
        let mut within = calls.as_ref();
        let mut runs_in_host = owner == self.host || owner == self.taker;
        while let Some(call) = within {
            runs_in_host |= call.call.callee() == Some(owner) || call.call.function() == owner;
            within = call.from.as_ref();
        }
        if !runs_in_host {
            let whose = procedure(&owner.name());
            return self.found(Verdict::Escapes(
                store,
                format!("it is stored in a variable of '{whose}', which outlives the host"),
            ));
        }
        // In which calls its function runs is not kept: those that lead to it are a part of these.
        self.track(Tracked {
            value: variable,
            level: of.level + 1,
            offset,
            calls: self.calls_into(owner, calls),
        })
    }

    /// The part of the calls that leads into a function.
    fn calls_into(&self, function: Value, calls: &Calls) -> Calls {
        let mut calls = calls.clone();
        while let Some(call) = &calls {
            if call.call.callee() == Some(function) {
                return calls;
            }
            calls = call.from.clone();
        }
        None
    }

    fn stored_in_global(&mut self, store: Value, variable: Value) {
        if self.host.name() == "_QQmain" {
            return; // the program's own procedures are there until it ends
        }
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

    /// That it is called is what it is for; it may be an argument, too.
    fn call(&mut self, of: &Tracked, call: Value) {
        for position in (0..call.argument_count()).filter(|position| call.operand(*position) == of.value) {
            self.argument(of, call, position);
        }
    }

    fn argument(&mut self, of: &Tracked, call: Value, position: u32) {
        let name = called(call).unwrap_or_default();
        if name.starts_with("llvm.memcpy") || name.starts_with("llvm.memmove") {
            if position == 1 && of.level > 0 {
                self.copy(of, call);
            }
            return;
        }
        let harmless = ["llvm.lifetime.", "llvm.dbg.", "llvm.memset", ADJUST];
        if harmless.iter().any(|harmless| name.starts_with(harmless)) || (name == INIT && position < 2) {
            return;
        }
        let (function, number) = match (name.as_str(), position) {
            // A tuple that leads to it is the chain of this or another procedure.
            (INIT, _) => {
                let callee = LLVMIsAFunction(call.operand(1));
                (callee, callee.and_then(chain_parameter).unwrap_or(u32::MAX))
            }
            // The two numbers of a thread come before what a region is given.
            ("__kmpc_fork_call" | "__kmpc_fork_teams", 3..) => {
                (LLVMIsAFunction(call.operand(2)), position - 1)
            }
            _ => (call.callee(), position),
        };
        match function {
            Some(function) if !function.is_declaration() && number < LLVMCountParams(function) => {
                let calls = if call.callee() == Some(function) {
                    Some(Rc::new(Call { call, from: of.calls.clone() }))
                } else {
                    None
                };
                self.track(Tracked { value: LLVMGetParam(function, number), calls, ..of.clone() })
            }
            _ => {
                if let Some(why) = unseen(call, position, of.level > 0) {
                    self.may(call, &why)
                }
            }
        }
    }

    /// Memory that holds it is copied.
    fn copy(&mut self, of: &Tracked, call: Value) {
        let bytes = call.operand(2).as_integer();
        if let (Some(offset), Some(bytes)) = (of.offset, bytes)
            && !(0..bytes).contains(&offset)
        {
            return;
        }
        // What is copied is as deep as what a load would have brought.
        let copied = Tracked { level: of.level - 1, ..of.clone() };
        self.store(&copied, call, call.operand(0), &of.calls);
    }

    fn ret(&mut self, of: &Tracked, ret: Value) {
        let function = ret.function();
        match &of.calls {
            Some(inner) if inner.call.callee() == Some(function) => {
                let result = Tracked { value: inner.call, calls: inner.from.clone(), ..of.clone() };
                self.track(result)
            }
            _ if function == self.host => {
                self.found(Verdict::Escapes(ret, "it is returned by the host".into()))
            }
            _ => self.returned_by_sibling(of, ret),
        }
    }

    /// The result of a sibling, in whoever calls that.
    fn returned_by_sibling(&mut self, of: &Tracked, ret: Value) {
        for user in ret.function().users() {
            if user.is_call() && user.callee() == Some(ret.function()) {
                self.track(Tracked { value: user, ..of.clone() })
            } else {
                self.may(ret, "it is returned to whoever calls a sibling")
            }
        }
    }
}
