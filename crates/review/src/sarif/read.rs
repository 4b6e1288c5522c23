//! Reads the results of other programs from SARIF logs.

use baton_protocol::sarif::{Log, Message, Region, Rule, RunResult, Tool};
use serde_json::Value;

use crate::finding::{Finding, Kind, Place, Severity};
use crate::report;
use crate::secrets;

/// A log that is larger was not made by a review of a change.
pub const MAX_BYTES: usize = 64 << 20;

/// People do not read more.
const MAX_RESULTS: usize = 10_000;

const MAX_TEXT_LEN: usize = 400;

/// Hard-coded credentials, in the list of weaknesses.
const SECRET: u32 = 798;

/// What a log held.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Imported {
    pub findings: Vec<Finding>,
    /// The names of the programs.
    pub tools: Vec<String>,
    /// Results without a place in a file of the repository.
    pub without_place: usize,
    /// Results beyond what is read.
    pub left_out: usize,
}

#[derive(Debug, thiserror::Error)]
pub enum SarifError {
    #[error("the SARIF log is larger than 64 MiB; let the scanner look at fewer files")]
    TooLarge,
    #[error("the SARIF log cannot be read; let the scanner write SARIF 2.1.0")]
    Json(#[from] serde_json::Error),
    #[error("the SARIF log has version {0}; let the scanner write SARIF 2.1.0")]
    Version(String),
}

/// Reads a log. `root` is where the scanner ran: absolute addresses below it become relative.
pub fn read(bytes: &[u8], root: Option<&str>) -> Result<Imported, SarifError> {
    if bytes.len() > MAX_BYTES {
        return Err(SarifError::TooLarge);
    }
    // Some programs write a byte order mark.
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let log: Log = serde_json::from_slice(bytes)?;
    if !log.version.starts_with("2.1") {
        return Err(SarifError::Version(clean(&log.version)));
    }
    let mut imported = Imported::default();
    for run in log.runs {
        imported.tools.push(clean(&run.tool.driver.name));
        for result in run.results.iter().flatten() {
            if imported.findings.len() >= MAX_RESULTS {
                imported.left_out += 1;
            } else if is_open(result) {
                match finding(&run.tool, result, root) {
                    Some(finding) => imported.findings.push(finding),
                    None => imported.without_place += 1,
                }
            }
        }
    }
    report::fingerprint(&mut imported.findings);
    Ok(imported)
}

/// Not suppressed, not gone, not a success.
fn is_open(result: &RunResult) -> bool {
    result.suppressions.as_ref().is_none_or(Vec::is_empty)
        && result.baseline_state.as_deref() != Some("absent")
        && !matches!(
            result.kind.as_deref(),
            Some("pass" | "notApplicable" | "informational")
        )
        && result.level.as_deref() != Some("none")
}

fn finding(tool: &Tool, result: &RunResult, root: Option<&str>) -> Option<Finding> {
    let physical = result.locations.first()?.physical_location.as_ref()?;
    let path = relative(physical.artifact_location.as_ref()?.uri.as_deref()?, root)?;
    let region = physical.region.as_ref();
    let rule = rule_of(tool, result);
    let id = result
        .rule_id
        .as_deref()
        .or_else(|| result.rule.as_ref()?.id.as_deref())
        .or_else(|| rule.map(|rule| rule.id.as_str()))
        .unwrap_or("unnamed");
    let tool_name = tool.driver.name.to_ascii_lowercase().replace(' ', "-");
    let is_for_secrets = tool_name.contains("gitleaks") || tool_name.contains("trufflehog");
    let cwe = cwe(rule, result).or(is_for_secrets.then_some(SECRET));
    let is_secret = cwe.is_some_and(|cwe| super::family(cwe) == SECRET);
    // Scanners show the secrets that they find.
    let safe = |text: &str| {
        if is_secret {
            secrets::without_quoted(text)
        } else {
            text.to_owned()
        }
    };
    let snippet = region
        .and_then(|region| region.snippet.as_ref())
        .and_then(|snippet| snippet.text.as_deref());
    let excerpt = match snippet {
        Some(text) if is_secret => secrets::hidden(&report::excerpt(text)),
        Some(text) => report::excerpt(&secrets::masked(text)),
        None => String::new(),
    };
    Some(Finding {
        rule: clean(&format!("{tool_name}/{id}")),
        kind: kind(&tool_name, rule, cwe),
        class: cwe
            .and_then(class_of)
            .map_or_else(|| clean(id), str::to_owned),
        cwe,
        severity: severity(rule, result),
        place: place(path, region),
        what: what(rule, id),
        why: message(&result.message).map_or_else(String::new, |text| sentence(&safe(text))),
        remedy: rule
            .and_then(|rule| rule.help.as_ref())
            .and_then(|help| help.text.as_deref())
            .map_or_else(String::new, sentence),
        trace: Vec::new(),
        excerpt,
        fingerprint: String::new(),
    })
}

/// Scanners count from one, and those that do not are not to be trusted.
fn place(path: String, region: Option<&Region>) -> Place {
    let number = |field: fn(&Region) -> Option<u64>| {
        let number = region.and_then(field).unwrap_or(1).max(1);
        u32::try_from(number).unwrap_or(u32::MAX)
    };
    let start_line = number(|region| region.start_line);
    Place {
        path,
        start_line,
        start_column: number(|region| region.start_column),
        end_line: number(|region| region.end_line).max(start_line),
        end_column: number(|region| region.end_column),
    }
}

fn rule_of<'t>(tool: &'t Tool, result: &RunResult) -> Option<&'t Rule> {
    let id = result
        .rule_id
        .as_deref()
        .or_else(|| result.rule.as_ref()?.id.as_deref());
    let index = result.rule_index.or_else(|| result.rule.as_ref()?.index);
    let all = || {
        std::iter::once(&tool.driver)
            .chain(&tool.extensions)
            .flat_map(|component| &component.rules)
    };
    match id {
        Some(id) => all().find(|rule| rule.id == id),
        None => tool.driver.rules.get(usize::try_from(index?).ok()?),
    }
}

