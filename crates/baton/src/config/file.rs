//! Reads one configuration file into `key, value, line`, with every mistake
//! told by its place.

use std::fs;
use std::io::Read as _;
use std::path::Path;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::keys::{self, Kind, Trust};
use crate::error::CommandError;
use crate::terminal::sanitize;

/// No configuration is larger; a mistake may be.
const MAX_BYTES: u64 = 1 << 20;

#[derive(Debug)]
pub(super) struct Entry {
    pub(super) key: &'static str,
    pub(super) value: String,
    pub(super) line: usize,
}

/// Whose file it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    User,
    Repository,
}

/// The entries of a file; none when it is not there.
pub(super) fn read(path: &Path, owner: Owner) -> Result<Vec<Entry>, CommandError> {
    let unreadable = |error: std::io::Error| {
        CommandError::missing(format!("cannot read {}", shown(path)))
            .because(error)
            .hint("Make the file readable, or remove it.")
    };
    match fs::metadata(path) {
        Ok(facts) if facts.is_file() => {}
        Ok(_) => {
            return Err(
                CommandError::wrong_use(format!("{} is no file", shown(path)))
                    .hint("Replace it by a file, or remove it."),
            );
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(unreadable(error)),
    }
    let mut bytes = Vec::new();
    fs::File::open(path)
        .and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes))
        .map_err(unreadable)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(CommandError::wrong_use(format!(
            "{} is larger than {MAX_BYTES} bytes",
            shown(path)
        ))
        .hint("Keep only baton's own keys in it; `baton config show` lists them."));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        CommandError::wrong_use(format!("{} is not UTF-8", shown(path)))
            .because(error.utf8_error())
            .hint("Save the file as UTF-8.")
    })?;
    entries(&text, owner).map_err(|Mistake { line, what, hint }| {
        let error = CommandError::wrong_use(format!("{}:{line}: {what}", shown(path)));
        match hint {
            Some(hint) => error.hint(hint),
            None => error,
        }
    })
}

fn shown(path: &Path) -> String {
    sanitize(&path.to_string_lossy())
}

#[derive(Debug)]
struct Mistake {
    line: usize,
    what: String,
    hint: Option<String>,
}

fn entries(text: &str, owner: Owner) -> Result<Vec<Entry>, Mistake> {
    let line_of = |offset: usize| text[..offset.min(text.len())].matches('\n').count() + 1;
    let table = DeTable::parse(text).map_err(|error| Mistake {
        line: line_of(error.span().map_or(0, |span| span.start)),
        what: sanitize(error.message()).replace('\n', "; "),
        hint: Some("The file is in TOML: `section.key = \"value\"`.".to_owned()),
    })?;
    let mut leaves = Vec::new();
    flatten(table.get_ref(), "", &mut leaves);
    leaves
        .into_iter()
        .map(|(path, offset, value)| entry(&path, line_of(offset), value, owner))
        .collect()
}

/// Every value that is no table, with its dotted path and where its key stands.
fn flatten<'a>(
    table: &'a DeTable<'a>,
    prefix: &str,
    leaves: &mut Vec<(String, usize, &'a DeValue<'a>)>,
) {
    for (key, value) in table {
        let path = if prefix.is_empty() {
            key.get_ref().to_string()
        } else {
            format!("{prefix}.{}", key.get_ref())
        };
        match Spanned::get_ref(value) {
            DeValue::Table(inner) => flatten(inner, &path, leaves),
            other => leaves.push((path, key.span().start, other)),
        }
    }
}

