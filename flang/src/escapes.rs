//! Which internal procedures' addresses may be used when their host has ended.
//!
//! The address is followed through the module from where it is taken: through variables, arguments and results, in no
//! order of execution. What leads out of sight makes it "may escape"; nothing is taken for harmless that is not seen
//! to be.

use crate::flow::{Flow, Verdict};
use crate::llvm::*;
use crate::memory::{Base, Memory, called};
use crate::report::{Remark, Severity, procedure};
use crate::sites::{Adjust, Found, Site};

/// What `STATICTRAMP_ESCAPES` asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wanted {
    Off,
    Warning,
    Error,
}

/// Reads the variable.
///
/// # Errors
/// A sentence, if it has no value that is known.
pub fn wanted() -> Result<Wanted, String> {
    match std::env::var("STATICTRAMP_ESCAPES").as_deref() {
        Err(_) | Ok("" | "off") => Ok(Wanted::Off),
        Ok("warning") => Ok(Wanted::Warning),
        Ok("error") => Ok(Wanted::Error),
        Ok(other) => Err(format!("STATICTRAMP_ESCAPES is \"{other}\", which must be off, warning or error")),
    }
}

/// A remark for each internal procedure whose address is taken.
pub fn report(module: Module, Found { sites, adjusts, .. }: &Found, wanted: Wanted) -> Vec<Remark> {
    let memory = Memory::new(module);
    let mut procedures: Vec<Value> = Vec::new();
    for site in sites {
        if !procedures.contains(&site.callee) {
            procedures.push(site.callee);
        }
    }
    let verdict = |callee: &Value| {
        let of_callee = sites.iter().filter(|site| site.callee == *callee);
        of_callee.map(|site| (site, at_site(&memory, site, adjusts))).reduce(graver)
    };
    procedures.iter().filter_map(verdict).map(|(site, verdict)| remark(site, verdict, wanted)).collect()
}

fn graver<'a>(one: (&'a Site, Verdict), other: (&'a Site, Verdict)) -> (&'a Site, Verdict) {
    if other.1.rank() > one.1.rank() { other } else { one }
}

fn at_site(memory: &Memory, site: &Site, adjusts: &[Adjust]) -> Verdict {
    let Some(host) = host(memory, site) else {
        return Verdict::May(site.init, "its host is not seen".into());
    };
    let mut flow = Flow::new(memory, host, site.function);
    for adjust in adjusts.iter().filter(|adjust| adjust.memory == site.memory) {
        flow.address(adjust.adjust);
    }
    flow.verdict
}

/// The function whose tuple the chain is.
fn host(memory: &Memory, site: &Site) -> Option<Value> {
    let places = memory.places(site.chain)?;
    let mut hosts = places.into_iter().map(|(base, _)| match base {
        Base::Frame(tuple) => Some(tuple.function()),
        _ => None,
    });
    let host = hosts.next()??;
    hosts.all(|other| other == Some(host)).then_some(host)
}

fn remark(site: &Site, verdict: Verdict, wanted: Wanted) -> Remark {
    let name = procedure(&site.callee.name());
    match verdict {
        Verdict::No => {
            Remark::new(Severity::Note, site.init, format!("the internal procedure '{name}' does not escape"))
        }
        Verdict::May(at, why) => {
            Remark::new(Severity::Warning, at, format!("the internal procedure '{name}' may escape: {why}"))
        }
        Verdict::Escapes(at, why) => {
            let severity = if wanted == Wanted::Error { Severity::Error } else { Severity::Warning };
            Remark::new(severity, at, format!("the internal procedure '{name}' escapes: {why}"))
        }
    }
}

/// What a call does with an address that it is given, where its definition is not in the module.
pub fn unseen(call: Value, position: u32, holds_it: bool) -> Option<String> {
    let Some(name) = called(call) else {
        return Some("it is passed to a procedure that is known only when the program runs".into());
    };
    // Input, output, the end of the program, and a variable's beginning and end: nothing of it is kept.
    if ["_FortranAio", "_FortranAProgram", "_FortranAStop", "_FortranAInitialize", "_FortranADestroy"]
        .iter()
        .any(|prefix| name.starts_with(prefix))
    {
        return None;
    }
    let function = call.callee()?;
    if !holds_it && [call, function].into_iter().any(|of| is_not_captured(of, position)) {
        return None;
    }
    Some(if name.starts_with("_FortranA") {
        format!("it is passed to {name} of the run-time library")
    } else if name.starts_with("_Q") || name.ends_with('_') {
        format!("it is passed to '{}', which is not in this file", procedure(&name))
    } else {
        format!("it is passed to '{name}', a BIND(C) procedure that is not in this file")
    })
}

/// LLVM 19 and 20 write `nocapture`, later ones `captures(none)`, whose value is zero.
fn is_not_captured(of: Value, position: u32) -> bool {
    of.has_attribute(position + 1, "nocapture")
        || of.attribute(position + 1, "captures").is_some_and(|what| LLVMGetEnumAttributeValue(what) == 0)
}
