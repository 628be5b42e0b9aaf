//! Lines of flang's parse-tree dump.

/// A line of the dump. It consists of nodes, each of which is the parent of the next, and the text of
/// the last node.
pub struct Line<'a> {
    pub depth: usize,
    pub nodes: Vec<&'a str>,
    pub text: Option<&'a str>,
}

/// Parses a line. Returns `None` if its form is unknown.
pub fn parse_line(line: &str) -> Option<Line<'_>> {
    let mut rest = line;
    let mut depth = 0;
    while let Some(after) = rest.strip_prefix("| ") {
        (rest, depth) = (after, depth + 1);
    }
    // `Name = 'x'`, `Intent = In`, `Flags = {}`
    let (nodes, text) = match rest.split_once(" = ") {
        Some((nodes, value)) => match value.strip_prefix('\'') {
            Some(text) => (nodes, Some(text.strip_suffix('\'')?)),
            None => (nodes, None),
        },
        None => (rest, None),
    };
    let nodes: Vec<&str> = nodes.trim_end().trim_end_matches("->").trim_end().split(" -> ").collect();
    // `uint64_t`, `char *`, `std::string`
    let is_node = |it: &&str| {
        it.starts_with(|c: char| c.is_ascii_alphabetic())
            && it.chars().all(|c| c.is_ascii_alphanumeric() || "_:*<>, ".contains(c))
    };
    nodes.iter().all(is_node).then_some(Line { depth, nodes, text })
}

/// Returns the lines that are nested under a line.
pub fn children<'a, 'b>(lines: &'b [Line<'a>], of: usize) -> &'b [Line<'a>] {
    let below = lines[of + 1..].iter().take_while(|it| it.depth > lines[of].depth).count();
    &lines[of + 1..][..below]
}
