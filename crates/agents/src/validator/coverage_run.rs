//! Measures coverage where the project has a tool for it: the tests are run once
//! more with the tool, after they have passed. Whatever comes of that is a note; a
//! validation never fails by it.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use baton_protocol::detection::{Candidate, Source};
use serde_json::Value;

use crate::AgentStep;
use crate::coverage::Format;
use crate::step_error::StepError;
use crate::foreign_text::one_line;
use crate::project_command::{self, Ran};

/// Commands that leave a report, and where.
struct Tool {
    commands: Vec<String>,
    /// Relative to the folder for reports.
    report: &'static str,
    format: Format,
}

/// In the workspace, where commands may write; it is removed again.
const FOLDER: &str = ".baton-coverage";

/// A report below the workspace that is removed with this value.
pub(super) struct Report {
    pub(super) path: PathBuf,
    pub(super) format: Format,
    _folder: Folder,
}

struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        // What cannot be removed now goes with the other leftovers of the checks.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Runs the tests with the project's tool for coverage. `None` where it has none,
/// or where the tool did not do what it is for.
pub(super) async fn run(
    step: &AgentStep<'_>,
    workspace: &Path,
    test_command: &str,
) -> Result<Option<Report>, StepError> {
    let Some(tool) = find(step, workspace, test_command).await? else {
        return Ok(None);
    };
    let path = workspace.join(FOLDER);
    // What is there already is not ours to use.
    if let Err(error) = fs::create_dir(&path) {
        let told = format!("coverage is not measured: cannot make {FOLDER}: {error}");
        step.context.say(&told);
        return Ok(None);
    }
    let folder = Folder(path);
    for command in &tool.commands {
        let ran = shell(step, workspace, command).await?;
        if !ran.success() {
            let told = one_line(&ran.told(), 400);
            step
                .context
                .say(&format!("coverage is not measured: {told}"));
            return Ok(None);
        }
    }
    Ok(Some(Report {
        path: folder.0.join(tool.report),
        format: tool.format,
        _folder: folder,
    }))
}

/// By what the tests are run with: a folder may hold several languages.
async fn find(
    step: &AgentStep<'_>,
    workspace: &Path,
    test_command: &str,
) -> Result<Option<Tool>, StepError> {
    let files = Files(workspace);
    if let Some(tool) = go_tool(test_command).or_else(|| java_tool(&files, test_command)) {
        return Ok(Some(tool));
    }
    if let Some(tool) = rust_tool(test_command) {
        let environment = project_command::variables(step, workspace);
        let is_there = environment.find_program("cargo-llvm-cov").is_some();
        return Ok(Some(tool).filter(|_| is_there));
    }
    let python = python_of(test_command);
    if let Some(tool) = python_tool(&files, python, test_command) {
        let version = format!("{python} -m coverage --version");
        let is_there = shell(step, workspace, &version).await?.success();
        return Ok(Some(tool).filter(|_| is_there));
    }
    Ok(javascript_tool(&files.json("package.json"), test_command))
}

async fn shell(step: &AgentStep<'_>, folder: &Path, command: &str) -> Result<Ran, StepError> {
    let candidate = Candidate {
        command: command.to_owned(),
        source: Source::LanguageDefault,
        reason: "it measures coverage".to_owned(),
        fallbacks: Vec::new(),
    };
    project_command::run(step, folder, &candidate, &[]).await
}

struct Files<'w>(&'w Path);

impl Files<'_> {
    fn text(&self, name: &str) -> String {
        /// A file of settings is far smaller.
        const MAX_BYTES: u64 = 1 << 20;
        let mut text = String::new();
        let file = File::open(self.0.join(name));
        let read = file.map(|file| file.take(MAX_BYTES).read_to_string(&mut text));
        if read.is_ok() { text } else { String::new() }
    }

    fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.text(name)).unwrap_or_default()
    }
}

