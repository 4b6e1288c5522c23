//! Each run has what it installs and builds for itself.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use baton_host::cmd::Environment;
use baton_testkit::world::World;
use baton_testkit::{missing, peer};
use baton_workflow::{Ending, Step};

use crate::ground::wish;
use crate::stage::Stage;

/// A project in `src` layout that brings its own build backend, so that nothing
/// has to be downloaded. Like setuptools, it leaves metadata beside the sources.
const PYPROJECT: &str = "\
[build-system]
requires = []
build-backend = \"backend\"
backend-path = [\".\"]

[project]
name = \"shop\"
version = \"1\"

[tool.pytest.ini_options]
testpaths = [\"tests\"]
";

const BACKEND: &str = r#"
import base64, hashlib, os, zipfile

def build_editable(folder, config_settings=None, metadata_directory=None):
    os.makedirs("src/shop.egg-info", exist_ok=True)
    open("src/shop.egg-info/PKG-INFO", "w").close()
    files = {
        "shop.pth": os.path.abspath("src") + "\n",
        "shop-1.dist-info/METADATA": "Metadata-Version: 2.1\nName: shop\nVersion: 1\n",
        "shop-1.dist-info/WHEEL": "Wheel-Version: 1.0\nGenerator: own\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = ""
    for name, text in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(text.encode())}\n"
    files["shop-1.dist-info/RECORD"] = record + "shop-1.dist-info/RECORD,,\n"
    name = "shop-1-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(folder, name), "w") as wheel:
        for path, text in files.items():
            wheel.writestr(path, text)
    return name
"#;

/// Changes the code, tests it, and says whose code that was.
const CODER: &str = "\
echo \"NAME = '$BATON_KEY'\" > src/shop/__init__.py
pytest -q > \"$HOME/pytest.log\" 2>&1
python -c 'import shop; print(shop.__file__)' > imported.txt
mv imported.txt \"$HOME/imported.$(echo \"$BATON_KEY\" | cut -d/ -f1)\"
";

/// What `prepare` says where it need not install again.
const KEPT: &str = "takes what an earlier run installed";

#[expect(
    clippy::disallowed_methods,
    reason = "tests must not prepare their ground with the code under test"
)]
fn program(path: &Path) -> Command {
    Command::new(path)
}

/// Python with pytest, as the user has it in an active virtual environment.
struct UsersPython {
    folder: PathBuf,
}

impl UsersPython {
    /// `None` where this machine has no peers.
    fn make(world: &World) -> Option<Self> {
        let python = peer("python/bin/python3")?;
        let folder = world.sandbox.path("users-venv");
        let made = program(&python)
            .args(["-m", "venv", "--without-pip"])
            .arg(&folder)
            .status()
            .unwrap();
        assert!(made.success());
        let peers = python.parent().unwrap().parent().unwrap().join("lib");
        let versions = fs::read_dir(peers).unwrap();
        let version = versions.filter_map(Result::ok).last().unwrap().file_name();
        let site = folder.join("lib").join(&version).join("site-packages");
        for entry in fs::read_dir(peer("python/lib")?.join(&version).join("site-packages")).unwrap()
        {
            let entry = entry.unwrap();
            let to = site.join(entry.file_name());
            std::os::unix::fs::symlink(entry.path(), to).unwrap();
        }
        // They work on the same project themselves.
        let sources = world.sandbox.path("checkout/src");
        fs::write(site.join("shop.pth"), format!("{}\n", sources.display())).unwrap();
        let script = folder.join("bin/pytest");
        let shebang = format!("#!{}/bin/python3", folder.display());
        fs::write(
            &script,
            format!("{shebang}\nimport pytest\npytest.main()\n"),
        )
        .unwrap();
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
        Some(Self { folder })
    }

    fn activate(&self, environment: &mut Environment) {
        let path = environment.get("PATH").unwrap().to_string_lossy();
        let path = format!("{}/bin:{path}", self.folder.display());
        environment.set("PATH", path);
        environment.set("VIRTUAL_ENV", &self.folder);
    }

