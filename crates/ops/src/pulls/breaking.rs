//! Evidence that others may have to follow: public things that are gone or no
//! longer what they were.

use std::collections::BTreeMap;

use baton_host::git::{DiffLineKind, Hunk};
use baton_protocol::diff::NumberedLine;
use baton_protocol::tools::get_review_suggestions::BreakingChange;

use super::areas;
use super::change::File;

/// More are not counted.
const MAX_CHANGES: usize = 15;
const MAX_LINE_LEN: usize = 200;

/// A public thing on a line of a diff.
#[derive(Clone, Debug)]
struct Item {
    /// In words of its language: `fn total`.
    name: String,
    line: u32,
    text: String,
}

/// What the files say.
pub(super) fn in_files(files: &[File]) -> Vec<BreakingChange> {
    let mut added: BTreeMap<(String, String), Item> = BTreeMap::new();
    let mut removed: Vec<(&File, Item)> = Vec::new();
    let mut found = Vec::new();
    for file in files {
        if areas::is_test(&file.path) || file.is_generated() {
            continue;
        }
        let (gone, come) = items(file);
        let extension = file.extension();
        // What moved to another file of the language is there still.
        added.extend(
            come.into_iter()
                .map(|item| ((extension.clone(), item.name.clone()), item)),
        );
        removed.extend(gone.into_iter().map(|item| (file, item)));
        found.extend(destroyed(file));
    }
    for (file, item) in removed {
        let now = added.get(&(file.extension(), item.name.clone()));
        let change = match now {
            None => Some((format!("`{}` is gone", item.name), None)),
            Some(now) if signature(&now.text) != signature(&item.text) => Some((
                format!("the signature of `{}` changed", item.name),
                Some(now.text.clone()),
            )),
            Some(_) => None,
        };
        found.extend(change.map(|(what, after)| BreakingChange {
            path: Some(file.path.clone()),
            line: Some(item.line),
            what,
            before: Some(cut(&item.text)),
            after: after.map(|after| cut(&after)),
        }));
    }
    found.truncate(MAX_CHANGES);
    found
}

/// What the pull request says of itself.
pub(super) fn in_words(title: &str, body: &str) -> Option<BreakingChange> {
    let marked = title
        .split_once(':')
        .is_some_and(|(kind, _)| kind.ends_with('!') && !kind.contains(' '));
    let line = body
        .lines()
        .find(|line| line.contains("BREAKING CHANGE") || line.contains("BREAKING-CHANGE"));
    let said = if marked { Some(title) } else { line }?;
    Some(BreakingChange {
        path: None,
        line: None,
        what: "the pull request says so".to_owned(),
        before: None,
        after: Some(cut(said)),
    })
}

fn items(file: &File) -> (Vec<Item>, Vec<Item>) {
    let extension = file.extension();
    let (mut gone, mut come) = (Vec::new(), Vec::new());
    for hunk in file.hunks() {
        for NumberedLine { old, new, line } in hunk.numbered() {
            let item = |number: Option<u32>| {
                Some(Item {
                    name: public_item(&extension, &line.text)?,
                    line: number?,
                    text: line.text.trim().to_owned(),
                })
            };
            match line.kind {
                DiffLineKind::Removed => gone.extend(item(old)),
                DiffLineKind::Added => come.extend(item(new)),
                DiffLineKind::Context | DiffLineKind::NoNewline => {}
            }
        }
    }
    (gone, come)
}

/// Tables and columns that a migration takes away.
fn destroyed(file: &File) -> Vec<BreakingChange> {
    const WORDS: [&str; 5] = [
        "DROP TABLE",
        "DROP COLUMN",
        "RENAME COLUMN",
        "drop_table",
        "remove_column",
    ];
    let mut found = Vec::new();
    for (number, text) in file.hunks().iter().flat_map(Hunk::added) {
        if let Some(word) = WORDS.iter().find(|word| text.contains(**word)) {
            found.push(BreakingChange {
                path: Some(file.path.clone()),
                line: None,
                what: format!("{word}: what reads it fails"),
                before: None,
                after: Some(format!("{number}: {}", cut(text.trim()))),
            });
        }
    }
    found
}

