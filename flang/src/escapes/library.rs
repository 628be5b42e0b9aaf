//! What the run-time libraries do with an argument: `library.txt`.

/// What a function does with an argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Use {
    /// No procedure whose address is passed, or is in the memory that is passed, is called when the call has returned, and
    /// the call sets no base address in a descriptor. The address of data may be kept.
    Nothing,
    /// Procedures of the type of what lies there may be run: its end, its input and output.
    ItsType,
    /// Such a procedure is run.
    InputOutput,
    /// What lies there is copied to where the first argument's descriptor leads.
    Copies,
    /// The address is kept, and called later.
    Keeps,
}

/// What is known of a function and an argument, counted from 0.
pub fn known_use(name: &str, position: u32) -> Option<Use> {
    rows()
        .find(|(pattern, argument, _)| argument.is_none_or(|it| it == position) && matches(pattern, name))
        .map(|row| row.2)
}

/// The function's name, the argument, if it is one, and what is done with it.
fn rows() -> impl Iterator<Item = (&'static str, Option<u32>, Use)> {
    include_str!("library.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#')).map(
        |line| {
            let mut words = line.split(' ');
            let row = (|| {
                let (pattern, argument, what) = (words.next()?, words.next()?, words.next()?);
                let argument = if argument == "*" { None } else { Some(argument.parse().ok()?) };
                let what = match what {
                    "nothing" => Use::Nothing,
                    "its-type" => Use::ItsType,
                    "io-of-type" => Use::InputOutput,
                    "copies" => Use::Copies,
                    "keeps" => Use::Keeps,
                    _ => return None,
                };
                Some((pattern, argument, what))
            })();
            row.unwrap_or_else(|| panic!("library.txt is wrong: {line}"))
        },
    )
}

/// Whether a name is the pattern's, with a number for its `<kind>`.
pub fn matches(pattern: &str, name: &str) -> bool {
    let Some((before, after)) = pattern.split_once("<kind>") else { return pattern == name };
    let kind = name.strip_prefix(before).and_then(|rest| rest.strip_suffix(after));
    kind.is_some_and(|kind| !kind.is_empty() && kind.bytes().all(|byte| byte.is_ascii_digit()))
}
