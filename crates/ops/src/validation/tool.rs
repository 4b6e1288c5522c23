//! What stands behind a command line: which tool, whether it writes, and how
//! it is asked about some files only and in words for machines.

use std::path::Path;

use baton_protocol::detection::Candidate;
use baton_report::diagnostics::Tool;

use super::changed_files::ChangedFiles;
use crate::command_line::{package_script, plain_words};

/// A command line, as far as it is understood.
#[derive(Clone, Debug)]
pub(super) struct Invocation {
    /// As it is reported.
    pub(super) command: String,
    pub(super) tool: Option<Tool>,
    /// Leaves the tree as it is. Of a command that is not understood, that is
    /// not known.
    pub(super) only_reads: bool,
    /// The words, where the command is the tool itself and no script.
    plain: Option<Plain>,
}

#[derive(Clone, Debug)]
struct Plain {
    words: Vec<String>,
    tool: Tool,
    /// How many words name the tool: `npx eslint` has 2.
    named_by: usize,
}

/// How a command is run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Run {
    /// As it is, through a shell.
    Shell(String),
    /// File names are foreign text: arguments, and never part of a shell's.
    Words(Vec<String>),
    /// None of the changed files is this tool's affair.
    NothingToDo,
}

/// More names than this make a command line too long for some machines.
const MAX_FILES: usize = 400;
const MAX_NAME_BYTES: usize = 60_000;

impl Invocation {
    pub(super) fn parse(command: &str, folder: &Path) -> Self {
        let plain = plain_words(command).and_then(Plain::parse);
        if let Some(plain) = plain {
            return Self {
                command: command.to_owned(),
                tool: Some(plain.tool),
                only_reads: !plain.writes(),
                plain: Some(plain),
            };
        }
        // The script behind a name tells which tool will speak.
        let script = plain_words(command)
            .and_then(|words| script_text(&words, folder))
            .and_then(|text| plain_words(&text))
            .and_then(Plain::parse);
        Self {
            command: command.to_owned(),
            tool: script.as_ref().map(|script| script.tool),
            only_reads: script.is_some_and(|script| !script.writes()),
            plain: None,
        }
    }

    pub(super) fn for_candidate(candidate: &Candidate, folder: &Path) -> Self {
        Self::parse(&candidate.command, folder)
    }

    /// The command for these files; for everything where none are named or
    /// the tool cannot be told.
    pub(super) fn on(&self, change: &ChangedFiles, folder: &Path) -> Run {
        let Some(plain) = &self.plain else {
            return Run::Shell(self.command.clone());
        };
        let mut plain = plain.clone();
        if !change.is_empty()
            && let Some(targets) = plain.targets(folder)
        {
            let files: Vec<String> = change
                .paths()
                .filter(|path| takes(plain.tool, path))
                // A name that begins with a dash is no option then.
                .map(|path| format!("./{path}"))
                .collect();
            let bytes: usize = files.iter().map(String::len).sum();
            if files.is_empty() {
                return Run::NothingToDo;
            }
            if files.len() <= MAX_FILES && bytes <= MAX_NAME_BYTES {
                plain.restrict(targets, files);
            }
        }
        plain.speak_to_machines();
        Run::Words(plain.words)
    }
}

impl Plain {
    fn parse(words: Vec<String>) -> Option<Self> {
        let start = behind_runner(&words);
        let (tool, more) = tool_of(&words[start..])?;
        Some(Self {
            named_by: start + more,
            words,
            tool,
        })
    }

    fn arguments(&self) -> &[String] {
        &self.words[self.named_by..]
    }

    fn has(&self, flags: &[&str]) -> bool {
        self.arguments().iter().any(|word| {
            let name = word.split('=').next().unwrap_or(word);
            flags.contains(&name)
        })
    }

