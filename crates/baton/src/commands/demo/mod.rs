mod sample;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use baton_host::cmd::{Cmd, Environment, Finished, Outcome};
use baton_host::detect::{self, Options};
use baton_host::git::{Checkout, Git};
use baton_protocol::handoff::Handoff;
use jiff::Timestamp;
use tokio_util::sync::CancellationToken;

use crate::error::CommandError;
use crate::exit::Exit;
use crate::runtime;
use crate::session::Session;
use crate::terminal::{self, Style, harmless};

/// Show on a throw-away repository what baton can do so far
///
/// Makes a small Rust project with a real defect, finds out how to test it,
/// runs its tests, prepares a worktree, writes and checks the handoffs between
/// the first agents, mends the defect with a recorded patch, and rehearses the
/// merge. Nothing outside the folder is touched, and no network is used.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Where to make the sample; it must be empty or not there yet
    #[arg(long, value_name = "FOLDER")]
    dir: Option<PathBuf>,

    /// Keep the folder afterwards
    #[arg(long)]
    keep: bool,
}

const NOT_YET: &str = "\
Not there yet, and not pretended: the issue and the pull request on a forge,
the coding agent, the review, the validation phase and the merge. The patch
above was recorded, not written by an agent.
";

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit, CommandError> {
    let folder = Folder::make(args)?;
    let stage = Stage::new(folder.path(), session)?;
    runtime::run(async |cancel| stage.play(&cancel).await)?;
    let mut text = format!("\n{NOT_YET}");
    if let Some(kept) = folder.keep() {
        writeln!(text, "\nThe sample is in {}", harmless(&kept)).expect("a string takes all text");
    }
    terminal::result(&text)?;
    Ok(Exit::Done)
}

/// The sample's folder, which goes when the demo ends unless it is wanted.
enum Folder {
    Temporary(tempfile::TempDir),
    Kept(PathBuf),
}

impl Folder {
    fn make(args: &Args) -> Result<Self, CommandError> {
        let failed = |error: std::io::Error| {
            CommandError::missing("cannot make a folder for the sample")
                .because(error)
                .hint("Name a folder that you may write to with --dir.")
        };
        if let Some(dir) = &args.dir {
            fs::create_dir_all(dir).map_err(failed)?;
            if fs::read_dir(dir).map_err(failed)?.next().is_some() {
                return Err(CommandError::wrong_use(format!(
                    "{} is not empty",
                    harmless(&dir.to_string_lossy())
                ))
                .hint("Name a folder that is empty or not there yet."));
            }
            return dir.canonicalize().map(Self::Kept).map_err(failed);
        }
        let folder = tempfile::Builder::new()
            .prefix("baton-demo-")
            .tempdir()
            .map_err(failed)?;
        Ok(if args.keep {
            Self::Kept(folder.keep())
        } else {
            Self::Temporary(folder)
        })
    }

    fn path(&self) -> &Path {
        match self {
            Self::Temporary(folder) => folder.path(),
            Self::Kept(path) => path,
        }
    }

    fn keep(&self) -> Option<String> {
        match self {
            Self::Temporary(_) => None,
            Self::Kept(path) => Some(path.to_string_lossy().into_owned()),
        }
    }
}

/// The throw-away project and everything that happens in it.
struct Stage {
    folder: PathBuf,
    environment: Environment,
}

impl Stage {
    fn new(folder: &Path, session: &Session) -> Result<Self, CommandError> {
        for program in ["git", "cargo"] {
            if session.environment.find_program(program).is_none() {
                return Err(CommandError::missing(format!(
                    "the demo's sample is a Rust project in git, and there is no {program} here"
                ))
                .hint(format!("Install {program}, or add its folder to PATH.")));
            }
        }
        let mut environment = session.environment.clone();
        // Both checkouts share one build, and nobody else's is touched.
        environment.set("CARGO_TARGET_DIR", folder.join("build"));
        for (name, value) in [
            ("GIT_AUTHOR_NAME", "baton"),
            ("GIT_AUTHOR_EMAIL", "baton@localhost"),
            ("GIT_COMMITTER_NAME", "baton"),
            ("GIT_COMMITTER_EMAIL", "baton@localhost"),
        ] {
            environment.set(name, value);
        }
        Ok(Self {
            folder: folder.to_path_buf(),
            environment,
        })
    }

    async fn play(&self, cancel: &CancellationToken) -> Result<(), CommandError> {
        let repository = self.folder.join("ledger");
        let worktree = self.folder.join("ledger-issue-1");

        step("Make a small Rust project with a defect");
        sample::write(&repository).map_err(unwritable)?;
        self.git(
            &repository,
            &["init", "--quiet", "--initial-branch", "main"],
            cancel,
        )
        .await?;
        self.commit(&repository, "Keep the books", cancel).await?;

        step("Find out how to test it");
        let command = self.detect(&repository)?;

        step("Run its tests");
        self.test(&repository, &command, Expect::Failure, cancel)
            .await?;

        step("Hand the issue to the prep agent");
        self.hand_over(&sample::issue_ready(), "1-issue-ready.xml")?;

        step("Prepare a worktree and hand it to the implementer");
        let git = Git::open(&repository, &self.environment)
            .await
            .map_err(|e| git_failed(&e))?
            .with_cancellation(cancel.clone());
        let checkout = Checkout::NewBranch {
            name: sample::BRANCH,
            start: "main",
        };
        git.add_worktree(&worktree, checkout)
            .await
            .map_err(|e| git_failed(&e))?;
        say(&format!(
            "worktree {} on {}",
            shown(&worktree),
            sample::BRANCH
        ));
        self.hand_over(&sample::workspace_ready(&worktree), "2-workspace-ready.xml")?;

        step("Mend the defect with a recorded patch and test again");
        sample::mend(&worktree).map_err(unwritable)?;
        self.test(&worktree, &command, Expect::Success, cancel)
            .await?;
        self.commit(&worktree, "fix: average of no amounts is zero", cancel)
            .await?;

        step("Rehearse the merge without touching anything");
        let merge = git
            .merge_tree("main", sample::BRANCH)
            .await
            .map_err(|e| git_failed(&e))?;
        if !merge.clean {
            return Err(CommandError::missing("the rehearsed merge has conflicts")
                .hint("This is a defect of the demo; run it with --keep and report it."));
        }
        say(&format!(
            "{} merges into main cleanly; the result would be tree {}",
            sample::BRANCH,
            merge.tree
        ));
        Ok(())
    }

