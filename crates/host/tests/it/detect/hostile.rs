//! Malicious and malformed folders: detection returns, and soon.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use baton_protocol::Language;
use baton_protocol::detection::{Decision, Project};

use super::Tree;

fn notes(project: &Project) -> String {
    let messages: Vec<&str> = project
        .notes
        .iter()
        .map(|note| note.message.as_str())
        .collect();
    messages.join("\n")
}

#[test]
fn broken_documents_are_noted_with_their_place() {
    let project = Tree::new(&[
        ("package.json", "{\n  \"scripts\": {\"test\": }\n}"),
        ("pyproject.toml", "[tool]\nname = \"a\" \"b\"\n"),
        (".pre-commit-config.yaml", "repos:\n  - {\n"),
        ("lefthook.json", ""),
    ])
    .detect();
    insta::assert_snapshot!(notes(&project), @r"
    could not read package.json: expected value at 2:23
    could not read pyproject.toml: unexpected key or value, expected newline, `#` at 2:12
    could not read .pre-commit-config.yaml: unclosed bracket '{' at 2:5
    could not read lefthook.json: EOF while parsing a value at 1:0
    ");
}

#[test]
fn text_that_is_not_utf8_is_noted_and_survived() {
    let tree = Tree::new(&[
        (
            "package.json",
            b"{\"name\": \"\xff\xfe\", \"scripts\": {\"test\": \"x\"}}".as_slice(),
        ),
        ("Makefile", b"lint:\n\t\xff\ntest:\n".as_slice()),
        ("yarn.lock", b"\x00\xff".as_slice()),
    ]);
    let project = tree.detect_as(None, &["make"]);
    assert_eq!(project.language(), Some(Language::JavaScript));
    let commands = project.validation_commands(Language::JavaScript).unwrap();
    assert_eq!(commands.lint[0].command, "make lint");
}

#[test]
fn a_byte_order_mark_is_ignored() {
    let project =
        Tree::new(&[("package.json", "\u{feff}{\"scripts\": {\"test\": \"x\"}}")]).detect();
    assert_eq!(notes(&project), "");
    assert!(matches!(project.decision, Decision::Detected { .. }));
}

#[test]
fn large_files_are_not_read() {
    let huge = format!("{{\"name\": \"{}\"}}", "x".repeat(2_000_000));
    let many = "- a\n".repeat(200_000);
    let tree = Tree::new(&[("package.json", &huge), (".pre-commit-config.yaml", &many)]);
    insta::assert_snapshot!(notes(&tree.detect()), @r"
    could not read package.json: it is larger than 1048576 bytes
    could not read .pre-commit-config.yaml: it holds more than a project file ever does at 100000:3
    ");
}

#[test]
fn a_file_just_under_the_limit_is_read() {
    let targets = "another: x\n".repeat(80_000);
    let tree = Tree::new(&[
        ("Cargo.toml", String::new()),
        ("Makefile", format!("lint:\n{targets}")),
    ]);
    let project = tree.detect_as(None, &["make"]);
    let commands = project.validation_commands(Language::Rust).unwrap();
    assert_eq!(commands.lint[0].command, "make lint");
}

#[test]
fn lists_without_end_are_cut() {
    let entries = vec!["\"*\""; 200_000].join(",");
    let tree = Tree::new(&[
        ("package.json", format!("{{\"workspaces\": [{entries}]}}")),
        ("requirements.txt", "a\n".repeat(400_000)),
        ("go.work", "use a\n".repeat(150_000)),
        ("one/package.json", "{}".to_owned()),
    ]);
    let project = tree.detect();
    let packages: Vec<usize> = project
        .workspaces
        .iter()
        .map(|workspace| workspace.packages.len())
        .collect();
    assert_eq!(packages, [1, 0]);
}

#[test]
fn an_alias_bomb_is_defused() {
    let levels = (1..20).map(|level| {
        let aliases = vec![format!("*a{}", level - 1); 20].join(", ");
        format!("a{level}: &a{level} [{aliases}]\n")
    });
    let bomb: String = std::iter::once("a0: &a0 [x, x]\n".to_owned())
        .chain(levels)
        .collect();
    let project = Tree::new(&[
        ("pnpm-workspace.yaml", &bomb),
        ("package.json", &"{}".to_owned()),
    ])
    .detect();
    assert!(
        notes(&project).starts_with("could not read pnpm-workspace.yaml: "),
        "{:?}",
        project.notes
    );
}

#[test]
fn deep_nesting_is_refused() {
    let deep = "[".repeat(100_000);
    let project = Tree::new(&[
        ("package.json", deep.clone()),
        ("pyproject.toml", format!("a = {deep}")),
        ("lefthook.yml", deep),
    ])
    .detect();
    assert_eq!(project.notes.len(), 3, "{:?}", project.notes);
}

#[test]
fn a_pipe_is_never_opened() {
    let tree = Tree::new::<&str, &str>(&[]);
    for name in ["package.json", "Makefile", "go.mod"] {
        make_fifo(&tree, name);
    }
    assert_eq!(tree.detect().decision, Decision::NotFound);
}

#[expect(
    clippy::disallowed_methods,
    reason = "the standard library cannot make a FIFO"
)]
fn make_fifo(tree: &Tree, name: &str) {
    let status = std::process::Command::new("mkfifo")
        .arg(tree.path().join(name))
        .status();
    assert!(status.unwrap().success());
}

