//! The form in which a coding agent says what it found.

use baton_review::{Claim, Kind, Severity};
use serde_json::Value;

use crate::trailing_json;

pub(super) const FORM: &str = r#"
End with one JSON object, and nothing behind it:

{"findings": [{"severity": "critical", "path": "src/login.rs", "line": 12, "quote": "the whole line 12, letter by letter", "class": "sql-injection", "what": "what is wrong, in one sentence", "why": "what it does", "remedy": "what to do"}]}

- `severity` is `critical` (must not be merged), `important` (has to be fixed first) or `suggestion`.
- `path` and `line` name a line that the change added or changed, as it is now; `quote` repeats it exactly. A finding whose quote does not stand there is thrown away.
- `class` is a few words with hyphens that name the sort of problem.
- Nothing found: {"findings": []}
"#;

/// More were not read by anyone.
const MAX_ENTRIES: usize = 50;

/// What the message claims; `None` when it has no such object.
pub(super) fn read(message: &str) -> Option<Vec<Claim>> {
    let said = trailing_json::last_object(message, "findings")?;
    let findings = said["findings"].as_array()?;
    Some(findings.iter().take(MAX_ENTRIES).filter_map(claim).collect())
}

fn claim(value: &Value) -> Option<Claim> {
    let text = |name: &str| value[name].as_str().unwrap_or_default().trim().to_owned();
    let severity = match value["severity"].as_str()? {
        "critical" => Severity::Critical,
        "important" => Severity::High,
        _ => Severity::Low,
    };
    let class = text("class");
    Some(Claim {
        kind: Kind::Quality,
        severity,
        path: text("path"),
        line: value["line"].as_u64()?.try_into().ok()?,
        quote: text("quote"),
        class: if class.is_empty() {
            "comment".to_owned()
        } else {
            class
        },
        what: text("what"),
        why: text("why"),
        remedy: text("remedy"),
    })
    .filter(|claim| !claim.what.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_are_read_whatever_is_said_around_them() {
        let said = "I looked. {\"findings\": 3}\n```json\n{\"findings\": [{\"severity\": \"important\", \"path\": \"a.rs\", \"line\": 4, \"quote\": \"let x = 1;\", \"what\": \"It is 2\"}, {\"severity\": \"critical\"}, 7]}\n```\n";
        let claims = read(said).unwrap();
        assert_eq!(claims.len(), 1);
        assert_eq!(
            (claims[0].severity, claims[0].line, claims[0].class.as_str()),
            (Severity::High, 4, "comment")
        );
        assert_eq!(read("{\"findings\": []}"), Some(Vec::new()));
        assert_eq!(read("All is well."), None);
        assert!(read(FORM).is_some());
    }
}
