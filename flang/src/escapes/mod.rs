//! Escape analysis: reports internal procedures whose addresses may be used after their host has returned.
//!
//! Starting at the instruction that takes an address, the search follows the address through the module's variables,
//! arguments and results, regardless of the order of execution. An address that leaves the visible code "may escape".
//! Code outside the module is treated as harmless only if an attribute, `library.txt` or the user's list says so.

mod bindings;
mod context;
mod flow;
pub mod library;
mod other_procedures;
mod owner;
mod path;
mod stored;
mod tasks;
mod types;

use crate::choice::choice;
use crate::keeps_not::KeepsNot;
use crate::llvm::{opcode::*, *};
use crate::points_to::Steps;
use crate::report::{Remark, Severity, procedure};
use crate::sites::{Scan, Site};
use context::{Contexts, ROOT};
use flow::{Flow, TASK_OUTLIVES, Verdict};
use other_procedures::OtherProcedures;
use owner::{Owner, Owners};
use std::collections::HashMap;

/// The report that `STATICTRAMP_ESCAPES` selects.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Wanted {
    #[default]
    Off,
    Warning,
    Error,
}

/// Reads the choice of report from `STATICTRAMP_ESCAPES`.
///
/// # Errors
/// Returns an error message if the value is unknown.
pub fn wanted() -> Result<Wanted, String> {
    let choices = [("off", Wanted::Off), ("warning", Wanted::Warning), ("error", Wanted::Error)];
    choice("STATICTRAMP_ESCAPES", &choices, "off, warning or error")
}

/// Returns a remark for each internal procedure whose address is taken.
pub fn report(module: Module, scan: &Scan, wanted: Wanted, keeps_not: &KeepsNot) -> Vec<Remark> {
    let others = OtherProcedures::new(module, keeps_not);
    let steps = Steps::new(module);
    let owners = Owners::new(&steps);
    // The calls that turn a trampoline's memory into an address, indexed by the memory's alias class. Two memory areas
    // share a class if they may be the same: an optimizer may have merged them, or an OpenMP region may receive one
    // from its host.
    let mut adjusts: HashMap<usize, Vec<Value>> = HashMap::new();
    for adjust in &scan.adjusts {
        adjusts.entry(adjust.class).or_default().push(adjust.adjust);
    }
    // The remarks are in the order in which the procedures' addresses are first taken.
    let mut remarks: Vec<(&Site, Verdict)> = Vec::new();
    let mut known: HashMap<Value, usize> = HashMap::new();
    let mut outlives: HashMap<(Value, Value), bool> = HashMap::new();
    for site in &scan.sites {
        let verdict = at_site(&owners, &others, site, &adjusts, &mut outlives);
        match known.get(&site.callee) {
            Some(index) if verdict.rank() > remarks[*index].1.rank() => remarks[*index] = (site, verdict),
            Some(_) => {}
            None => {
                known.insert(site.callee, remarks.len());
                remarks.push((site, verdict));
            }
        }
    }
    remarks.into_iter().map(|(site, verdict)| remark(site, verdict, wanted)).collect()
}

fn at_site(
    owners: &Owners,
    others: &OtherProcedures,
    site: &Site,
    adjusts: &HashMap<usize, Vec<Value>>,
    outlives: &mut HashMap<(Value, Value), bool>,
) -> Verdict {
    let Some(host) = host(owners, site) else {
        return Verdict::May(site.init, "its host is not visible".into());
    };
    let mut flow = Flow::new(owners, others, host, site.function);
    let outlives = outlives
        .entry((host, site.function))
        .or_insert_with(|| tasks::function_outlives(host, site.function, &others.tasks));
    if *outlives {
        flow.may(site.init, TASK_OUTLIVES);
    }
    for adjust in adjusts.get(&site.class).into_iter().flatten() {
        flow.address(*adjust);
    }
    flow.verdict
}

/// Returns the function that owns the tuple used as a site's chain.
fn host(owners: &Owners, site: &Site) -> Option<Value> {
    let locations = owners.locations(&Contexts::new(), None, site.chain, ROOT);
    if !locations.all {
        return None;
    }
    let mut hosts = locations.seen.into_iter().map(|(owner, _)| match owner {
        Owner::Frame(tuple, _) if tuple.opcode() == Some(ALLOCA) => Some(tuple.function()),
        _ => None,
    });
    let host = hosts.next()??;
    hosts.all(|other| other == Some(host)).then_some(host)
}

fn remark(site: &Site, verdict: Verdict, wanted: Wanted) -> Remark {
    let (severity, at, says) = match verdict {
        Verdict::No => (Severity::Note, site.init, "does not escape".into()),
        Verdict::AtEnd => (
            Severity::Note,
            site.init,
            "does not escape, except to code that may run after the program has ended".into(),
        ),
        Verdict::May(at, why) => (Severity::Warning, at, format!("may escape: {why}")),
        Verdict::Escapes(at, why) if wanted == Wanted::Error => {
            (Severity::Error, at, format!("escapes: {why}"))
        }
        Verdict::Escapes(at, why) => (Severity::Warning, at, format!("escapes: {why}")),
    };
    let name = procedure(&site.callee.name());
    Remark::new(severity, at, format!("the internal procedure '{name}' {says}")).taken_at(site.init)
}