#[test]
fn folders_named_like_files_count_for_nothing() {
    let tree = Tree::new::<&str, &str>(&[]);
    for name in [
        "package.json",
        "tsconfig.json",
        "Gemfile",
        "x.gemspec",
        "Cargo.toml",
        "gradlew",
    ] {
        fs::create_dir(tree.path().join(name)).unwrap();
    }
    assert_eq!(tree.detect().decision, Decision::NotFound);
}

#[test]
fn links_that_go_round_are_noted() {
    let tree = Tree::new(&[("Cargo.toml", "[workspace]\nmembers = ['**']\n")]);
    symlink("package.json", tree.path().join("package.json")).unwrap();
    symlink("gone.toml", tree.path().join("pyproject.toml")).unwrap();
    fs::create_dir(tree.path().join("a")).unwrap();
    symlink("..", tree.path().join("a/up")).unwrap();
    symlink(tree.path(), tree.path().join("self")).unwrap();
    let project = tree.detect();
    assert_eq!(project.language(), Some(Language::Rust));
    insta::assert_snapshot!(notes(&project), @"could not read package.json: Too many levels of symbolic links (os error 40)");
}

#[test]
fn a_linked_file_counts_as_the_file() {
    let tree = Tree::new(&[("shared/package.json", "{\"scripts\": {\"test\": \"x\"}}")]);
    symlink("shared/package.json", tree.path().join("package.json")).unwrap();
    assert_eq!(tree.detect().language(), Some(Language::JavaScript));
}

#[test]
fn an_unreadable_file_still_says_that_it_is_there() {
    let tree = Tree::new(&[("package.json", "{\"scripts\": {\"test\": \"x\"}}")]);
    let path = tree.path().join("package.json");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    let project = tree.detect();
    assert_eq!(project.language(), Some(Language::JavaScript));
    // A user who may read everything gets no note.
    if fs::read(&path).is_err() {
        assert!(notes(&project).starts_with("could not read package.json: "));
    }
}

#[test]
fn workspaces_are_bounded() {
    let tree = Tree::new(&[(
        "package.json",
        "{\"workspaces\": [\"p/*\", \"p/**\", \"../*\", \"/etc\"]}",
    )]);
    for n in 0..520 {
        tree.write(&format!("p/m{n:03}/package.json"), b"{}");
    }
    let project = tree.detect();
    assert_eq!(project.workspaces[0].packages.len(), 500);
    insta::assert_snapshot!(notes(&project), @"package.json lists more than 500 packages; the rest is left out");
}

#[test]
fn a_pattern_of_many_stars_does_not_run_away() {
    let patterns: Vec<String> = (0..200)
        .map(|n| format!("\"{}x{n}\"", "**/*a*/".repeat(6)))
        .collect();
    let tree = Tree::new(&[(
        "package.json",
        format!("{{\"workspaces\": [{}]}}", patterns.join(",")),
    )]);
    tree.write(&format!("{}package.json", "aaa/".repeat(12)), b"{}");
    assert!(tree.detect().workspaces[0].packages.is_empty());
}