fn message(message: &Message) -> Option<&str> {
    message.text.as_deref().or(message.markdown.as_deref())
}

/// Some describe their rules, some only have names for them: `assert_used`.
fn what(rule: Option<&Rule>, id: &str) -> String {
    let described = rule
        .and_then(|rule| rule.short_description.as_ref())
        .and_then(|short| short.text.clone());
    let named = || {
        let name = rule?.name.as_deref().filter(|name| *name != id)?;
        Some(format!("{id}: {}", name.replace('_', " ")))
    };
    let description = described.or_else(named).unwrap_or_else(|| id.to_owned());
    sentence(&description).trim_end_matches('.').to_owned()
}

/// `CodeQL` scores by CVSS, others say a word, all have a level.
fn severity(rule: Option<&Rule>, result: &RunResult) -> Severity {
    let property = |name: &str| {
        let own = result.properties.get(name);
        own.or_else(|| rule.and_then(|rule| rule.properties.get(name)))
    };
    let score = property("security-severity").and_then(|score| match score {
        Value::String(text) => text.parse::<f64>().ok(),
        other => other.as_f64(),
    });
    if let Some(score) = score {
        return match score {
            score if score >= 9.0 => Severity::Critical,
            score if score >= 7.0 => Severity::High,
            score if score >= 4.0 => Severity::Medium,
            _ => Severity::Low,
        };
    }
    let word = ["severity", "issue_severity", "problem.severity"]
        .iter()
        .find_map(|name| property(name)?.as_str());
    let level = result
        .level
        .as_deref()
        .or_else(|| rule?.default_configuration.as_ref()?.level.as_deref());
    match word
        .or(level)
        .unwrap_or("warning")
        .to_ascii_lowercase()
        .as_str()
    {
        "critical" => Severity::Critical,
        "error" | "high" => Severity::High,
        "note" | "low" | "info" | "recommendation" => Severity::Low,
        _ => Severity::Medium,
    }
}

