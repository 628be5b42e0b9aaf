//! Reads a header that cbindgen generated.

/// A declaration with the comment before it.
pub struct Entry {
    pub name: String,
    /// Each item of a list is a paragraph that begins with a space.
    pub paragraphs: Vec<String>,
    pub declaration: String,
}

impl Entry {
    pub fn is_function(&self) -> bool {
        !self.declaration.starts_with(['#']) && !self.declaration.starts_with("typedef")
    }

    /// Returns the members of a struct or an enumeration, each with its comment.
    pub fn members(&self) -> Vec<(String, String)> {
        let Some((_, body)) = self.declaration.split_once("{\n") else { return Vec::new() };
        let (mut members, mut about, mut inside) = (Vec::new(), String::new(), false);
        for line in body.lines().map(str::trim) {
            match line {
                "/*" => inside = true,
                "*/" => inside = false,
                _ if inside => about = format!("{about} {line}").trim().to_string(),
                _ if line.starts_with('}') => break,
                _ => {
                    let before = line.split(['=', ',', ';']).next().unwrap_or_default();
                    members.push((last_word(before).to_string(), std::mem::take(&mut about)));
                }
            }
        }
        members
    }
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Returns the identifier at the end of a text.
pub fn last_word(text: &str) -> &str {
    let text = text.trim_end();
    &text[text.trim_end_matches(is_word).len()..]
}

fn name_of(declaration: &str) -> &str {
    if let Some((_, rest)) = declaration.split_once("#define ") {
        return &rest[..rest.find(|c| !is_word(c)).unwrap_or(rest.len())];
    }
    let end = match declaration.find("(*") {
        Some(at) if declaration.starts_with("typedef") => at + declaration[at..].find(')').unwrap(),
        _ if declaration.starts_with("typedef") => declaration.len(),
        _ => declaration.find('(').unwrap_or(0),
    };
    last_word(&declaration[..end])
}

/// Returns the comment's paragraphs; a line that is indented further is a separate paragraph.
fn paragraphs(comment: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut ended = true;
    for line in comment.lines() {
        let line = line.strip_prefix(' ').unwrap_or(line);
        let is_list = line.starts_with("  ") || line.starts_with(" -");
        match found.last_mut() {
            _ if line.trim().is_empty() => {}
            Some(text) if !ended && !is_list && !text.starts_with(' ') => {
                text.push(' ');
                text.push_str(line);
            }
            _ => found.push(if is_list { format!(" {}", line.trim()) } else { line.to_string() }),
        }
        ended = line.trim().is_empty();
    }
    found
}

/// Returns all declarations in a header that have a comment.
pub fn entries(header: &str) -> Vec<Entry> {
    let mut found = Vec::new();
    for part in header.split("\n/*").skip(1) {
        let Some((comment, rest)) = part.split_once("*/\n") else { continue };
        let rest = rest.trim_start_matches('\n');
        let end = if rest.starts_with('#') {
            rest.find('\n')
        } else if rest.starts_with("typedef") && rest.lines().next().is_some_and(|line| line.ends_with('{')) {
            rest.find("\n}").and_then(|at| rest[at..].find(';').map(|end| at + end))
        } else {
            rest.find(';')
        };
        let Some(declaration) = end.map(|end| &rest[..end]) else { continue };
        let name = name_of(declaration).to_string();
        found.push(Entry {
            name,
            paragraphs: paragraphs(comment.trim_matches('\n')),
            declaration: declaration.into(),
        });
    }
    found
}
