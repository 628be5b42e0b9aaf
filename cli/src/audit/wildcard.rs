//! Name patterns: `*` stands for any bytes, including slashes, and `?` for one byte.

/// Returns whether the pattern matches the whole name.
pub fn matches(pattern: &[u8], name: &[u8]) -> bool {
    let (mut at, mut next) = (0, 0);
    // The position after the pattern's last `*` so far, and the position in the name at which the rest of the pattern
    // was last tried.
    let mut star: Option<(usize, usize)> = None;
    while at < name.len() {
        match pattern.get(next) {
            Some(b'*') => {
                star = Some((next + 1, at));
                next += 1;
            }
            Some(&byte) if byte == b'?' || Some(&byte) == name.get(at) => {
                at += 1;
                next += 1;
            }
            _ => match star {
                Some((after, tried)) => {
                    star = Some((after, tried + 1));
                    next = after;
                    at = tried + 1;
                }
                None => return false,
            },
        }
    }
    pattern.get(next..).unwrap_or_default().iter().all(|&byte| byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn a_star_matches_any_text_including_slashes_and_the_empty_string() {
        for (pattern, name, wanted) in [
            ("*/lib/*.so", "usr/lib/a.so", true),
            ("*/lib/*.so", "usr/lib/x/a.so", true),
            ("*/lib/*.so", "usr/lib/a.so.1", false),
            ("*.deb:usr/lib/*", "pool/x.deb:usr/lib/y.so", true),
            ("a?c", "abc", true),
            ("a?c", "ac", false),
            ("*", "", true),
            ("", "", true),
            ("", "a", false),
            ("*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false),
        ] {
            assert_eq!(matches(pattern.as_bytes(), name.as_bytes()), wanted, "{pattern} {name}");
        }
    }
}