/// The interpreter of a command such as `python3 -m pytest`.
fn python_of(test_command: &str) -> &str {
    let first = test_command.split_whitespace().next().unwrap_or_default();
    let name = first.rsplit('/').next().unwrap_or_default();
    if name.starts_with("python") {
        first
    } else {
        "python3"
    }
}

fn python_tool(files: &Files<'_>, python: &str, test_command: &str) -> Option<Tool> {
    let settings = [
        "pyproject.toml",
        "pytest.ini",
        "setup.cfg",
        "tox.ini",
        ".coveragerc",
    ];
    let settings = settings.map(|name| files.text(name)).concat();
    let json = format!("{FOLDER}/coverage.json");
    if settings.contains("--cov") || test_command.contains("--cov") {
        // pytest-cov measures already; it only has to say so in a file.
        return test_command.contains("pytest").then(|| Tool {
            commands: vec![format!("{test_command} --cov-report=json:{json}")],
            report: "coverage.json",
            format: Format::CoveragePy,
        });
    }
    let runner = ["pytest", "unittest"].into_iter().find_map(|runner| {
        let (before, arguments) = test_command.split_once(runner)?;
        let is_plain = ["", "-m", "run"].contains(&before.split_whitespace().last().unwrap_or(""));
        is_plain.then(|| format!("{runner}{arguments}"))
    })?;
    // Files that no test imports count as well, unless the project says otherwise.
    let is_set_up = settings.contains("coverage:run]") || settings.contains("[tool.coverage");
    let is_set_up = is_set_up || !files.text(".coveragerc").is_empty();
    let scope = if is_set_up {
        ""
    } else {
        " --source=. --omit=.venv/*,node_modules/*"
    };
    Some(Tool {
        commands: vec![
            format!("{python} -m coverage run --data-file={FOLDER}/data{scope} -m {runner}"),
            format!("{python} -m coverage json -q --data-file={FOLDER}/data -o {json}"),
        ],
        report: "coverage.json",
        format: Format::CoveragePy,
    })
}

fn javascript_tool(manifest: &Value, test_command: &str) -> Option<Tool> {
    let runs_script = ["npm", "yarn", "pnpm", "bun"]
        .iter()
        .any(|program| test_command.split_whitespace().next() == Some(*program));
    let script = if runs_script {
        manifest["scripts"]["test"].as_str()?
    } else {
        test_command
    };
    let has = |name: &str| {
        ["dependencies", "devDependencies"]
            .iter()
            .any(|list| manifest[list].get(name).is_some())
    };
    // A script of several commands, or with quotes, is not to be taken apart.
    if script.contains(['&', '|', ';', '$', '`', '\n', '(', '>', '<']) {
        return None;
    }
    let words: Vec<&str> = script.split_whitespace().collect();
    let first = *words.first()?;
    let rest = words[1..].join(" ");
    let command = match first {
        "node" if words.contains(&"--test") => format!(
            "node --experimental-test-coverage --test-reporter=lcov \
             --test-reporter-destination={FOLDER}/lcov.info {rest}"
        ),
        "jest" => format!(
            "jest {rest} --coverage --coverageReporters=lcovonly --coverageDirectory={FOLDER}"
        ),
        "vitest" if has("@vitest/coverage-v8") || has("@vitest/coverage-istanbul") => format!(
            "vitest {rest} --coverage --coverage.reporter=lcovonly --coverage.reportsDirectory={FOLDER}"
        ),
        "c8" => format!("c8 --reporter=lcovonly --reports-dir={FOLDER} {rest}"),
        "nyc" => format!("nyc --reporter=lcovonly --report-dir={FOLDER} {rest}"),
        _ if has("c8") => format!(
            "c8 --reporter=lcovonly --reports-dir={FOLDER} --temp-directory={FOLDER}/raw {script}"
        ),
        _ if has("nyc") => format!(
            "nyc --reporter=lcovonly --report-dir={FOLDER} --temp-dir={FOLDER}/raw {script}"
        ),
        _ => return None,
    };
    Some(Tool {
        commands: vec![format!("PATH=\"$PWD/node_modules/.bin:$PATH\" {command}")],
        report: "lcov.info",
        format: Format::Lcov,
    })
}

