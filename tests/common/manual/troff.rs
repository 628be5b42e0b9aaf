//! Formats text and declarations for troff.

use super::header::last_word;

const WIDTH: usize = 110;

/// Returns a declaration with its parameters in italics, broken into lines of moderate length.
pub fn declaration(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = text.replace("unsigned int ", "unsigned ");
    if let Some(rest) = text.strip_prefix("#define ") {
        let name = rest.split(' ').next().unwrap_or_default();
        // A macro with parameters.
        let end = if name.contains('(') { rest.find(')').map(|end| end + 1) } else { None };
        return format!(".B #define {}", end.map_or(name, |end| &rest[..end]));
    }
    let open = if text.starts_with("typedef") { text.find(")(").map(|at| at + 1) } else { text.find('(') };
    let Some(open) = open.filter(|_| !text.ends_with("(void)")) else { return format!(".B {text};") };
    let mut lines = vec![vec![text[..=open].to_string()]];
    let mut width = open;
    let parameters = split(text[open + 1..].strip_suffix(')').expect("a function"));
    for (number, parameter) in parameters.iter().enumerate() {
        if width + parameter.len() > WIDTH - 10 {
            lines.push(vec!["    ".to_string()]);
            width = 0;
        }
        width += parameter.len();
        // The name of a function pointer is in the middle of its declaration.
        let (declared, after) =
            match parameter.find("(*").and_then(|at| parameter[at..].find(')').map(|end| at + end)) {
                Some(end) => parameter.split_at(end),
                None => (*parameter, ""),
            };
        let name = last_word(declared);
        let before = &declared[..declared.len() - name.len()];
        let line = lines.last_mut().expect("one");
        line.last_mut().expect("one").push_str(before);
        line.push(name.to_string());
        line.push(if number + 1 < parameters.len() { format!("{after}, ") } else { format!("{after});") });
    }
    let line = |line: Vec<String>| {
        let quoted = line.iter().enumerate().map(|(at, text)| {
            let text = if at + 1 == line.len() { text.trim_end() } else { text };
            if text.contains(' ') || text.contains(',') && at == 0 {
                format!("\"{text}\"")
            } else {
                text.to_string()
            }
        });
        format!(".BI {}", quoted.collect::<Vec<_>>().join(" "))
    };
    lines.into_iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Returns the parameters. A parameter that is a pointer to a function has its own parameters.
fn split(parameters: &str) -> Vec<&str> {
    let (mut found, mut depth, mut begin) = (Vec::new(), 0, 0);
    for (at, c) in parameters.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                found.push(parameters[begin..at].trim());
                begin = at + 1;
            }
            _ => {}
        }
    }
    found.push(parameters[begin..].trim());
    found
}

/// Returns a paragraph of a comment, with each sentence on its own line. `has_page` returns whether a function is
/// described on another page.
pub fn paragraph(text: &str, has_page: impl Fn(&str) -> bool) -> String {
    let list = text.strip_prefix(' ').and_then(|line| line.split_once(' '));
    let (prefix, text) = match list {
        Some((value, rest)) => (format!(".TP\n{}\n", literal(value)), rest),
        None => (String::new(), text),
    };
    let lines = split_at_full_stops(text).into_iter().flat_map(|text| wrap(&markup(text, &has_page)));
    // A line that begins with a dot or an apostrophe would be a troff request.
    let lines = lines.map(|line| if line.starts_with(['.', '\'']) { format!("\\&{line}") } else { line });
    prefix + &lines.collect::<Vec<_>>().join("\n")
}

fn split_at_full_stops(text: &str) -> Vec<&str> {
    let (mut found, mut begin) = (Vec::new(), 0);
    for (at, _) in text.match_indices(". ") {
        let next = text[at + 2..].chars().next().unwrap_or(' ');
        if next.is_ascii_uppercase() || next == '`' || text[at + 2..].starts_with("statictramp_") {
            found.push(&text[begin..=at]);
            begin = at + 2;
        }
    }
    found.push(&text[begin..]);
    found
}

/// Marks words with the fonts that manual pages use: names of functions and constants are bold, and text that is in
/// backticks in the comment is in italics.
fn markup(text: &str, has_page: impl Fn(&str) -> bool) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if let Some((code, after)) = rest.strip_prefix('`').and_then(|rest| rest.split_once('`')) {
            out += &format!("\\fI{}\\fP", literal(code));
            rest = after;
            continue;
        }
        let word = &rest[..rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len())];
        if word.is_empty() {
            let after = &rest[c.len_utf8()..];
            let is_minus =
                c == '-' && !out.ends_with(char::is_alphanumeric) && after.starts_with(char::is_alphanumeric);
            out += &if is_minus { "\\-".to_string() } else { escape(&c.to_string()) };
            rest = after;
            continue;
        }
        rest = &rest[word.len()..];
        out += &match word {
            "abort" | "getenv" | "longjmp" => format!("\\fB{word}\\fP(3)"),
            "errno" => format!("\\fI{word}\\fP"),
            "EINVAL" | "ENOMEM" => format!("\\fB{word}\\fP"),
            _ if word.starts_with("STATICTRAMP_") => format!("\\fB{word}\\fP"),
            _ if has_page(word) && !rest.starts_with("(3)") => format!("\\fB{word}\\fP(3)"),
            _ if word.starts_with("statictramp_") => format!("\\fB{word}\\fP"),
            _ => word.to_string(),
        };
    }
    out
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\e").replace('\'', "\\(aq")
}

/// Does the same as [`escape`], and converts each hyphen to a minus sign, which can be copied.
fn literal(text: &str) -> String {
    escape(text).replace('-', "\\-")
}

fn wrap(text: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().expect("one");
        if line.is_empty() {
            line.push_str(word);
        } else if line.len() + word.len() < WIDTH {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_string());
        }
    }
    lines
}
