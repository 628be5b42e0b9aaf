//! Escapes names from other sources, so that no terminal interprets them as commands.

use std::fmt::Write;

/// Escapes a name for display. Unprintable characters, and all non-ASCII characters if the locale does not use UTF-8, are
/// written as in a Rust literal. Bytes that are not valid UTF-8 are written as `\xff`. Quotation marks are not escaped.
/// On Windows, backslashes are not escaped either, because they separate the components of a path.
pub fn shown(name: &[u8]) -> String {
    escaped(name, has_utf8())
}

fn escaped(name: &[u8], utf8: bool) -> String {
    let mut text = String::with_capacity(name.len());
    for chunk in name.utf8_chunks() {
        for character in chunk.valid().chars() {
            match character {
                '\'' | '"' => text.push(character),
                '\\' if cfg!(windows) => text.push(character),
                _ if !character.is_ascii() && !utf8 => text.extend(character.escape_unicode()),
                _ => text.extend(character.escape_debug()),
            }
        }
        for byte in chunk.invalid() {
            let _ = write!(text, "\\x{byte:02x}");
        }
    }
    text
}

/// Returns whether the locale's encoding is UTF-8 (`locale(7)`). Windows consoles accept all characters.
fn has_utf8() -> bool {
    if cfg!(windows) {
        return true;
    }
    let locale =
        ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().filter_map(std::env::var_os).find(|v| !v.is_empty());
    let name = locale.unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    name.contains("utf-8") || name.contains("utf8")
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn control_characters_in_names_are_escaped() {
        for (name, wanted) in [
            (&b"plain_name.so.1"[..], "plain_name.so.1"),
            (b"it's \"quoted\"", "it's \"quoted\""),
            (b"\x1b[2J\x07\r\n\x7f", "\\u{1b}[2J\\u{7}\\r\\n\\u{7f}"),
            (b"back\\slash", if cfg!(windows) { "back\\slash" } else { "back\\\\slash" }),
            (b"\xff\xc3(", "\\xff\\xc3("),
            ("\u{9b}31m \u{202e}gnirts\u{2028}".as_bytes(), "\\u{9b}31m \\u{202e}gnirts\\u{2028}"),
            ("größe".as_bytes(), "größe"),
        ] {
            assert_eq!(escaped(name, true), wanted);
            assert!(escaped(name, false).is_ascii());
        }
    }
}