fn entry(path: &str, line: usize, value: &DeValue<'_>, owner: Owner) -> Result<Entry, Mistake> {
    let mistake = |what: String, hint: Option<String>| Mistake { line, what, hint };
    // What people write when they mean the whole of it.
    let path = if path == "sandbox" {
        "sandbox.level"
    } else {
        path
    };
    let Some(key) = keys::find(path) else {
        let hint = match keys::nearest(path) {
            Some(near) => format!("Did you mean `{near}`?"),
            None => "`baton config show` lists all keys.".to_owned(),
        };
        return Err(mistake(
            format!("unknown key `{}`", sanitize(path)),
            Some(hint),
        ));
    };
    if owner == Owner::Repository && key.trust == Trust::UserOnly {
        return Err(mistake(
            format!("a repository may not set `{path}`"),
            Some(format!(
                "It decides where your credentials or data go, or what is run with them. \
                 Set it in your own configuration file{}.",
                key.variable
                    .map(|name| format!(" or with {name}"))
                    .unwrap_or_default()
            )),
        ));
    }
    let text = match text(value, key.kind) {
        Ok(text) => text,
        Err((what, example)) => {
            return Err(mistake(
                format!("`{path}` must be {what}"),
                Some(example.replace("KEY", path)),
            ));
        }
    };
    if let Some(complaint) = keys::complaint(key, &text) {
        return Err(mistake(format!("`{path}` {complaint}"), None));
    }
    Ok(Entry {
        key: key.path,
        value: text,
        line,
    })
}

/// The value as text, or what it must be and how that is written.
fn text(value: &DeValue<'_>, kind: Kind) -> Result<String, (&'static str, &'static str)> {
    match (value, kind) {
        (DeValue::Boolean(flag), Kind::Flag) => Ok(flag.to_string()),
        (_, Kind::Flag) => Err(("true or false", "Write it without quotes: `KEY = true`.")),
        (DeValue::Integer(number), Kind::Count | Kind::Amount) => Ok(number.to_string()),
        (DeValue::Float(number), Kind::Amount) => Ok(number.to_string()),
        (_, Kind::Count | Kind::Amount) => {
            Err(("a number", "Write it without quotes: `KEY = 30`."))
        }
        (DeValue::Array(items), Kind::List | Kind::Words(_)) => {
            let texts: Option<Vec<&str>> = items
                .iter()
                .map(|item| match item.get_ref() {
                    DeValue::String(text) => Some(&**text),
                    _ => None,
                })
                .collect();
            let texts = texts.ok_or(A_LIST)?;
            Ok(match kind {
                Kind::List => serde_json::json!(texts).to_string(),
                _ => texts.join(", "),
            })
        }
        (_, Kind::List | Kind::Words(_)) => Err(A_LIST),
        (DeValue::String(text), _) => Ok(text.to_string()),
        _ => Err(("a string", "Write it in quotes: `KEY = \"…\"`.")),
    }
}

const A_LIST: (&str, &str) = (
    "a list of strings",
    "Write it in brackets: `KEY = [\"…\", \"…\"]`.",
);

#[cfg(test)]
mod tests {
    use super::{Owner, entries};

    fn check(text: &str, owner: Owner) -> String {
        match entries(text, owner) {
            Ok(found) => {
                let lines = found
                    .iter()
                    .map(|e| format!("{}:{} = {}", e.line, e.key, e.value));
                lines.collect::<Vec<_>>().join("\n")
            }
            Err(m) => format!("{}: {} | {}", m.line, m.what, m.hint.unwrap_or_default()),
        }
    }

