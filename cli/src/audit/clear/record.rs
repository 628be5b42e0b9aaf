//! RECORD, the list of a wheel's files with their checksums and lengths.

use std::collections::BTreeMap;

/// The old and new SHA-256 checksums of a changed file, and its new length.
pub struct Entry {
    pub old_sum: [u8; 32],
    pub sum: [u8; 32],
    pub len: u64,
}

/// Updates the lines of changed files in RECORD, drops the lines of removed files, and returns the result.
///
/// # Errors
/// Returns an error message if a line is invalid, a changed file is not listed exactly once, or the file's original
/// contents do not match their SHA-256 in RECORD. (In the last case, the new RECORD would vouch for contents that the
/// old one rejects.)
pub fn updated(
    record: &[u8],
    changed: &BTreeMap<Vec<u8>, Entry>,
    removed: &[Vec<u8>],
) -> Result<Vec<u8>, String> {
    let mut all = Vec::with_capacity(record.len());
    let mut done = 0;
    for line in record.split_inclusive(|&byte| byte == b'\n') {
        let text = line.trim_ascii_end();
        let end = line.get(text.len()..).unwrap_or_default();
        let (path, quoted) = path(text).ok_or("its RECORD has an invalid line")?;
        if removed.contains(&path) {
            continue;
        }
        match changed.get(&path) {
            None => all.extend(line),
            Some(entry) => {
                done += 1;
                let fields = text.get(quoted.len()..).unwrap_or_default();
                if let Some(sum) = fields.strip_prefix(b",sha256=")
                    && !sum.starts_with(format!("{},", base64(&entry.old_sum)).as_bytes())
                {
                    return Err("its RECORD has the wrong checksum for a file that must be changed".into());
                }
                all.extend(quoted);
                all.extend(format!(",sha256={},{}", base64(&entry.sum), entry.len).into_bytes());
                all.extend(end);
            }
        }
    }
    if done == changed.len() {
        Ok(all)
    } else {
        Err("its RECORD does not list a changed file exactly once".into())
    }
}

/// Returns a line's path, and the field that contains it. A path with a comma is quoted.
fn path(line: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let Some(rest) = line.strip_prefix(b"\"") else {
        let field = line.split(|&byte| byte == b',').next().unwrap_or_default();
        return Some((field.to_vec(), field));
    };
    let mut path = Vec::new();
    let mut bytes = rest.iter().enumerate().peekable();
    while let Some((at, &byte)) = bytes.next() {
        match (byte, bytes.peek()) {
            (b'"', Some(&(_, b'"'))) => {
                bytes.next();
                path.push(b'"');
            }
            (b'"', None | Some(&(_, b','))) => return Some((path, line.get(..at + 2)?)),
            (b'"', _) => return None,
            _ => path.push(byte),
        }
    }
    None
}

/// Encodes bytes in unpadded, URL-safe base64.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let word =
            group.iter().fold(0u32, |word, &byte| word << 8 | u32::from(byte)) << (8 * (3 - group.len()));
        for digit in 0..=group.len() {
            text.push(char::from(DIGITS[(word >> (18 - 6 * digit)) as usize & 63]));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{Entry, base64, updated};
    use std::collections::BTreeMap;

    #[test]
    fn only_the_lines_for_changed_files_are_rewritten() {
        let old = base64(&[3; 32]);
        let record = format!(
            "a/x.so,sha256={old},3\r\n\"b,\"\"c.so\",sha256={old},4\r\nd,sha384=other,5\nr/RECORD.jws,,\nr/RECORD,,"
        );
        let record = record.as_bytes();
        let entry = |len| Entry { old_sum: [3; 32], sum: [0xfb; 32], len };
        let changed = BTreeMap::from([(b"a/x.so".to_vec(), entry(7)), (b"b,\"c.so".to_vec(), entry(8))]);
        let sum = base64(&[0xfb; 32]);
        let wanted =
            format!("a/x.so,sha256={sum},7\r\n\"b,\"\"c.so\",sha256={sum},8\r\nd,sha384=other,5\nr/RECORD,,");
        let text = updated(record, &changed, &[b"r/RECORD.jws".to_vec()]).unwrap();
        assert_eq!(String::from_utf8(text).unwrap(), wanted);
        let other = Entry { old_sum: [4; 32], ..entry(7) };
        assert!(updated(record, &BTreeMap::from([(b"a/x.so".to_vec(), other)]), &[]).is_err());
        let missing = BTreeMap::from([(b"missing".to_vec(), entry(7))]);
        assert!(updated(record, &missing, &[]).is_err());
        assert!(updated(b"\"a\"b,,\n", &BTreeMap::new(), &[]).is_err());
    }

    #[test]
    fn checksums_have_the_digits_that_wheels_use() {
        assert_eq!(base64(b"\xfb\xff\xfe"), "-__-");
        assert_eq!(base64(b"ab"), "YWI");
        assert_eq!(base64(b"a"), "YQ");
    }
}