/// Out of tags such as `external/cwe/cwe-089` and `CWE-89: …`.
fn cwe(rule: Option<&Rule>, result: &RunResult) -> Option<u32> {
    let properties = [Some(&result.properties), rule.map(|rule| &rule.properties)];
    let texts = properties.into_iter().flatten().flat_map(|properties| {
        ["tags", "cwe", "CWE"]
            .into_iter()
            .filter_map(|name| properties.get(name))
    });
    texts
        .flat_map(|value| match value {
            Value::Array(items) => items.iter().filter_map(Value::as_str).collect::<Vec<_>>(),
            Value::String(text) => vec![text.as_str()],
            _ => Vec::new(),
        })
        .find_map(|text| {
            let folded = text.to_ascii_lowercase();
            let at = folded.find("cwe-")? + 4;
            let digits: String = folded[at..]
                .chars()
                .take_while(char::is_ascii_digit)
                .collect();
            digits.parse().ok()
        })
}

const fn class_of(cwe: u32) -> Option<&'static str> {
    Some(match super::family(cwe) {
        89 => "sql-injection",
        78 => "command-injection",
        94 => "code-injection",
        22 => "path-traversal",
        79 => "xss",
        90 => "ldap-injection",
        643 => "xpath-injection",
        117 => "log-injection",
        918 => "ssrf",
        601 => "open-redirect",
        502 => "unsafe-deserialization",
        611 => "xxe",
        1321 => "prototype-pollution",
        798 => "hardcoded-credential",
        327 => "weak-cipher",
        338 => "weak-random",
        295 => "tls-verification",
        1333 => "redos",
        _ => return None,
    })
}

fn kind(tool: &str, rule: Option<&Rule>, cwe: Option<u32>) -> Kind {
    let scanners = [
        "semgrep",
        "bandit",
        "gitleaks",
        "trufflehog",
        "gosec",
        "brakeman",
        "opengrep",
        "snyk",
        "trivy",
    ];
    let tagged = rule
        .and_then(|rule| rule.properties.get("tags"))
        .and_then(Value::as_array)
        .is_some_and(|tags| tags.iter().any(|tag| tag.as_str() == Some("security")));
    if cwe.is_some() || tagged || scanners.iter().any(|scanner| tool.contains(scanner)) {
        Kind::Security
    } else {
        Kind::Quality
    }
}

/// A path below the repository; `None` for any other address.
fn relative(uri: &str, root: Option<&str>) -> Option<String> {
    let decoded = percent_decoded(uri.strip_prefix("file://").unwrap_or(uri));
    let path = match root.and_then(|root| decoded.strip_prefix(root.trim_end_matches('/'))) {
        Some(below) => below.trim_start_matches('/'),
        None => decoded.strip_prefix("./").unwrap_or(&decoded),
    };
    let outside = path.is_empty()
        || path.starts_with('/')
        || path.contains(':')
        || path.split('/').any(|part| part == "..")
        || path.chars().any(char::is_control);
    (!outside).then(|| path.to_owned())
}

fn percent_decoded(uri: &str) -> String {
    let mut bytes = Vec::with_capacity(uri.len());
    let mut rest = uri.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let code = (*first == b'%')
            .then(|| after.get(..2))
            .flatten()
            .and_then(|digits| str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(code.unwrap_or(*first));
        rest = if code.is_some() { &after[2..] } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn clean(text: &str) -> String {
    text.chars()
        .filter(|letter| !letter.is_control())
        .take(120)
        .collect()
}

fn sentence(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    secrets::masked(&line)
        .chars()
        .filter(|letter| !letter.is_control())
        .take(MAX_TEXT_LEN)
        .collect()
}