    /// Every file with what it holds, links by where they lead.
    fn contents(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut found = BTreeMap::new();
        let mut folders = vec![self.folder.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_symlink() {
                    let to = fs::read_link(&path).unwrap();
                    found.insert(path, to.to_string_lossy().into_owned().into_bytes());
                } else if path.is_dir() {
                    folders.push(path);
                } else {
                    let bytes = fs::read(&path).unwrap();
                    found.insert(path, bytes);
                }
            }
        }
        found
    }
}

fn stage<'w>(world: &'w World, request: &str, files: &[(&str, &str)]) -> Stage<'w> {
    let mut stage = Stage::new(world, request, files);
    stage.until = Some(Step::Publish);
    stage
}

fn activate(stage: &mut Stage<'_>, python: &UsersPython) {
    python.activate(&mut stage.place.environment);
    python.activate(&mut stage.place.agent_environment);
    python.activate(&mut stage.place.git_environment);
}

fn imported(world: &World, run: &str) -> String {
    let file = world.sandbox.home().join(format!("imported.{run}"));
    let log = world.sandbox.home().join("pytest.log");
    fs::read_to_string(file).unwrap_or_else(|_| {
        let log = fs::read_to_string(log).unwrap_or_default();
        panic!("the agent did not come to its end: {log}")
    })
}

