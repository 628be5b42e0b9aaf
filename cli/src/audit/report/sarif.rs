//! SARIF 2.1.0 output: a single run, with one result for each tag of a file.

use super::Judged;
use super::tags::{self, Level, Tag};
use serde::Serialize;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";
const PAGE: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main/docs/audit.md");
/// Maximum number of code addresses in one result.
const MOST_LOCATIONS: usize = 100;

/// The run so far.
#[derive(Default)]
pub struct Run {
    /// The number of results that have been printed.
    results: usize,
    notifications: Vec<Notification>,
}

#[derive(Serialize)]
struct Text {
    text: String,
}

/// A file and an address in its code.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    #[serde(skip_serializing_if = "Option::is_none")]
    logical_locations: Option<[LogicalLocation; 1]>,
    physical_location: PhysicalLocation,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<Address>,
    artifact_location: ArtifactLocation,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Address {
    absolute_address: i64,
}

#[derive(Serialize)]
struct ArtifactLocation {
    uri: String,
}

#[derive(Serialize)]
struct LogicalLocation {
    kind: &'static str,
    name: String,
}

/// A remark about an input, or about the list of exceptions.
#[derive(Serialize)]
struct Notification {
    level: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    locations: Option<[Location; 1]>,
    message: Text,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Finding<'r> {
    level: Level,
    locations: Vec<Location>,
    message: Text,
    rule_id: &'static Tag,
    rule_index: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    suppressions: Option<[Suppression<'r>; 1]>,
}

#[derive(Serialize)]
struct Suppression<'r> {
    justification: &'r str,
    kind: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Invocation<'r> {
    execution_successful: bool,
    tool_execution_notifications: &'r [Notification],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Driver {
    information_uri: &'static str,
    name: &'static str,
    rules: Vec<Rule>,
    version: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Rule {
    default_configuration: Configuration,
    help_uri: &'static str,
    id: &'static Tag,
    properties: Properties,
    short_description: Text,
}

#[derive(Serialize)]
struct Configuration {
    level: Level,
}

/// The names of similar rules in other tools.
#[derive(Serialize)]
struct Properties {
    lintian: Option<&'static str>,
    rpmlint: Option<&'static str>,
}

impl Location {
    fn of(name: &[u8]) -> Self {
        let physical_location =
            PhysicalLocation { address: None, artifact_location: ArtifactLocation { uri: uri(name) } };
        Location { logical_locations: None, physical_location }
    }
}

impl Run {
    /// Adds a remark about an input.
    pub fn notify(&mut self, name: &[u8], why: &str, level: &'static str) {
        let (message, locations) = (Text { text: why.to_owned() }, Some([Location::of(name)]));
        self.notifications.push(Notification { level, message, locations });
    }

    /// Returns a file's results as printable text.
    pub fn file(&mut self, judged: &Judged<'_>) -> String {
        let verdict = judged.verdict.message(&judged.file.facts);
        let mut text = String::new();
        let accepted = judged.excepted.iter().map(|it| (it.tag, Some(it.reason.as_str())));
        for (tag, reason) in judged.tags.iter().map(|&tag| (tag, None)).chain(accepted) {
            let is_verdict = tag.name.starts_with("stack-");
            let message = if is_verdict { verdict.as_str() } else { tag.meaning };
            let mut found = finding(tag, &judged.name, message, reason);
            for written in judged.file.facts.writes.iter().take(MOST_LOCATIONS).filter(|_| is_verdict) {
                // SARIF stores an address as a signed 64-bit number, so addresses above 2^63 are omitted.
                let Ok(absolute_address) = i64::try_from(written.address) else { continue };
                let mut location = Location::of(&judged.name);
                location.physical_location.address = Some(Address { absolute_address });
                location.logical_locations = written
                    .function
                    .as_ref()
                    .map(|function| [LogicalLocation { name: function.to_string(), kind: "function" }]);
                found.locations.push(location);
            }
            text.push_str(&self.printed(&found));
        }
        text
    }

    /// Formats a result without code addresses as printable text.
    pub fn result(&mut self, tag: &'static Tag, name: &[u8], message: &str, reason: Option<&str>) -> String {
        self.printed(&finding(tag, name, message, reason))
    }

    fn printed(&mut self, finding: &Finding<'_>) -> String {
        let before = if self.results == 0 { start() } else { ",".into() };
        self.results += 1;
        format!("{before}\n{}", line(finding))
    }

    /// Returns the rest of the output.
    pub fn end(&mut self, unreadable: usize, unused: &[String]) -> String {
        let before = if self.results == 0 { start() } else { String::new() };
        for line in unused {
            let message = Text { text: format!("unused exception: {line}") };
            self.notifications.push(Notification { level: "note", message, locations: None });
        }
        let invocation = Invocation {
            execution_successful: unreadable == 0,
            tool_execution_notifications: &self.notifications,
        };
        format!("{before}\n],\n\"invocations\": {}\n}}]\n}}\n", line(&[invocation]))
    }
}

/// Formats a value as JSON on one line.
fn line(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default() // cannot fail: every key is a string
}

/// Returns the beginning of the output, including the rules.
fn start() -> String {
    let rules = tags::ALL.iter().map(|tag| Rule {
        default_configuration: Configuration { level: tag.level },
        help_uri: PAGE,
        id: tag,
        properties: Properties { lintian: tag.lintian, rpmlint: tag.rpmlint },
        short_description: Text { text: tag.meaning.to_owned() },
    });
    let driver = Driver {
        information_uri: PAGE,
        name: "statictramp",
        rules: rules.collect(),
        version: env!("CARGO_PKG_VERSION"),
    };
    let driver = line(&driver);
    format!(
        "{{\n\"$schema\": \"{SCHEMA}\",\n\"version\": \"2.1.0\",\n\"runs\": [{{\n\"tool\": {{ \"driver\": {driver} }},\n\"results\": ["
    )
}

fn finding<'r>(tag: &'static Tag, name: &[u8], message: &str, reason: Option<&'r str>) -> Finding<'r> {
    Finding {
        level: tag.level,
        locations: vec![Location::of(name)],
        message: Text { text: message.to_owned() },
        rule_id: tag,
        rule_index: tags::ALL.iter().position(|it| it == tag),
        suppressions: reason.map(|justification| [Suppression { justification, kind: "external" }]),
    }
}

/// Returns a name as a URI reference (RFC 3986). Percent-encodes bytes that a URI cannot contain. Colons are also
/// encoded, because the text before a colon in a relative name would be read as a scheme.
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
    fn a_uri_contains_only_permitted_bytes() {
        assert_eq!(uri(b"x.deb:usr/lib/a b.so"), "x.deb%3Ausr/lib/a%20b.so");
        assert_eq!(uri(b"\xff%"), "%FF%25");
    }
}