fn go_tool(test_command: &str) -> Option<Tool> {
    let arguments = test_command.strip_prefix("go test")?;
    Some(Tool {
        commands: vec![format!(
            "go test -coverprofile={FOLDER}/cover.out{arguments}"
        )],
        report: "cover.out",
        format: Format::GoProfile,
    })
}

fn rust_tool(test_command: &str) -> Option<Tool> {
    let arguments = test_command.strip_prefix("cargo test")?;
    Some(Tool {
        commands: vec![format!(
            "cargo llvm-cov --lcov --output-path {FOLDER}/lcov.info{arguments}"
        )],
        report: "lcov.info",
        format: Format::Lcov,
    })
}

/// The plugin has measured while the tests ran; it only has to write.
fn java_tool(files: &Files<'_>, test_command: &str) -> Option<Tool> {
    let program = test_command.split_whitespace().next()?;
    let is_maven = program.ends_with("mvn") || program.ends_with("mvnw");
    (is_maven && files.text("pom.xml").contains("jacoco-maven-plugin")).then(|| Tool {
        commands: vec![
            format!("{program} --batch-mode --quiet jacoco:report"),
            format!("cp target/site/jacoco/jacoco.xml {FOLDER}/jacoco.xml"),
        ],
        report: "jacoco.xml",
        format: Format::Jacoco,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn shown(tool: Option<Tool>) -> String {
        tool.map_or_else(|| "-".to_owned(), |tool| tool.commands.join("\n"))
    }

    #[test]
    fn the_command_is_the_projects_own_with_the_tool_around_it() {
        let none = Files(Path::new("/nowhere"));
        insta::assert_snapshot!(shown(python_tool(&none, "python", "pytest -q tests")), @"
        python -m coverage run --data-file=.baton-coverage/data --source=. --omit=.venv/*,node_modules/* -m pytest -q tests
        python -m coverage json -q --data-file=.baton-coverage/data -o .baton-coverage/coverage.json
        ");
        insta::assert_snapshot!(shown(python_tool(&none, "python3", "python3 -m unittest -v")), @"
        python3 -m coverage run --data-file=.baton-coverage/data --source=. --omit=.venv/*,node_modules/* -m unittest -v
        python3 -m coverage json -q --data-file=.baton-coverage/data -o .baton-coverage/coverage.json
        ");
        insta::assert_snapshot!(shown(python_tool(&none, "python", "pytest --cov=shop")), @"pytest --cov=shop --cov-report=json:.baton-coverage/coverage.json");
        assert_eq!(shown(python_tool(&none, "python", "make test")), "-");
        insta::assert_snapshot!(shown(go_tool("go test ./...")), @"go test -coverprofile=.baton-coverage/cover.out ./...");
        assert_eq!(shown(rust_tool("make test")), "-");
        let package = |script: &str, tool: &str| json!({ "scripts": { "test": script }, "devDependencies": { tool: "1" } });
        let javascript = |script: &str, tool: &str| {
            shown(javascript_tool(&package(script, tool), "npm test"))
                .replace("PATH=\"$PWD/node_modules/.bin:$PATH\" ", "")
        };
        insta::assert_snapshot!(javascript("node --test", "x"), @"node --experimental-test-coverage --test-reporter=lcov --test-reporter-destination=.baton-coverage/lcov.info --test");
        insta::assert_snapshot!(javascript("mocha", "c8"), @"c8 --reporter=lcovonly --reports-dir=.baton-coverage --temp-directory=.baton-coverage/raw mocha");
        assert_eq!(javascript("vitest run", "vitest"), "-");
        assert_eq!(javascript("node --test && echo ok", "c8"), "-");
    }
}