    fn writes(&self) -> bool {
        match self.tool {
            Tool::Prettier => self.has(&["--write", "-w"]),
            Tool::Eslint | Tool::GolangciLint | Tool::Ruff | Tool::Clippy => self.has(&["--fix"]),
            Tool::Biome => self.has(&["--write", "--fix", "--apply", "--apply-unsafe"]),
            Tool::Black | Tool::RuffFormat | Tool::Rustfmt => !self.has(&["--check", "--diff"]),
            Tool::Gofmt => {
                self.words.first().is_none_or(|program| program != "gofmt") || self.has(&["-w"])
            }
            Tool::Rubocop => self.has(&[
                "-a",
                "-A",
                "-x",
                "--autocorrect",
                "--autocorrect-all",
                "--auto-correct",
                "--auto-correct-all",
                "--fix",
                "--fix-layout",
            ]),
            Tool::Mypy | Tool::Plain | Tool::GoVet | Tool::Checkstyle => false,
            Tool::Tsc => !self.has(&["--noEmit"]),
            // Builds write what they build, not what they build it from; but
            // two of them at once get in each other's way.
            Tool::GoBuild
            | Tool::CargoBuild
            | Tool::Spotless
            | Tool::Javac
            | Tool::Maven
            | Tool::Gradle => true,
        }
    }

    /// Where the words stand that mean "everything here", if files can stand
    /// there instead. Files that are named must not be taken where the
    /// project's configuration leaves them out.
    fn targets(&self, folder: &Path) -> Option<std::ops::Range<usize>> {
        let takes_files = match self.tool {
            Tool::Prettier
            | Tool::Eslint
            | Tool::Biome
            | Tool::Ruff
            | Tool::RuffFormat
            | Tool::Rubocop
            | Tool::Gofmt => true,
            Tool::Black => !black_leaves_files_out(folder),
            _ => false,
        };
        if !takes_files {
            return None;
        }
        let positional: Vec<usize> = (self.named_by..self.words.len())
            .filter(|at| !self.words[*at].starts_with('-'))
            .collect();
        match &positional[..] {
            [only] if matches!(self.words[*only].as_str(), "." | "./" | "./...") => {
                Some(*only..*only + 1)
            }
            // The value of an option may look like a place.
            [] if self.tool == Tool::Rubocop => Some(self.words.len()..self.words.len()),
            _ => None,
        }
    }

    fn restrict(&mut self, targets: std::ops::Range<usize>, files: Vec<String>) {
        let at = targets.start;
        self.words.splice(targets, files);
        let keep_to_configuration = match self.tool {
            Tool::Ruff | Tool::RuffFormat => Some("--force-exclude"),
            Tool::Rubocop => Some("--force-exclusion"),
            Tool::Prettier => Some("--ignore-unknown"),
            Tool::Biome => Some("--no-errors-on-unmatched"),
            _ => None,
        };
        if let Some(flag) = keep_to_configuration {
            self.words.insert(at, flag.to_owned());
        }
        if self.tool == Tool::Gofmt && self.words.first().is_some_and(|word| word == "go") {
            // `go fmt` takes packages; what it calls takes files.
            self.words
                .splice(0..self.named_by, ["gofmt", "-l", "-w"].map(str::to_owned));
        }
    }

    /// Asks for the format that is read best, unless one was asked for.
    fn speak_to_machines(&mut self) {
        let (known, wanted): (&[&str], &[&str]) = match self.tool {
            Tool::Eslint | Tool::Rubocop => (&["-f", "--format"], &["--format", "json"]),
            Tool::Ruff => (&["--output-format"], &["--output-format", "json"]),
            Tool::Mypy => (&["-O", "--output"], &["--output", "json"]),
            Tool::Biome => (&["--reporter"], &["--reporter=json"]),
            Tool::Tsc => (&["--pretty"], &["--pretty", "false"]),
            Tool::Clippy | Tool::CargoBuild => {
                (&["--message-format"], &["--message-format", "json"])
            }
            _ => return,
        };
        if self.has(known) || self.has(&["--"]) && !matches!(self.tool, Tool::Clippy) {
            return;
        }
        let at = self.named_by;
        self.words
            .splice(at..at, wanted.iter().map(|&word| word.to_owned()));
    }
}

