//! The variables of the environment that choose.

/// What a variable chooses; the first choice where it is not set, or empty.
///
/// # Errors
/// A sentence, if it has no value that is known: those are `shown`.
pub fn choice<T: Copy>(variable: &str, choices: &[(&str, T)], shown: &str) -> Result<T, String> {
    let value = std::env::var_os(variable).unwrap_or_default();
    let found = choices.iter().find(|(name, _)| value == *name);
    match found.or(choices.first().filter(|_| value.is_empty())) {
        Some((_, chosen)) => Ok(*chosen),
        None => Err(format!("{variable} is \"{}\", which must be {shown}", value.to_string_lossy())),
    }
}
