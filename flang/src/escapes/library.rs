//! Effects of the run-time libraries on their arguments, read from `library.txt`.

/// The effect of a function on an argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Use {
    /// The call does not set a descriptor's base address. After the call returns, the library calls neither the
    /// argument nor any procedure whose address was stored in the memory that the argument points to. The library may
    /// keep the address of data.
    Nothing,
    /// The call may run the final procedures of the argument's type, and its procedures for defined input and output.
    ItsType,
    /// The argument is a procedure for defined input or output, and the call runs it.
    InputOutput,
    /// The call copies the argument's data to the object whose descriptor is the first argument.
    Copies,
    /// The library keeps the address and calls it later.
    Keeps,
}

/// Returns the known effect of a function on the argument with this zero-based index.
pub fn known_use(name: &str, position: u32) -> Option<Use> {
    rows()
        .find(|(pattern, argument, _)| argument.is_none_or(|it| it == position) && matches(pattern, name))
        .map(|row| row.2)
}

/// Returns the rows of the list: a function name, an argument (`None` for all others) and the effect.
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
            row.unwrap_or_else(|| panic!("library.txt has an invalid line: {line}"))
        },
    )
}

/// Returns whether a name matches the pattern, in which `<kind>` stands for a number.
pub fn matches(pattern: &str, name: &str) -> bool {
    let Some((before, after)) = pattern.split_once("<kind>") else { return pattern == name };
    let kind = name.strip_prefix(before).and_then(|rest| rest.strip_suffix(after));
    kind.is_some_and(|kind| !kind.is_empty() && kind.bytes().all(|byte| byte.is_ascii_digit()))
}