/// How many words only say with what the next is run.
fn behind_runner(words: &[String]) -> usize {
    const RUNNERS: [&[&str]; 18] = [
        &["npx", "--no-install"],
        &["npx", "--no"],
        &["npx"],
        &["pnpm", "exec"],
        &["pnpm", "dlx"],
        &["yarn", "exec"],
        &["yarn", "run"],
        &["yarn"],
        &["bunx"],
        &["bun", "x"],
        &["bundle", "exec"],
        &["uv", "run", "--frozen"],
        &["uv", "run"],
        &["poetry", "run"],
        &["pdm", "run"],
        &["pipenv", "run"],
        &["python", "-m"],
        &["python3", "-m"],
    ];
    RUNNERS
        .iter()
        .find(|runner| {
            words.len() > runner.len() && words.iter().zip(**runner).all(|(a, b)| a == b)
        })
        .map_or(0, |runner| runner.len())
}

/// The tool that these words call, and how many of them name it.
fn tool_of(words: &[String]) -> Option<(Tool, usize)> {
    let program = words.first()?;
    let program = program.rsplit('/').next().unwrap_or(program);
    let second = words.get(1).map(String::as_str);
    Some(match (program, second) {
        ("prettier", _) => (Tool::Prettier, 1),
        ("eslint", _) => (Tool::Eslint, 1),
        ("biome", Some("lint" | "format" | "check" | "ci")) => (Tool::Biome, 2),
        ("tsc", _) => (Tool::Tsc, 1),
        ("black", _) => (Tool::Black, 1),
        ("ruff", Some("check")) => (Tool::Ruff, 2),
        ("ruff", Some("format")) => (Tool::RuffFormat, 2),
        ("mypy", _) => (Tool::Mypy, 1),
        ("flake8" | "pylint" | "oxlint", _) => (Tool::Plain, 1),
        ("gofmt", _) => (Tool::Gofmt, 1),
        ("go", Some("fmt")) => (Tool::Gofmt, 2),
        ("go", Some("vet")) => (Tool::GoVet, 2),
        ("go", Some("build")) => (Tool::GoBuild, 2),
        ("golangci-lint", Some("run")) => (Tool::GolangciLint, 2),
        ("cargo", Some("fmt")) => (Tool::Rustfmt, 2),
        ("cargo", Some("clippy")) => (Tool::Clippy, 2),
        ("cargo", Some("build" | "check")) => (Tool::CargoBuild, 2),
        ("rubocop" | "standardrb", _) => (Tool::Rubocop, 1),
        ("checkstyle", _) => (Tool::Checkstyle, 1),
        ("javac", _) => (Tool::Javac, 1),
        ("mvn" | "mvnw", _) => (Tool::Maven, 1),
        ("gradle" | "gradlew", _) => (Tool::Gradle, 1),
        _ => return None,
    })
}

/// Whether a file of that name is the tool's affair.
fn takes(tool: Tool, path: &str) -> bool {
    const SCRIPT: &[&str] = &[
        "js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "vue", "svelte",
    ];
    let name = path.rsplit('/').next().unwrap_or(path);
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    match tool {
        Tool::Eslint => SCRIPT.contains(&extension),
        // They know more than scripts, and leave alone what they do not know.
        Tool::Prettier | Tool::Biome => !extension.is_empty(),
        Tool::Black | Tool::Ruff | Tool::RuffFormat => matches!(extension, "py" | "pyi" | "ipynb"),
        Tool::Gofmt => extension == "go",
        Tool::Rubocop => {
            matches!(extension, "rb" | "rake" | "gemspec" | "ru" | "rbi")
                || matches!(name, "Gemfile" | "Rakefile")
        }
        _ => true,
    }
}

fn black_leaves_files_out(folder: &Path) -> bool {
    std::fs::read_to_string(folder.join("pyproject.toml"))
        .is_ok_and(|text| text.contains("exclude"))
}

/// `npm run lint` and its like: what stands in `package.json`.
fn script_text(words: &[String], folder: &Path) -> Option<String> {
    let name = match words {
        [manager, run, name] if run == "run" && is_manager(manager) => name,
        [manager, name] if is_manager(manager) && (manager != "npm" || name == "test") => name,
        _ => return None,
    };
    package_script(folder, name)
}

