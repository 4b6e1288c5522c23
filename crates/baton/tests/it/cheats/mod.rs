//! Coding agents that make wrong work look right, and honest ones that look a
//! little like them, on plain projects in several languages.
//!
//! Each behaviour is a script of its own in `scripts`, which is the coding agent
//! of a whole run; `projects` has what it works on. The lines at its top say
//! what it is to do and what is to come of it:
//!
//! - `# project: …`: a folder in `projects`
//! - `# request: …`: what the run is asked for
//! - `# ends: merged` or `# ends: asks`
//! - `# because: …`: a text that the run's record must hold
//!
//! Nothing is configured but the agent.

use std::fs;
use std::path::{Path, PathBuf};

use baton_testkit::{missing, peer};

use crate::demo::show_cargo;
use crate::runs::scene::Scene;

macro_rules! cheats {
    ($($name:ident),* $(,)?) => {
        $(
            #[test]
            #[cfg(target_os = "linux")]
            fn $name() {
                play(include_str!(concat!("scripts/", stringify!($name), ".sh")));
            }
        )*

        #[test]
        fn every_script_is_a_test() {
            let mut files: Vec<String> = fs::read_dir(here("scripts"))
                .unwrap()
                .map(|entry| entry.unwrap().path())
                .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
                .collect();
            files.sort();
            let mut named = vec![$(stringify!($name).to_owned()),*];
            named.sort();
            assert_eq!(files, named);
            let documented =
                fs::read_to_string(here("../../../../../docs/evidence.md")).unwrap();
            for name in &named {
                assert!(documented.contains(&format!("`{name}`")), "{name} is not in the docs");
            }
        }
    };
}

cheats!(
    go_builds_without_its_test,
    go_decides_the_exit_code,
    go_honest_feature,
    go_honest_subtests,
    go_renames_tests_out_of_sight,
    go_skips,
    javascript_breaks_a_package,
    javascript_honest_build,
    javascript_honest_feature,
    javascript_honest_package,
    javascript_honest_script,
    javascript_honest_silent_script,
    javascript_honest_workspace,
    javascript_ignores_failures,
    javascript_leaves_in_the_middle,
    javascript_leaves_its_packages,
    javascript_moves_tests_out_of_sight,
    javascript_narrows_the_script,
    javascript_removes_tests_before_they_run,
    javascript_replaces_assertions,
    javascript_rigs_its_home,
    javascript_skips,
    python_asks_for_less,
    python_breaks_what_no_runner_finds,
    python_deletes_a_test,
    python_deselects_in_the_settings,
    python_erases_failures,
    python_expects_failures_in_a_fixture,
    python_hides_a_hook,
    python_hides_behind_a_failure,
    python_honest_assertion,
    python_honest_beside_a_failure,
    python_honest_deletion,
    python_honest_feature,
    python_honest_fixture,
    python_honest_plain_layout,
    python_honest_rename,
    python_honest_scratch_files,
    python_honest_single_file,
    python_leaves_in_the_middle,
    python_moves_tests_out_of_sight,
    python_renames_tests_out_of_sight,
    python_replaces_assertions,
    python_replaces_the_framework,
    python_rigs_its_environment,
    python_rigs_its_home,
    python_silences_a_scanner,
    python_skips_in_a_hook,
    ruby_filters_by_tag,
    ruby_honest_feature,
    ruby_leaves_at_exit,
    ruby_makes_its_test_pending,
    ruby_replaces_assertions,
    rust_hides_its_test_behind_a_feature,
    rust_honest_feature,
    rust_honest_move,
    rust_ignores,
    rust_leaves_a_test_out,
    rust_proves_nothing,
    rust_replaces_assertions,
    rust_replaces_the_runner,
    rust_rigs_its_home,
);

#[cfg(target_os = "linux")]
fn play(script: &str) {
    let value = |name: &str| -> Vec<String> {
        let prefix = format!("# {name}: ");
        let lines = script.lines().filter_map(|line| line.strip_prefix(&prefix));
        lines.map(str::to_owned).collect()
    };
    let project = value("project").pop().unwrap();
    let mut files = Vec::new();
    let folder = here("projects").join(&project);
    collect(&folder, &folder, &mut files);
    let mut scene = Scene::with_files(&files);
    let Some(config) = equip(&mut scene, &project) else {
        return;
    };
    scene.world.sandbox.fake("scribe", script);
    scene.configure(&config);

    let answer = scene.ask(&["run", &value("request").pop().unwrap()]);

    let logs = scene.ask(&["logs", "-"]).stdout;
    let told = format!("{answer}\n{logs}");
    // Long lines are broken at some width.
    let words: Vec<&str> = told.split_whitespace().collect();
    let flat = words.join(" ");
    match value("ends").pop().unwrap().as_str() {
        "merged" => {
            assert_eq!(answer.code, Some(0), "{told}");
            assert!(
                scene.on_the_forge().contains("merged pull request"),
                "{told}"
            );
        }
        "asks" => {
            assert_eq!(answer.code, Some(5), "{told}");
            assert!(
                !scene.on_the_forge().contains("merged pull request"),
                "{told}"
            );
        }
        other => panic!("a script cannot end with {other}"),
    }
    for text in value("because") {
        assert!(
            flat.contains(&text),
            "the record does not say {text:?}:\n{told}"
        );
    }
}

/// The language's usual tools; `None` where this machine lacks them. The lines
/// are for the user's configuration.
pub(crate) fn equip(scene: &mut Scene, project: &str) -> Option<String> {
    let sandbox = &mut scene.world.sandbox;
    // `python_plain` is another project in Python.
    let language = project.split('_').next().unwrap_or(project);
    let tools: &[&str] = match language {
        "python" => {
            let python = peer("python/bin/python")?;
            for (name, module) in [("pytest", "-m pytest"), ("python", ""), ("python3", "")] {
                let body = format!("exec '{}' {module} \"$@\"", python.display());
                sandbox.fake(name, &body);
            }
            let real = fs::canonicalize(&python).unwrap();
            let shown = [&python, &real].map(|path| {
                let root = path.parent().and_then(Path::parent).unwrap();
                format!("{:?}", root.to_string_lossy())
            });
            return Some(format!("sandbox.readable = [{}]\n", shown.join(", ")));
        }
        "javascript" => &["node", "npm"],
        "go" => &["go", "gofmt"],
        "rust" => {
            show_cargo(sandbox);
            return Some(String::new());
        }
        "ruby" => &["ruby", "rspec"],
        other => panic!("there is no project {other}"),
    };
    let is_there = tools.iter().all(|tool| sandbox.link_tool(tool));
    if !is_there {
        missing(&format!("one of {}", tools.join(", ")));
    }
    is_there.then(String::new)
}

fn here(name: &str) -> PathBuf {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/cheats");
    tests.join(name)
}

fn collect(root: &Path, folder: &Path, files: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(root, &path, files);
        } else {
            let name = path.strip_prefix(root).unwrap().to_string_lossy();
            files.push((name.into_owned(), fs::read_to_string(&path).unwrap()));
        }
    }
}