/// What a line offers to others, by the rules of its language.
fn public_item(extension: &str, line: &str) -> Option<String> {
    let text = line.trim_start();
    let is_outermost = text.len() == line.len();
    match extension {
        "rs" => rust(text),
        "ts" | "tsx" | "js" | "jsx" | "mjs" | "cjs" | "mts" => script(text),
        "py" => python(text).filter(|_| is_outermost),
        "go" => go(text).filter(|_| is_outermost),
        "java" | "kt" | "cs" => java(text),
        "rb" => named(text, &["def self.", "def ", "class ", "module "])
            .filter(|name| !name.contains(" _")),
        "proto" => named(text, &["message ", "rpc ", "service ", "enum "]),
        "graphql" | "graphqls" => named(
            text,
            &[
                "type ",
                "input ",
                "enum ",
                "interface ",
                "union ",
                "scalar ",
            ],
        ),
        _ => None,
    }
}

/// `keyword name` for a line that begins with one of the keywords.
fn named(text: &str, keywords: &[&str]) -> Option<String> {
    keywords.iter().find_map(|keyword| {
        let rest = text.strip_prefix(keyword)?;
        let end = rest
            .find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '?' | '!')))
            .unwrap_or(rest.len());
        let name = &rest[..end];
        (!name.is_empty()).then(|| format!("{keyword}{name}"))
    })
}

fn rust(text: &str) -> Option<String> {
    let mut rest = text.strip_prefix("pub ")?;
    for qualifier in ["default ", "const ", "async ", "unsafe ", "extern \"C\" "] {
        // `const` is both a qualifier and a thing of its own.
        let is_thing = qualifier == "const " && !rest.contains("fn ");
        if !is_thing {
            rest = rest.strip_prefix(qualifier).unwrap_or(rest);
        }
    }
    named(
        rest,
        &[
            "fn ", "struct ", "enum ", "trait ", "type ", "mod ", "const ", "static ", "union ",
            "macro ",
        ],
    )
}

fn script(text: &str) -> Option<String> {
    let mut rest = text.strip_prefix("export ")?;
    for qualifier in ["default ", "declare ", "abstract ", "async "] {
        rest = rest.strip_prefix(qualifier).unwrap_or(rest);
    }
    named(
        rest,
        &[
            "function ",
            "class ",
            "const ",
            "let ",
            "var ",
            "interface ",
            "type ",
            "enum ",
            "namespace ",
        ],
    )
}

fn python(text: &str) -> Option<String> {
    let rest = text.strip_prefix("async ").unwrap_or(text);
    named(rest, &["def ", "class "]).filter(|name| !name.contains(" _"))
}

fn go(text: &str) -> Option<String> {
    let found = match text.strip_prefix("func (") {
        Some(method) => {
            let (receiver, rest) = method.split_once(") ")?;
            let owner = receiver.rsplit([' ', '*']).next()?;
            let name = named(&format!("func {rest}"), &["func "])?;
            Some(name.replace("func ", &format!("func {owner}.")))
        }
        None => named(text, &["func ", "type ", "const ", "var "]),
    }?;
    let name = found.rsplit(['.', ' ']).next()?;
    name.starts_with(char::is_uppercase).then_some(found)
}

fn java(text: &str) -> Option<String> {
    let rest = text.strip_prefix("public ")?;
    let head = rest.split(['(', '{', '=', ';']).next()?.trim();
    let name = head.rsplit(' ').next()?;
    let kinds = ["class", "interface", "enum", "record"];
    let kind = head.split(' ').find(|word| kinds.contains(word));
    match kind {
        Some(kind) => {
            let (_, behind) = rest.split_once(&format!("{kind} "))?;
            named(
                &format!("{kind} {behind}"),
                &["class ", "interface ", "enum ", "record "],
            )
        }
        None if rest.contains('(') && !name.is_empty() => Some(format!("method {name}")),
        None => None,
    }
}

