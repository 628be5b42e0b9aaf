//! SARIF 2.1.0 output: a single run, with one result for each tag of a file.

use super::Judged;
use super::tags::{self, Tag};
use serde_json::{Value, json};

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";
const PAGE: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main/docs/audit.md");
/// Maximum number of code addresses in one result.
const MOST_PLACES: usize = 100;

/// The run so far.
#[derive(Default)]
pub struct Run {
    /// The number of results that have been printed.
    results: usize,
    notifications: Vec<Value>,
}

impl Run {
    /// Adds a remark about an input.
    pub fn notify(&mut self, name: &[u8], why: &str, level: &str) {
        let location = json!({ "physicalLocation": { "artifactLocation": { "uri": uri(name) } } });
        self.notifications.push(json!({
            "level": level,
            "message": { "text": why },
            "locations": [location],
        }));
    }

    /// Returns a file's results as printable text.
    pub fn file(&mut self, judged: &Judged<'_>) -> String {
        let sentence = judged.verdict.sentence(&judged.file.facts);
        let mut text = String::new();
        let accepted = judged.excepted.iter().map(|it| (it.tag, Some(it.reason.as_str())));
        for (tag, reason) in judged.tags.iter().map(|&tag| (tag, None)).chain(accepted) {
            let is_verdict = tag.name.starts_with("stack-");
            let message = if is_verdict { sentence.as_str() } else { tag.meaning };
            let mut value = result(tag, &judged.name, message, reason);
            if is_verdict && let Some(locations) = value.get_mut("locations").and_then(Value::as_array_mut) {
                for written in judged.file.facts.writes.iter().take(MOST_PLACES) {
                    let mut location = json!({
                        "physicalLocation": {
                            "artifactLocation": { "uri": uri(&judged.name) },
                            "address": { "absoluteAddress": written.address },
                        },
                    });
                    // SARIF stores an address as a signed 64-bit number, so addresses above 2^63 are omitted.
                    if i64::try_from(written.address).is_err() {
                        continue;
                    }
                    if let Some(function) = &written.function {
                        location["logicalLocations"] = json!([{ "name": **function, "kind": "function" }]);
                    }
                    locations.push(location);
                }
            }
            text.push_str(&self.printed(&value));
        }
        text
    }

    /// Formats a result that has no code addresses as printable text.
    pub fn result(&mut self, tag: &Tag, name: &[u8], message: &str, reason: Option<&str>) -> String {
        self.printed(&result(tag, name, message, reason))
    }

    fn printed(&mut self, value: &Value) -> String {
        let before = if self.results == 0 { start() } else { ",".into() };
        self.results += 1;
        format!("{before}\n{value}")
    }

    /// Returns the rest of the output.
    pub fn end(&mut self, unreadable: usize, unused: &[String]) -> String {
        let before = if self.results == 0 { start() } else { String::new() };
        for line in unused {
            let message = format!("unused exception: {line}");
            self.notifications.push(json!({ "level": "note", "message": { "text": message } }));
        }
        let invocation = json!([{
            "executionSuccessful": unreadable == 0,
            "toolExecutionNotifications": self.notifications,
        }]);
        format!("{before}\n],\n\"invocations\": {invocation}\n}}]\n}}\n")
    }
}

/// Returns the beginning of the output, which contains the rules.
fn start() -> String {
    let rules: Vec<Value> = tags::ALL
        .iter()
        .map(|tag| {
            json!({
                "id": tag.name,
                "shortDescription": { "text": tag.meaning },
                "helpUri": PAGE,
                "defaultConfiguration": { "level": tag.level.word() },
                "properties": { "lintian": tag.lintian, "rpmlint": tag.rpmlint },
            })
        })
        .collect();
    let driver = json!({
        "name": "statictramp",
        "version": env!("CARGO_PKG_VERSION"),
        "informationUri": PAGE,
        "rules": rules,
    });
    format!(
        "{{\n\"$schema\": \"{SCHEMA}\",\n\"version\": \"2.1.0\",\n\"runs\": [{{\n\"tool\": {{ \"driver\": {driver} }},\n\"results\": ["
    )
}

fn result(tag: &Tag, name: &[u8], message: &str, reason: Option<&str>) -> Value {
    let mut value = json!({
        "ruleId": tag.name,
        "ruleIndex": tags::ALL.iter().position(|it| it == tag),
        "level": tag.level.word(),
        "message": { "text": message },
        "locations": [{ "physicalLocation": { "artifactLocation": { "uri": uri(name) } } }],
    });
    if let Some(reason) = reason {
        value["suppressions"] = json!([{ "kind": "external", "justification": reason }]);
    }
    value
}

/// Returns a name as a URI reference (RFC 3986). Bytes that a URI cannot contain are percent-encoded. A colon is
/// encoded, too, because in a relative name the text before it would otherwise be read as a scheme.
fn uri(name: &[u8]) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/!$&'()*+,;=@".contains(&byte);
    name.iter()
        .map(|&byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::uri;

    #[test]
    fn a_uri_has_no_other_bytes() {
        assert_eq!(uri(b"x.deb:usr/lib/a b.so"), "x.deb%3Ausr/lib/a%20b.so");
        assert_eq!(uri(b"\xff%"), "%FF%25");
    }
}
