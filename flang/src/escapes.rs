//! Which internal procedures' addresses may be used when their host has ended.
//!
//! The address is followed through the module from where it is taken: through variables, arguments and results, in no
//! order of execution. What leads out of sight makes it "may escape"; nothing is taken for harmless that is not seen
//! to be.

use crate::context::{Contexts, ROOT};
use crate::flow::{Flow, TASK_OUTLIVES, Verdict};
use crate::keeps::Keeps;
use crate::llvm::{opcode::*, *};
use crate::memory::Memory;
use crate::owner::{Owner, Owners};
use crate::report::{Remark, Severity, procedure};
use crate::sites::{Found, Site};
use crate::tasks;
use std::collections::HashMap;

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
    let Some(value) = std::env::var_os("STATICTRAMP_ESCAPES") else { return Ok(Wanted::Off) };
    match value.to_str() {
        Some("" | "off") => Ok(Wanted::Off),
        Some("warning") => Ok(Wanted::Warning),
        Some("error") => Ok(Wanted::Error),
        _ => {
            let shown = value.to_string_lossy();
            Err(format!("STATICTRAMP_ESCAPES is \"{shown}\", which must be off, warning or error"))
        }
    }
}

/// A remark for each internal procedure whose address is taken.
///
/// # Errors
/// A sentence, if a list that was to be read cannot be.
pub fn report(module: Module, found: &Found, wanted: Wanted) -> Result<Vec<Remark>, String> {
    let keeps = Keeps::new(module)?;
    let memory = Memory::new(module);
    let owners = Owners::new(&memory);
    // What an optimizer has merged is of one class, and so is what an OpenMP region is given.
    let mut adjusts: HashMap<usize, Vec<Value>> = HashMap::new();
    for adjust in &found.adjusts {
        adjusts.entry(adjust.class).or_default().push(adjust.adjust);
    }
    // In the order in which the procedures' addresses are first taken.
    let mut remarks: Vec<(&Site, Verdict)> = Vec::new();
    let mut known: HashMap<Value, usize> = HashMap::new();
    let mut outlives: HashMap<(Value, Value), bool> = HashMap::new();
    for site in &found.sites {
        let verdict = at_site(&owners, &keeps, site, &adjusts, &mut outlives);
        match known.get(&site.callee) {
            Some(index) if verdict.rank() > remarks[*index].1.rank() => remarks[*index] = (site, verdict),
            Some(_) => {}
            None => {
                known.insert(site.callee, remarks.len());
                remarks.push((site, verdict));
            }
        }
    }
    Ok(remarks.into_iter().map(|(site, verdict)| remark(site, verdict, wanted)).collect())
}

fn at_site(
    owners: &Owners,
    keeps: &Keeps,
    site: &Site,
    adjusts: &HashMap<usize, Vec<Value>>,
    outlives: &mut HashMap<(Value, Value), bool>,
) -> Verdict {
    let Some(host) = host(owners, site) else {
        return Verdict::May(site.init, "its host is not seen".into());
    };
    let mut flow = Flow::new(owners, keeps, host, site.function);
    if *outlives.entry((host, site.function)).or_insert_with(|| tasks::function_outlives(host, site.function))
    {
        flow.may(site.init, TASK_OUTLIVES);
    }
    for adjust in adjusts.get(&site.class).into_iter().flatten() {
        flow.address(*adjust);
    }
    flow.verdict
}

/// The function whose tuple the chain is.
fn host(owners: &Owners, site: &Site) -> Option<Value> {
    let places = owners.places(&Contexts::new(), None, site.chain, ROOT)?;
    let mut hosts = places.into_iter().map(|(owner, _)| match owner {
        Owner::Frame(tuple, _) if tuple.opcode() == Some(ALLOCA) => Some(tuple.function()),
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