    #[test]
    fn values_carry_their_line() {
        let text = "# mine\n[commands]\ntest = \"just test\"\n\n[agent]\nname = 'codex'\n";
        insta::assert_snapshot!(check(text, Owner::Repository), @r"
        6:agent.name = codex
        3:commands.test = just test
        ");
    }

    #[test]
    fn mistakes_are_told_by_place_and_remedy() {
        let user = |text| check(text, Owner::User);
        insta::assert_snapshot!(user("\n[commands]\ntets = \"x\"\n"), @"3: unknown key `commands.tets` | Did you mean `commands.test`?");
        insta::assert_snapshot!(user("zebra = 1\n"), @"1: unknown key `zebra` | `baton config show` lists all keys.");
        insta::assert_snapshot!(user("commands.test = 3\n"), @r#"1: `commands.test` must be a string | Write it in quotes: `commands.test = "…"`."#);
        insta::assert_snapshot!(user("tools.get_failing_tests.wait = \"yes\"\n"), @"1: `tools.get_failing_tests.wait` must be true or false | Write it without quotes: `tools.get_failing_tests.wait = true`.");
        insta::assert_snapshot!(user("review.scanners = \"bandit\"\n"), @r#"1: `review.scanners` must be a list of strings | Write it in brackets: `review.scanners = ["…", "…"]`."#);
        insta::assert_snapshot!(user("review.scanners = [1]\n"), @r#"1: `review.scanners` must be a list of strings | Write it in brackets: `review.scanners = ["…", "…"]`."#);
        insta::assert_snapshot!(user("review.scanners = [\"bandit\", \"./evil\"]\n"), @"1: `review.scanners` may only name semgrep, bandit, gitleaks |");
        insta::assert_snapshot!(user("review.scanners = [\"bandit\", \"semgrep\"]\n"), @"1:review.scanners = bandit, semgrep");
        insta::assert_snapshot!(user("jira.url = \"acme\"\n"), @"1: `jira.url` must be a URL that begins with https:// or http:// |");
        insta::assert_snapshot!(user("state.dir = \"here\"\n"), @"1: `state.dir` must be an absolute path |");
        insta::assert_snapshot!(user("a = \n"), @"1: string values must be quoted, expected literal string | The file is in TOML: `section.key = \"value\"`.");
    }

    #[test]
    fn a_repository_cannot_redirect_credentials() {
        let text = "github.api_url = \"https://evil.example\"\n";
        insta::assert_snapshot!(check(text, Owner::Repository), @"1: a repository may not set `github.api_url` | It decides where your credentials or data go, or what is run with them. Set it in your own configuration file or with BATON_GITHUB_API_URL.");
        insta::assert_snapshot!(check(text, Owner::User), @"1:github.api_url = https://evil.example");
        let text = "review.scanners = [\"bandit\"]\n";
        insta::assert_snapshot!(check(text, Owner::Repository), @"1: a repository may not set `review.scanners` | It decides where your credentials or data go, or what is run with them. Set it in your own configuration file.");
    }

    #[test]
    fn a_repository_cannot_choose_what_runs_or_who_is_asked() {
        for line in [
            "agent.program = \"./evil\"",
            "agent.args = [\"--yolo\"]",
            "agent.driver = \"exec\"",
            "agent.environment = [\"AWS_SECRET_ACCESS_KEY\"]",
            "run.mode = \"autonomous\"",
            "run.budget_dollars = 1000",
            "notify.command = [\"sh\", \"-c\", \"evil\"]",
            "notify.webhook = \"https://evil.example\"",
        ] {
            let told = check(line, Owner::Repository);
            assert!(told.starts_with("1: a repository may not set "), "{told}");
            assert!(!check(line, Owner::User).starts_with("1: "), "{line}");
        }
        insta::assert_snapshot!(check("run.merge_method = \"rebase\"", Owner::Repository), @"1:run.merge_method = rebase");
    }

    #[test]
    fn numbers_and_lists_are_written_as_such() {
        let user = |text| check(text, Owner::User);
        insta::assert_snapshot!(user("run.budget_minutes = 30\nrun.budget_dollars = 2.50\n"), @"
        2:run.budget_dollars = 2.50
        1:run.budget_minutes = 30
        ");
        insta::assert_snapshot!(user("notify.command = ['notify-send', 'baton asks']"), @r#"1:notify.command = ["notify-send","baton asks"]"#);
        insta::assert_snapshot!(user("run.budget_minutes = \"30\""), @"1: `run.budget_minutes` must be a number | Write it without quotes: `run.budget_minutes = 30`.");
        insta::assert_snapshot!(user("run.budget_minutes = 0"), @"1: `run.budget_minutes` must be a whole number, at least 1 |");
        insta::assert_snapshot!(user("notify.command = \"notify-send\""), @r#"1: `notify.command` must be a list of strings | Write it in brackets: `notify.command = ["…", "…"]`."#);
    }
}