/// What others see of a line: up to where a body begins, spaces aside.
fn signature(text: &str) -> String {
    let head = text.split('{').next().unwrap_or(text);
    let head = head.trim_end().trim_end_matches([';', ',', ':']);
    head.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn cut(text: &str) -> String {
    let mut characters = text.chars();
    let mut shown: String = characters.by_ref().take(MAX_LINE_LEN).collect();
    if characters.next().is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::super::change::samples;
    use super::*;

    #[test]
    fn each_language_has_its_public_things() {
        let cases = [
            (
                "rs",
                "    pub const fn total(a: u8) -> u8 {",
                Some("fn total"),
            ),
            ("rs", "pub const LIMIT: u8 = 1;", Some("const LIMIT")),
            ("rs", "pub(crate) fn total()", None),
            ("rs", "fn total()", None),
            (
                "ts",
                "export default async function total() {",
                Some("function total"),
            ),
            ("ts", "export const total = 1", Some("const total")),
            ("ts", "function total() {", None),
            ("py", "def total(a):", Some("def total")),
            ("py", "    def total(self):", None),
            ("py", "def _total(a):", None),
            ("go", "func Total() int {", Some("func Total")),
            (
                "go",
                "func (c *Cart) Total() int {",
                Some("func Cart.Total"),
            ),
            ("go", "func total() int {", None),
            (
                "java",
                "public static int total(int a) {",
                Some("method total"),
            ),
            ("java", "public final class Cart {", Some("class Cart")),
            ("java", "private int total() {", None),
            ("rb", "  def total", Some("def total")),
            ("proto", "message Cart {", Some("message Cart")),
            ("graphql", "type Cart {", Some("type Cart")),
            ("md", "pub fn total()", None),
        ];
        for (extension, line, expected) in cases {
            assert_eq!(public_item(extension, line).as_deref(), expected, "{line}");
        }
    }

    #[test]
    fn what_is_gone_or_changed_is_told_and_what_moved_is_not() {
        let one = samples::file(
            "src/lib.rs",
            "@@ -1,4 +1,2 @@\n-pub fn gone() {\n-pub fn moved() {\n-pub fn changed(a: u8) {\n-pub fn same() {\n+pub fn changed(a: u16) {\n+pub fn same()  {\n",
        );
        let other = samples::file("src/other.rs", "@@ -0,0 +1,1 @@\n+pub fn moved() {\n");
        let test = samples::file("tests/a.rs", "@@ -1,1 +0,0 @@\n-pub fn helper() {\n");
        let sql = samples::file(
            "db/2.sql",
            "@@ -0,0 +1,1 @@\n+ALTER TABLE a DROP COLUMN b;\n",
        );
        let found = in_files(&[one, other, test, sql]);
        let shown = found.iter().map(|change| {
            format!(
                "{:?}:{:?} {} {:?}",
                change.path, change.line, change.what, change.after
            )
        });
        insta::assert_snapshot!(shown.collect::<Vec<_>>().join("\n"), @r#"
        Some("db/2.sql"):None DROP COLUMN: what reads it fails Some("1: ALTER TABLE a DROP COLUMN b;")
        Some("src/lib.rs"):Some(1) `fn gone` is gone None
        Some("src/lib.rs"):Some(3) the signature of `fn changed` changed Some("pub fn changed(a: u16) {")
        "#);
    }

    #[test]
    fn authors_say_it_themselves() {
        assert!(in_words("feat(api)!: drop v1", "").is_some());
        assert!(in_words("Fix", "text\n\nBREAKING CHANGE: no v1\n").is_some());
        assert!(in_words("Stop! Wait: no", "nothing is breaking").is_none());
    }
}
