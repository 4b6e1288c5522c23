//! What became of a finding, in words that claim no more than was seen.

use baton_host::git::LogEntry;
use baton_protocol::short;
use serde_json::{Value, json};

use crate::foreign_text::{in_markdown, one_line};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// The check does not report it any more, and these commits changed the
    /// flagged lines.
    Fixed {
        commits: Vec<Named>,
        check: String,
    },
    /// The check does not report it any more, and no commit changed the flagged
    /// lines. `is_proven`: the finding was there before this commit.
    Gone {
        after: Named,
        is_proven: bool,
        check: String,
    },
    /// Commits changed something, and no check can tell whether that is what was
    /// asked for. `is_exact`: they changed the flagged lines.
    Changed {
        commits: Vec<Named>,
        is_exact: bool,
    },
    Declined {
        reason: String,
    },
}

/// A commit with what it says about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Named {
    pub(super) commit: String,
    subject: String,
}

/// More commits than this are told by their number.
const MAX_NAMED: usize = 3;

impl Named {
    pub(super) fn new(entry: &LogEntry) -> Self {
        Self {
            commit: entry.commit.to_string(),
            subject: one_line(entry.subject(), 200),
        }
    }

    fn words(&self, shown: fn(&str) -> String) -> String {
        format!("{}: {}", short(&self.commit), shown(&self.subject))
    }

    fn to_json(&self) -> Value {
        json!([self.commit, self.subject])
    }

    fn from_json(value: &Value) -> Option<Self> {
        Some(Self {
            commit: value[0].as_str()?.to_owned(),
            subject: value[1].as_str()?.to_owned(),
        })
    }
}

impl Fate {
    /// Proven by a check, and no attempt.
    pub(super) fn is_proven(&self) -> bool {
        matches!(self, Self::Fixed { .. } | Self::Gone { .. })
    }

    /// As plain text.
    pub(super) fn words(&self) -> String {
        self.in_words(str::to_owned)
    }

    /// For a comment on the forge.
    pub(super) fn markdown(&self) -> String {
        self.in_words(in_markdown)
    }

    /// The same for a finding that was reported again after a reply called it
    /// fixed.
    pub(super) fn markdown_again(&self) -> String {
        let told = match self {
            Self::Fixed { commits, check } => format!(
                "changed in {}; `{check}` does not report it now",
                list(commits, in_markdown)
            ),
            other => other.markdown(),
        };
        format!("It was reported again after it had been fixed. This time: {told}.")
    }

    fn in_words(&self, shown: fn(&str) -> String) -> String {
        match self {
            Self::Fixed { commits, check } => format!(
                "Fixed in {}; `{check}` no longer reports it",
                list(commits, shown)
            ),
            Self::Gone {
                after,
                is_proven: true,
                check,
            } => format!(
                "`{check}` no longer reports it since {}, which does not change the flagged line",
                after.words(shown)
            ),
            Self::Gone { after, check, .. } => {
                format!(
                    "`{check}` no longer reports it after {}",
                    after.words(shown)
                )
            }
            Self::Changed { commits, .. } => format!(
                "Changed in {}; no check can tell whether that is what was asked for",
                list(commits, shown)
            ),
            Self::Declined { reason } => format!("Declined: {}", shown(reason)),
        }
    }

    pub(super) fn to_json(&self) -> Value {
        let commits = |commits: &[Named]| commits.iter().map(Named::to_json).collect::<Vec<_>>();
        match self {
            Self::Fixed {
                commits: named,
                check,
            } => {
                json!({ "fate": "fixed", "commits": commits(named), "check": check })
            }
            Self::Gone {
                after,
                is_proven,
                check,
            } => json!({
                "fate": "gone", "after": after.to_json(), "proven": is_proven, "check": check,
            }),
            Self::Changed {
                commits: named,
                is_exact,
            } => {
                json!({ "fate": "changed", "commits": commits(named), "exact": is_exact })
            }
            Self::Declined { reason } => json!({ "fate": "declined", "reason": reason }),
        }
    }

    pub(super) fn from_json(value: &Value) -> Option<Self> {
        let text = |name: &str| value[name].as_str().map(str::to_owned);
        let commits = || -> Option<Vec<Named>> {
            let listed = value["commits"].as_array()?;
            listed.iter().map(Named::from_json).collect()
        };
        Some(match value["fate"].as_str()? {
            "fixed" => Self::Fixed {
                commits: commits()?,
                check: text("check")?,
            },
            "gone" => Self::Gone {
                after: Named::from_json(&value["after"])?,
                is_proven: value["proven"] == true,
                check: text("check")?,
            },
            "changed" => Self::Changed {
                commits: commits()?,
                is_exact: value["exact"] == true,
            },
            "declined" => Self::Declined {
                reason: text("reason")?,
            },
            _ => return None,
        })
    }
}

fn list(commits: &[Named], shown: fn(&str) -> String) -> String {
    let named: Vec<String> = commits
        .iter()
        .take(MAX_NAMED)
        .map(|named| named.words(shown))
        .collect();
    let more = match commits.len().saturating_sub(MAX_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{}{more}", named.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(subject: &str) -> Named {
        Named {
            commit: "a".repeat(40),
            subject: subject.to_owned(),
        }
    }

    #[test]
    fn only_what_is_fixed_is_called_so_and_all_of_it_is_kept() {
        let check = "rust/sql-injection".to_owned();
        let fates = [
            Fate::Fixed {
                commits: vec![named("fix: bind `it`")],
                check: check.clone(),
            },
            Fate::Gone {
                after: named("refactor"),
                is_proven: true,
                check: check.clone(),
            },
            Fate::Gone {
                after: named("refactor"),
                is_proven: false,
                check,
            },
            Fate::Changed {
                commits: vec![named("one"), named("two")],
                is_exact: true,
            },
            Fate::Declined {
                reason: "a constant".to_owned(),
            },
        ];
        let words: Vec<String> = fates.iter().map(Fate::words).collect();
        insta::assert_snapshot!(words.join("\n"), @"
        Fixed in aaaaaaa: fix: bind `it`; `rust/sql-injection` no longer reports it
        `rust/sql-injection` no longer reports it since aaaaaaa: refactor, which does not change the flagged line
        `rust/sql-injection` no longer reports it after aaaaaaa: refactor
        Changed in aaaaaaa: one, aaaaaaa: two; no check can tell whether that is what was asked for
        Declined: a constant
        ");
        insta::assert_snapshot!(fates[0].markdown_again(), @r"It was reported again after it had been fixed. This time: changed in aaaaaaa: fix: bind \`it\`; `rust/sql-injection` does not report it now.");
        for fate in fates {
            assert_eq!(Fate::from_json(&fate.to_json()), Some(fate));
        }
    }
}
