//! `api GENERIC`: prints the items of a crate that a safe caller can reach, from rustdoc's JSON with hidden items on
//! standard input.
//!
//! There is one line for each function, method, type, trait, constant and macro with its path, and one for each type's
//! Send and Sync status: by an unsafe impl, by its parts, or not implemented. `unsafe` follows items that only unsafe
//! code can call or implement. The types that have parameters, which may therefore borrow, are written to the file
//! GENERIC.

use crate::{Outcome, print, usage, write};
use serde_json::Value;
use std::collections::{BTreeSet, HashSet};

pub fn run(arguments: &[&str]) -> Outcome {
    let [generic] = arguments else { return Err(usage("GENERIC, with rustdoc's JSON as input")) };
    let all: Value = serde_json::from_reader(std::io::stdin()).map_err(|why| format!("the JSON: {why}"))?;
    let mut search = Search { index: &all["index"], ..Search::default() };
    let root = search.item(&all["root"]).ok_or("the JSON has no root module")?;
    for id in list(&root["inner"]["module"]["items"]) {
        search.walk(id, "");
    }
    write(generic, lines(&search.generic).as_bytes())?;
    print(&lines(&search.lines))
}

fn lines(of: &BTreeSet<String>) -> String {
    of.iter().map(|line| format!("{line}\n")).collect()
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Returns the kind of an item, and its description.
fn kind(item: &Value) -> Option<(&str, &Value)> {
    let (kind, data) = item["inner"].as_object()?.iter().next()?;
    Some((kind, data))
}

fn is_public(item: &Value) -> bool {
    item["visibility"] == "public"
}

static NOTHING: Value = Value::Null;

struct Search<'a> {
    index: &'a Value,
    lines: BTreeSet<String>,
    generic: BTreeSet<String>,
    seen: HashSet<String>,
}

impl Default for Search<'_> {
    fn default() -> Self {
        Search { index: &NOTHING, lines: BTreeSet::new(), generic: BTreeSet::new(), seen: HashSet::new() }
    }
}

impl<'a> Search<'a> {
    fn item(&self, id: &Value) -> Option<&'a Value> {
        let id = id.as_str().map_or_else(|| id.to_string(), str::to_owned);
        self.index.get(&id)
    }

    fn add(&mut self, path: &str, is_unsafe: &Value) {
        let mark = if is_unsafe.as_bool() == Some(true) { " unsafe" } else { "" };
        self.lines.insert(format!("{path}{mark}"));
    }

    fn walk(&mut self, id: &Value, path: &str) {
        let Some(item) = self.item(id).filter(|item| is_public(item)) else { return };
        let Some((kind, data)) = kind(item) else { return };
        if kind != "use" {
            return self.named(item, &format!("{path}{}", text(&item["name"])));
        }
        let Some(to) = self.item(&data["id"]) else { return };
        if data["is_glob"] == true {
            list(&to["inner"]["module"]["items"]).for_each(|id| self.walk(id, path));
        } else {
            self.named(to, &format!("{path}{}", text(&data["name"])));
        }
    }

    fn named(&mut self, item: &'a Value, path: &str) {
        if !self.seen.insert(format!("{} {path}", item["id"])) {
            return;
        }
        let Some((kind, data)) = kind(item) else { return };
        match kind {
            "module" => list(&data["items"]).for_each(|id| self.walk(id, &format!("{path}::"))),
            "function" => self.add(path, &data["header"]["is_unsafe"]),
            "trait" => {
                self.add(path, &data["is_unsafe"]);
                for member in list(&data["items"]) {
                    let member = self.item(member).filter(|it| it["inner"]["function"].is_object());
                    self.member(path, member);
                }
            }
            "struct" | "enum" | "union" => {
                self.add(path, &NOTHING);
                self.inherent(data, path);
                if list(&data["generics"]["params"]).next().is_some() {
                    self.generic.insert(path.to_owned());
                }
            }
            _ => self.add(path, &NOTHING),
        }
    }

    fn member(&mut self, path: &str, member: Option<&Value>) {
        if let Some(member) = member {
            let path = format!("{path}::{}", text(&member["name"]));
            self.add(&path, &member["inner"]["function"]["header"]["is_unsafe"]);
        }
    }

    /// Adds a type's methods, and its Send and Sync status.
    fn inherent(&mut self, data: &Value, path: &str) {
        let (mut send, mut sync) = ("0", "0");
        for id in list(&data["impls"]) {
            let Some(of) = self.item(id).map(|it| &it["inner"]["impl"]) else { continue };
            if of["trait"].is_null() {
                for member in list(&of["items"]) {
                    let member = self.item(member).filter(|member| is_public(member));
                    self.member(path, member);
                }
            } else if of["blanket_impl"].is_null() {
                // A type implements the trait through an unsafe impl, or because all its parts do (perhaps
                // conditionally), or not at all.
                let status = match (of["is_synthetic"] == true, of["is_negative"] == true) {
                    (true, true) => "no",
                    (true, false) => "auto",
                    (false, _) => "impl",
                };
                match text(&of["trait"]["path"]) {
                    "Send" => send = status,
                    "Sync" => sync = status,
                    _ => {}
                }
            }
        }
        self.add(&format!("{path}: Send {send}, Sync {sync}"), &NOTHING);
    }
}
