//! Whatever the files hold, detection returns, and every command it offers is
//! made of words this crate knows plus names that were quoted.

use baton_host::detect::parse;
use baton_protocol::Language;
use baton_protocol::detection::Project;
use proptest::prelude::*;

use super::Tree;

/// Every file that detection reads.
const FILES: [&str; 34] = [
    "package.json",
    "yarn.lock",
    "pnpm-workspace.yaml",
    "lerna.json",
    "packages/a/package.json",
    "pyproject.toml",
    "requirements.txt",
    "setup.cfg",
    "tox.ini",
    "tox.toml",
    "noxfile.py",
    "pytest.ini",
    "packages/a/pyproject.toml",
    "go.mod",
    "go.work",
    "packages/a/go.mod",
    "Gemfile",
    "pump.gemspec",
    "Rakefile",
    "Cargo.toml",
    "packages/a/Cargo.toml",
    "pom.xml",
    "packages/a/pom.xml",
    "build.gradle",
    "settings.gradle",
    "Makefile",
    "justfile",
    ".pre-commit-config.yaml",
    "prek.toml",
    "lefthook.yml",
    "lefthook.toml",
    "lefthook.json",
    ".github/workflows/ci.yml",
    "manage.py",
];

/// Well-formed beginnings, so that generated content gets past the parsers.
const FRAGMENTS: [&str; 22] = [
    "{\"workspaces\": [\"packages/*\"], \"scripts\": {\"test\": \"$(touch x)\", \"lint\": \"`x`\"}}",
    "{\"name\": \"a; rm -rf .\", \"packageManager\": \"yarn@4; x\", \"scripts\": {\"test\": \"x\"}}",
    "packages:\n  - packages/*\n",
    "[workspace]\nmembers = ['packages/*']\n",
    "[package]\nname = \"$(x)\"\n",
    "[project]\nname = \"`x`\"\n[tool.uv.workspace]\nmembers = ['packages/*']\n",
    "[tool.poetry.dependencies]\na = { path = 'packages/a' }\n",
    "module $(x)\nrequire gotest.tools/gotestsum v1\n",
    "use ./packages/a\n",
    "gem 'rspec'\ngem 'rubocop'\n",
    "<project><artifactId>;x</artifactId><modules><module>packages/a</module><module>$(x)</module></modules></project>",
    "include 'a;b', ':$(x)', ':it\\'s'\n",
    "lint:\ntest:\nfmt format:\n$(shell x):\n",
    "repos:\n- hooks:\n  - id: black\n  - id: $(x)\n  - id: eslint\n",
    "pre-commit:\n  commands:\n    $(x):\n      run: eslint; ruff\ntest; x:\n  jobs: []\nlint:\n  jobs: []\n",
    "[tox]\nenv_list = lint, $(x)\n[testenv:;x]\n",
    "@nox.session(name='lint; x')\ndef f(s):\n@nox.session\ndef tests(s):\n",
    "jobs:\n  a:\n    steps:\n      - run: rm -rf /\n",
    "\u{feff}",
    "\n",
    "\"",
    "[[[[[[",
];

