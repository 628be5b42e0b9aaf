//! Environment variables that select options.

/// Returns the choice selected by an environment variable, or the first choice if the variable is unset or empty.
///
/// # Errors
/// Returns an error message if the value is invalid. The message includes `shown`, a list of the valid values.
pub fn choice<T: Copy>(variable: &str, choices: &[(&str, T)], shown: &str) -> Result<T, String> {
    let value = std::env::var_os(variable).unwrap_or_default();
    let found = choices.iter().find(|(name, _)| value == *name);
    match found.or(choices.first().filter(|_| value.is_empty())) {
        Some((_, chosen)) => Ok(*chosen),
        None => Err(format!("{variable} is \"{}\", but must be {shown}", value.to_string_lossy())),
    }
}
