//! Manual pages: the templates in a crate's `man/`, filled with the comments and declarations of headers, are the pages in
//! its `install/man/`. A line of a template is troff, or one of:
//!
//! | line | |
//! |---|---|
//! | `@TITLE NAMES: TEXT` | the head of the page, and the section NAME |
//! | `@SYNOPSIS NAMES` | the declarations of these functions; each such line is a group |
//! | `@DOC NAME` | the paragraphs of the comment that precede the one that begins with "Returns" |
//! | `@RETURNS NAME` | the others |
//! | `@ITEM NAME` | the whole comment below the name, and the members of a type |
//! | `@ATTRIBUTES` | the section ATTRIBUTES of functions for any thread and signal handler |

mod header;
mod troff;

use header::{Entry, entries};
use std::{env, fs, path::Path};

/// The headers of a crate.
pub struct Headers(Vec<(&'static str, Vec<Entry>)>);

impl Headers {
    /// Reads headers in the crate's `include/`.
    pub fn read(root: &Path, names: &[&'static str]) -> Headers {
        let read = |&name| (name, entries(&fs::read_to_string(root.join("include").join(name)).unwrap()));
        Headers(names.iter().map(read).collect())
    }

    /// Returns the functions that the headers declare.
    pub fn functions(&self) -> impl Iterator<Item = &Entry> {
        self.0.iter().flat_map(|(_, entries)| entries).filter(|entry| entry.is_function())
    }

    fn find(&self, name: &str) -> (&'static str, &Entry) {
        let found = self.0.iter().find_map(|(header, entries)| {
            entries.iter().find(|entry| entry.name == name).map(|entry| (*header, entry))
        });
        found.unwrap_or_else(|| panic!("no header declares {name}"))
    }
}

/// A page, and the functions that it describes.
struct Page<'a> {
    headers: &'a Headers,
    house: &'a str,
    own: Vec<&'a str>,
    text: String,
    synopsis: bool,
}

impl<'a> Page<'a> {
    fn line(&mut self, line: &'a str) {
        let (directive, rest) = line.split_once(' ').unwrap_or((line, ""));
        if self.synopsis && directive != "@SYNOPSIS" {
            self.push(&[".fi", ".PP", "Link with \\fI\\-lstatictramp\\fP."]);
            self.synopsis = false;
        }
        match directive {
            "@TITLE" => self.title(rest),
            "@SYNOPSIS" => self.synopsis(rest),
            "@DOC" => self.paragraphs(self.comment(rest, false), ".PP"),
            "@RETURNS" => self.paragraphs(self.comment(rest, true), ".PP"),
            "@ITEM" => self.item(rest),
            "@ATTRIBUTES" => self.push(&[".SH ATTRIBUTES", "MT-Safe, AS-Safe, AC-Safe."]),
            _ => self.push(&[line]),
        }
    }

    fn push(&mut self, lines: &[&str]) {
        for line in lines {
            self.text.push_str(line);
            self.text.push('\n');
        }
    }

    fn title(&mut self, rest: &'a str) {
        let (names, about) = rest.split_once(": ").expect("names and a text");
        self.own = names.split(", ").collect();
        let house = self.house;
        let made_from = format!(
            ".\\\" Made from {house}/man and the comments of the header by a test of {house}/, which also checks that this page is up to date."
        );
        let head = format!(
            ".TH {} 3 \"\" \"statictramp @VERSION@\" \"Library Functions Manual\"",
            self.own[0].to_uppercase()
        );
        self.push(&[&made_from, &head, ".SH NAME", &format!("{names} \\- {about}")]);
    }

    fn synopsis(&mut self, names: &str) {
        let found: Vec<_> = names.split(", ").map(|name| self.headers.find(name)).collect();
        if !self.synopsis {
            self.push(&[".SH SYNOPSIS", ".nf", &format!(".B #include <{}>", found[0].0)]);
            self.synopsis = true;
        }
        self.push(&[".PP"]);
        found.iter().for_each(|(_, entry)| self.push(&[&troff::declaration(&entry.declaration)]));
    }

    /// Returns the paragraphs from the first one that begins with "Returns" on, or all paragraphs before it.
    fn comment(&self, name: &str, returns: bool) -> Vec<String> {
        let paragraphs = &self.headers.find(name).1.paragraphs;
        let first =
            paragraphs.iter().position(|text| text.starts_with("Returns")).unwrap_or(paragraphs.len());
        let wanted = if returns { &paragraphs[first..] } else { &paragraphs[..first] };
        assert!(!wanted.is_empty(), "the comment of {name} has no such paragraph");
        wanted.to_vec()
    }

    fn paragraphs(&mut self, paragraphs: Vec<String>, between: &str) {
        let page = |name: &str| {
            self.headers.functions().any(|entry| entry.name == name) && !self.own.contains(&name)
        };
        let texts: Vec<_> = paragraphs.iter().map(|text| troff::paragraph(text, page)).collect();
        for (number, text) in texts.iter().enumerate() {
            if number > 0 && !text.starts_with(".TP") {
                self.push(&[between]);
            }
            self.push(&[text]);
        }
    }

    fn item(&mut self, name: &str) {
        let entry = self.headers.find(name).1;
        self.push(&[".TP", &format!(".B {name}")]);
        self.paragraphs(entry.paragraphs.clone(), ".IP");
        let members = entry.members();
        if members.iter().any(|(_, about)| about.is_empty()) {
            let names: Vec<_> = members.iter().map(|(member, _)| member.as_str()).collect();
            self.push(&[".IP"]);
            self.paragraphs(vec![names.join(", ")], ".IP");
        }
        if members.is_empty() {
            return;
        }
        self.push(&[".RS"]);
        for (member, about) in members.into_iter().filter(|(_, about)| !about.is_empty()) {
            self.push(&[".TP", &format!(".B {member}")]);
            self.paragraphs(vec![about], ".IP");
        }
        self.push(&[".RE"]);
    }
}

/// Compares the pages in `root` with its templates, of which there are at least `fewest`, or writes the pages. `house` is the
/// name of the folder `root`.
pub fn assert_pages_match(root: &Path, house: &str, headers: &Headers, fewest: usize) {
    let mut templates: Vec<_> =
        fs::read_dir(root.join("man")).unwrap().map(|file| file.unwrap().path()).collect();
    templates.sort();
    assert!(templates.len() >= fewest);
    for template in templates {
        let source = fs::read_to_string(&template).unwrap();
        let mut page = Page { headers, house, own: Vec::new(), text: String::new(), synopsis: false };
        source.lines().for_each(|line| page.line(line));
        let name = template.file_stem().unwrap().to_str().unwrap();
        let path = root.join("install/man").join(name);
        if env::var_os("STATICTRAMP_WRITE_HEADER").is_some() {
            fs::write(&path, &page.text).unwrap();
        }
        assert!(
            fs::read_to_string(&path).unwrap_or_default() == page.text,
            "install/man/{name} is out of date; STATICTRAMP_WRITE_HEADER=1 writes it again"
        );
    }
}