    /// The test command that detection finds.
    fn detect(&self, repository: &Path) -> Result<String, CommandError> {
        let on_path = |program: &str| self.environment.find_program(program).is_some();
        let options = Options {
            language: None,
            on_path: &on_path,
        };
        let project = detect::detect(repository, &options);
        let chosen = project.language().and_then(|language| {
            Some((language, project.testing_commands(language)?.test.first()?))
        });
        let Some((language, candidate)) = chosen else {
            return Err(CommandError::missing("the sample's language was not found")
                .hint("This is a defect of the demo; run it with --keep and report it."));
        };
        say(&format!(
            "{language}; `{}`: {}",
            candidate.command, candidate.reason
        ));
        Ok(candidate.command.clone())
    }

    async fn test(
        &self,
        folder: &Path,
        command: &str,
        expect: Expect,
        cancel: &CancellationToken,
    ) -> Result<(), CommandError> {
        let cmd = Cmd::shell(command, folder, &self.environment).merged();
        let finished = self.finish(&cmd, cancel).await?;
        let output = finished.stdout.text();
        for line in output.lines().filter(|line| tells(line)) {
            say(&harmless(line.trim()));
        }
        say(&format!(
            "`{command}` {} after {:.1} s",
            finished.outcome,
            finished.duration.as_secs_f32()
        ));
        if finished.success() == (expect == Expect::Success) {
            return Ok(());
        }
        Err(
            CommandError::missing("the sample's tests did not do what they should")
                .because(harmless(&output))
                .hint("Check that `cargo test` works in another project here."),
        )
    }

    /// Writes the handoff, and reads it again as its receiver would.
    fn hand_over(&self, handoff: &Handoff, name: &str) -> Result<(), CommandError> {
        let folder = self.folder.join("handoffs");
        let document = handoff.to_xml(Timestamp::now());
        fs::create_dir_all(&folder).map_err(unwritable)?;
        fs::write(folder.join(name), &document).map_err(unwritable)?;
        let received = Handoff::from_xml(document.as_bytes())
            .map_err(|error| CommandError::missing("the handoff was refused").because(error))?;
        received
            .require_concrete()
            .map_err(|error| CommandError::missing("the handoff was refused").because(error))?;
        say(&format!("handoffs/{name}: {}, checked", received.kind()));
        Ok(())
    }

    async fn commit(
        &self,
        folder: &Path,
        message: &str,
        cancel: &CancellationToken,
    ) -> Result<(), CommandError> {
        self.git(folder, &["add", "--all"], cancel).await?;
        let commit = [
            "commit",
            "--quiet",
            "--no-gpg-sign",
            "--no-verify",
            "-m",
            message,
        ];
        self.git(folder, &commit, cancel).await?;
        say(&format!("committed: {message}"));
        Ok(())
    }

    async fn git(
        &self,
        folder: &Path,
        args: &[&str],
        cancel: &CancellationToken,
    ) -> Result<(), CommandError> {
        let cmd = Cmd::new("git", folder, &self.environment).args(args.iter().copied());
        let finished = self.finish(&cmd, cancel).await?;
        if finished.success() {
            return Ok(());
        }
        Err(
            CommandError::missing(format!("`{cmd}` {}", finished.outcome))
                .because(harmless(&finished.stderr.text()))
                .hint("Run `baton doctor`."),
        )
    }

    async fn finish(
        &self,
        cmd: &Cmd,
        cancel: &CancellationToken,
    ) -> Result<Finished, CommandError> {
        let finished = cmd.run(cancel).await.map_err(|error| {
            CommandError::missing(format!("cannot run `{cmd}`"))
                .because(error)
                .hint("Run `baton doctor`.")
        })?;
        if finished.outcome == Outcome::Cancelled {
            return Err(CommandError::interrupted());
        }
        Ok(finished)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Expect {
    Success,
    Failure,
}

fn step(title: &str) {
    terminal::error_line(&Style::Heading.paint(title));
}

fn say(line: &str) {
    terminal::error_line(&format!("  {line}"));
}

fn shown(path: &Path) -> String {
    harmless(&path.to_string_lossy())
}

/// The lines of `cargo test` that a person looks for.
fn tells(line: &str) -> bool {
    ["test tests::", "test result:", "error"]
        .iter()
        .any(|start| line.trim_start().starts_with(start))
        && !line.contains("0 passed; 0 failed")
}

fn git_failed(error: &baton_host::git::GitError) -> CommandError {
    CommandError::missing(harmless(&error.to_string())).hint("Run `baton doctor`.")
}

fn unwritable(error: std::io::Error) -> CommandError {
    CommandError::missing("cannot write the sample")
        .because(error)
        .hint("Name a folder with space left with --dir.")
}