fn content() -> impl Strategy<Value = Vec<u8>> {
    let fragment =
        prop::sample::select(FRAGMENTS.to_vec()).prop_map(|text| text.as_bytes().to_vec());
    let noise = prop::collection::vec(any::<u8>(), 0..40);
    prop_oneof![
        4 => fragment.clone(),
        1 => noise.clone(),
        2 => (fragment, noise).prop_map(|(mut text, noise)| { text.extend(noise); text }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn any_content_is_survived_and_never_becomes_a_command(
        files in prop::collection::vec((prop::sample::select(FILES.to_vec()), content()), 1..12),
        language in prop::option::of(prop::sample::select(Language::ALL.to_vec())),
        is_everything_installed in any::<bool>(),
    ) {
        let tree = Tree::new(&files);
        let options = baton_host::detect::Options {
            language,
            on_path: &|_| is_everything_installed,
            by_sources: true,
        };
        let project = baton_host::detect::detect(tree.path(), &options);
        for command in commands(&project) {
            prop_assert!(has_known_form(command), "{command:?}");
        }
    }

    #[test]
    fn parsers_survive_any_text(text in any::<String>(), noise in prop::collection::vec(any::<u8>(), 0..200)) {
        for text in [text.as_str(), &String::from_utf8_lossy(&noise)] {
            let _ = (parse::json(text), parse::toml(text), parse::yaml(text));
            let _ = (parse::gems(text), parse::gradle_includes(text), parse::pom(text));
            let _ = (parse::go_mod_module(text), parse::go_mod_requires(text), parse::go_work_uses(text));
            let _ = (parse::ini(text), parse::callable_recipes(text), parse::makefile_targets(text));
            let _ = (parse::nox_sessions(text), parse::requirements(text));
            let _ = parse::gradle_names_plugin(text, "checkstyle");
        }
    }
}

fn commands(project: &Project) -> Vec<&str> {
    let mut found = Vec::new();
    for language in &project.languages {
        let testing = &language.testing;
        let candidates = testing
            .test
            .iter()
            .chain(&testing.build)
            .chain(&testing.forced_build)
            .chain(
                baton_protocol::detection::Purpose::ALL
                    .into_iter()
                    .flat_map(|purpose| language.validation.for_purpose(purpose)),
            );
        for candidate in candidates {
            found.push(candidate.command.as_str());
            found.extend(
                candidate
                    .fallbacks
                    .iter()
                    .map(|fallback| fallback.command.as_str()),
            );
        }
    }
    let tasks = project.tasks.iter();
    let purposes = baton_protocol::detection::Purpose::ALL;
    found.extend(tasks.flat_map(|tasks| {
        let candidates = purposes
            .into_iter()
            .flat_map(|purpose| tasks.for_purpose(purpose));
        candidates.map(|candidate| candidate.command.as_str())
    }));
    for package in project
        .workspaces
        .iter()
        .flat_map(|workspace| &workspace.packages)
    {
        found.extend(package.commands.iter().map(|each| each.command.as_str()));
    }
    found
}

/// A known program first, and outside of quotes nothing that a shell would
/// act on: only plain words, ` && ` between hooks, and the one glob of the
/// specification.
fn has_known_form(command: &str) -> bool {
    const PROGRAMS: [&str; 39] = [
        "task",
        "npm",
        "npx",
        "yarn",
        "pnpm",
        "bun",
        "bunx",
        "tsc",
        "pytest",
        "python",
        "nose2",
        "black",
        "ruff",
        "flake8",
        "pylint",
        "pip",
        "uv",
        "poetry",
        "pdm",
        "pipenv",
        "tox",
        "nox",
        "go",
        "golangci-lint",
        "cargo",
        "bundle",
        "rake",
        "ruby",
        "rubocop",
        "mvn",
        "gradle",
        "make",
        "just",
        "pre-commit",
        "prek",
        "lefthook",
        "sh",
        "bin/dev",
        "bin/rails",
    ];
    let bare = without_quoted(command).replace(" test/test_*.rb", "");
    bare.split(" && ").all(|part| {
        let program = part.split(' ').next().unwrap_or_default();
        let is_plain = |c: char| c.is_ascii_alphanumeric() || " -_./@:=+,".contains(c);
        (PROGRAMS.contains(&program) || ["./mvnw", "./gradlew"].contains(&program))
            && part.chars().all(is_plain)
    })
}

/// The command without its single-quoted parts (and `\'` between them).
fn without_quoted(command: &str) -> String {
    let mut bare = String::new();
    let mut is_quoted = false;
    let mut characters = command.chars();
    while let Some(character) = characters.next() {
        match character {
            '\'' => is_quoted = !is_quoted,
            _ if is_quoted => {}
            '\\' => {
                characters.next();
            }
            other => bare.push(other),
        }
    }
    assert!(!is_quoted, "an open quote in {command:?}");
    bare
}