/// What the branch of a worktree changed, and what is left in it.
fn changed(worktree: &Path) -> String {
    let git = |args: &[&str]| {
        let mut git = program(Path::new("git"));
        let output = git.arg("-C").arg(worktree).args(args).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let committed = git(&["diff", "--name-only", "origin/main", "HEAD"]);
    let left = git(&["status", "--porcelain"]);
    format!("{committed}{left}")
}

#[test]
fn runs_of_a_python_project_import_their_own_code_and_leave_the_users_alone() {
    let world = World::start();
    let Some(python) = UsersPython::make(&world) else {
        missing("python");
        return;
    };
    let files = [
        ("pyproject.toml", PYPROJECT),
        ("backend.py", BACKEND),
        (".gitignore", "__pycache__/\n.pytest_cache/\n"),
        ("src/shop/__init__.py", "NAME = 'main'\n"),
        (
            "tests/test_shop.py",
            "import os, shop\n\ndef test_own():\n    assert shop.__file__.startswith(os.getcwd())\n",
        ),
    ];
    let mut stage = stage(&world, "Rename the shop", &files);
    activate(&mut stage, &python);
    stage.coder(CODER);
    let before = python.contents();

    let mut worktrees = Vec::new();
    for request in ["Rename the shop", "Print invoices as plain text"] {
        stage.run = None;
        stage.goal = wish(request);
        let played = stage.play();
        let is_kept = played.said.iter().any(|said| said == KEPT);
        assert_eq!(is_kept, !worktrees.is_empty(), "{:?}", played.said);
        let run = stage.run.clone().unwrap();
        let worktree = played.state.passed().iter().find_map(|passed| {
            let xml = passed.handoff.to_xml(jiff::Timestamp::UNIX_EPOCH);
            let (_, rest) = xml.split_once("<workspace_path>")?;
            Some(PathBuf::from(rest.split_once('<')?.0))
        });
        worktrees.push((run.to_string(), worktree.unwrap()));
    }
    for (run, worktree) in &worktrees {
        let own = worktree.join("src/shop/__init__.py");
        assert_eq!(imported(&world, run).trim(), own.to_string_lossy());
        // The other run has not changed it since.
        let venv = stage.worktrees().join(format!(".private-{run}/tools/venv"));
        let again = program(&venv.join("bin/python"))
            .args(["-c", "import shop; print(shop.NAME)"])
            .output()
            .unwrap();
        let name = String::from_utf8_lossy(&again.stdout).into_owned();
        assert!(name.starts_with(run.as_str()), "{again:?}");
        assert_eq!(changed(worktree), "src/shop/__init__.py\n");
    }
    assert_eq!(python.contents(), before);
}

#[test]
fn a_folder_with_tests_and_nothing_declared_runs_with_the_users_pytest() {
    let world = World::start();
    let Some(python) = UsersPython::make(&world) else {
        missing("python");
        return;
    };
    let files = [("test_sums.py", "def test_sums():\n    assert 1 + 1 == 2\n")];
    let mut stage = stage(&world, "Count further", &files);
    activate(&mut stage, &python);
    stage.coder(
        "echo 'def test_more(): assert 2 + 2 == 4' > test_more.py\n\
         pytest -q > \"$HOME/pytest.log\"\necho \"$VIRTUAL_ENV\" > \"$HOME/venv\"",
    );
    stage.until = None;
    stage.without_tools();
    let before = python.contents();
    let played = stage.play();
    assert_eq!(
        played.state.ending(),
        Some(&Ending::Closed),
        "{:?}",
        played.said
    );
    let log = fs::read_to_string(world.sandbox.home().join("pytest.log")).unwrap();
    assert!(log.contains("2 passed"), "{log}");
    let venv = fs::read_to_string(world.sandbox.home().join("venv")).unwrap();
    assert!(venv.contains("/.private-"), "{venv}");
    assert_eq!(python.contents(), before);
    // It goes with the run.
    assert!(!Path::new(venv.trim()).exists(), "{venv}");
    let excluded = fs::read_to_string(stage.repo.path().join(".git/info/exclude"));
    assert!(!excluded.unwrap_or_default().contains("baton"));
}

#[test]
fn an_environment_is_where_the_user_has_one() {
    let world = World::start();
    let Some(python) = UsersPython::make(&world) else {
        missing("python");
        return;
    };
    let files = [
        ("test_sums.py", "def test_sums():\n    assert 1 + 1 == 2\n"),
        (".gitignore", ".venv\n"),
    ];
    let mut stage = stage(&world, "Count further", &files);
    fs::create_dir(world.sandbox.path("checkout/.venv")).unwrap();
    activate(&mut stage, &python);
    stage.coder("echo \"$VIRTUAL_ENV\" > \"$HOME/venv\"\necho x > new.txt");
    stage.play();
    let venv = fs::read_to_string(world.sandbox.home().join("venv")).unwrap();
    assert!(venv.trim().ends_with("count-further/.venv"), "{venv}");
}

#[test]
fn packages_of_node_are_installed_in_the_workspace_and_not_committed() {
    let world = World::start();
    let lock = r#"{
  "name": "shop", "version": "1.0.0", "lockfileVersion": 3, "requires": true,
  "packages": {
    "": { "name": "shop", "version": "1.0.0", "dependencies": { "till": "file:till" } },
    "node_modules/till": { "resolved": "till", "link": true },
    "till": { "version": "1.0.0" }
  }
}
"#;
    let files = [
        (
            "package.json",
            r#"{ "name": "shop", "version": "1.0.0", "dependencies": { "till": "file:till" } }"#,
        ),
        ("package-lock.json", lock),
        (
            "till/package.json",
            r#"{ "name": "till", "version": "1.0.0" }"#,
        ),
    ];
    let mut stage = stage(&world, "Count further", &files);
    let path = format!(
        "{}:/usr/local/bin:/usr/bin:/bin",
        world.sandbox.bin().display()
    );
    if !["/usr/bin/npm", "/usr/local/bin/npm"]
        .iter()
        .any(|npm| Path::new(npm).exists())
    {
        missing("npm");
        return;
    }
    for environment in [
        &mut stage.place.environment,
        &mut stage.place.agent_environment,
    ] {
        environment.set("PATH", &path);
        // As below `npm run` in the user's own checkout.
        environment.set("npm_config_local_prefix", stage.repo.path());
        environment.set("CARGO_TARGET_DIR", "/nowhere");
    }
    stage.coder(
        "test -e node_modules/till/package.json\necho \"$CARGO_TARGET_DIR\" > \"$HOME/target\"\n\
         echo x > new.txt",
    );
    let checkout = stage.repo.path().to_path_buf();
    let played = stage.play();
    let said = played.said.join("\n");
    let target = fs::read_to_string(world.sandbox.home().join("target"));
    let target = target.unwrap_or_else(|_| panic!("{said}"));
    let worktree = Path::new(target.trim()).parent().unwrap();
    assert!(worktree.join("node_modules/till").exists(), "{said}");
    assert!(!checkout.join("node_modules").exists(), "{said}");
    assert_eq!(changed(worktree), "new.txt\n");
}