fn is_manager(word: &str) -> bool {
    matches!(word, "npm" | "yarn" | "pnpm" | "bun")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command_line::shown;

    fn run(command: &str, changed: &[&str]) -> String {
        let folder = tempfile::tempdir().unwrap();
        for name in changed {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "x\n").unwrap();
        }
        let scripts = r#"{"scripts": {"lint": "eslint . --fix", "check": "eslint .", "all": "eslint . && tsc"}}"#;
        std::fs::write(folder.path().join("package.json"), scripts).unwrap();
        let names: Vec<String> = changed.iter().map(|&name| name.to_owned()).collect();
        let change = ChangedFiles::sort_out(folder.path(), &names);
        let invocation = Invocation::parse(command, folder.path());
        let ran = match invocation.on(&change, folder.path()) {
            Run::Shell(command) => format!("sh: {command}"),
            Run::Words(words) => shown(&words),
            Run::NothingToDo => "nothing".to_owned(),
        };
        let reads = if invocation.only_reads {
            "reads"
        } else {
            "writes"
        };
        let tool = invocation.tool.map_or("unknown", Tool::name);
        format!("{ran} ({tool}, {reads})")
    }

    #[test]
    fn tools_are_given_the_changed_files() {
        let changed = &["src/a.ts", "-x.py", "b.rb", "c.go"];
        insta::assert_snapshot!(run("npx prettier --write .", changed), @"npx prettier --write --ignore-unknown ./src/a.ts ./-x.py ./b.rb ./c.go (prettier, writes)");
        insta::assert_snapshot!(run("npx eslint .", changed), @"npx eslint --format json ./src/a.ts (eslint, reads)");
        insta::assert_snapshot!(run("black .", changed), @"black ./-x.py (black, writes)");
        insta::assert_snapshot!(run("uv run --frozen ruff check .", changed), @"uv run --frozen ruff check --output-format json --force-exclude ./-x.py (ruff, reads)");
        insta::assert_snapshot!(run("ruff check --fix .", &["a.py"]), @"ruff check --output-format json --fix --force-exclude ./a.py (ruff, writes)");
        insta::assert_snapshot!(run("bundle exec rubocop", changed), @"bundle exec rubocop --format json --force-exclusion ./b.rb (rubocop, reads)");
        insta::assert_snapshot!(run("go fmt ./...", changed), @"gofmt -l -w ./c.go (gofmt, writes)");
        insta::assert_snapshot!(run("npx biome lint .", &["a.ts"]), @"npx biome lint --reporter=json --no-errors-on-unmatched ./a.ts (biome, reads)");
    }

    #[test]
    fn tools_that_take_no_files_get_everything() {
        insta::assert_snapshot!(run("cargo clippy", &["a.rs"]), @"cargo clippy --message-format json (clippy, reads)");
        insta::assert_snapshot!(run("cargo clippy -- -D warnings", &["a.rs"]), @"cargo clippy --message-format json -- -D warnings (clippy, reads)");
        insta::assert_snapshot!(run("go vet ./...", &["a.go"]), @"go vet ./... (go vet, reads)");
        insta::assert_snapshot!(run("npx eslint src", &["a.ts"]), @"npx eslint --format json src (eslint, reads)");
        insta::assert_snapshot!(run("npx tsc --noEmit", &["a.ts"]), @"npx tsc --pretty false --noEmit (tsc, reads)");
        insta::assert_snapshot!(run("black .", &[]), @"black . (black, writes)");
    }

    #[test]
    fn a_tool_whose_files_did_not_change_has_nothing_to_do() {
        insta::assert_snapshot!(run("ruff check .", &["a.ts"]), @"nothing (ruff, reads)");
    }

    #[test]
    fn what_is_no_plain_tool_is_left_as_it_is() {
        insta::assert_snapshot!(run("npm run lint", &["a.ts"]), @"sh: npm run lint (eslint, writes)");
        insta::assert_snapshot!(run("npm run check", &["a.ts"]), @"sh: npm run check (eslint, reads)");
        insta::assert_snapshot!(run("npm run all", &["a.ts"]), @"sh: npm run all (unknown, writes)");
        insta::assert_snapshot!(run("eslint . | tee log", &["a.ts"]), @"sh: eslint . | tee log (unknown, writes)");
        insta::assert_snapshot!(run("ruff check . --output-format=github", &["a.py"]), @"ruff check --force-exclude ./a.py --output-format=github (ruff, reads)");
    }
}
