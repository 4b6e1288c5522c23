//! `baton pr create`: opens a pull request for the current branch.

mod draft;
mod editor;
mod show;

use std::path::PathBuf;

use baton_host::git::{Git, GitError, Head};
use baton_ops::pr::{self, PlannedPull};
use baton_ops::question::{Choice, Question};
use baton_protocol::Request as _;
use baton_protocol::error_chain;
use baton_protocol::phase::pr::PrInput;
use serde_json::json;

use self::draft::Draft;
use crate::checkout;
use crate::commands::phase;
use crate::document::{self, Place};
use crate::error::CommandError;
use crate::exit::Exit;
use crate::runtime;
use crate::session::Session;
use crate::terminal::{self, Person, sanitize};

/// Push the current branch and open a pull request
///
/// Title and text come from the commits where they are not given, and are shown
/// before anything is done; on a terminal you are asked first, and may change
/// them in your editor. A Jira issue that the branch or the commits name is
/// offered. The address is the last thing on standard output. The same call
/// again after a crash takes up what the first one began; nothing is done twice.
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The branch to open it from, instead of the one that is checked out
    #[arg(long, value_name = "BRANCH")]
    branch: Option<String>,

    /// The branch to merge into; the remote's own default where not given
    #[arg(long, value_name = "BRANCH")]
    base: Option<String>,

    /// The title
    #[arg(long, short)]
    title: Option<String>,

    /// The text, in Markdown
    #[arg(long, short, conflicts_with = "body_file")]
    body: Option<String>,

    /// Read the text from this file, or from standard input with `-`
    #[arg(long, value_name = "FILE")]
    body_file: Option<Place>,

    /// Begin the text with the repository's template, as pr.template does
    #[arg(long, conflicts_with_all = ["body", "body_file"])]
    template: bool,

    /// Link this Jira issue and move it to code review
    #[arg(long, value_name = "KEY")]
    jira: Option<String>,

    /// Ask for no Jira issue, whatever the branch is called
    #[arg(long, conflicts_with = "jira")]
    no_jira: bool,

    /// Open it ready for review instead of as a draft
    #[arg(long)]
    ready: bool,

    /// Change title and text in your editor first (VISUAL or EDITOR)
    #[arg(long, short)]
    edit: bool,

    /// Do not ask, even on a terminal
    #[arg(long, short)]
    yes: bool,

    /// Show what would be done, and do nothing
    #[arg(long)]
    dry_run: bool,

    /// Print the phase's output as one JSON object; with --dry-run, the request,
    /// as `baton phase pr` takes it
    #[arg(long)]
    json: bool,

    /// Write everything that was found out to this file, as JSON
    #[arg(long, value_name = "FILE", conflicts_with = "dry_run")]
    details: Option<PathBuf>,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit, CommandError> {
    let asks = Person::is_there() && !args.yes && !args.dry_run;
    let found = found(args, session)?;
    let mut draft = found.draft.clone();
    if args.edit {
        draft = editor::edit(&draft, &session.environment)?;
    }
    let jira_key = jira_key(args, &found, asks);
    let mut input = request(args, &found, &draft, jira_key.as_deref())?;
    if args.dry_run {
        return dry_run(args, &input, session);
    }
    terminal::error_line(&show::request(&input));
    if asks {
        match decision() {
            Some('Y') => {}
            Some('E') => {
                draft = editor::edit(&draft, &session.environment)?;
                input = request(args, &found, &draft, jira_key.as_deref())?;
            }
            _ => {
                terminal::error_line("nothing was done");
                return Ok(Exit::Failed);
            }
        }
    }
    open(args, &input, session)
}

/// What the checkout says.
struct Found {
    folder: PathBuf,
    branch: String,
    base: String,
    draft: Draft,
    /// In the name of the branch, or in a commit.
    jira_key: Option<String>,
}

fn found(args: &Args, session: &Session) -> Result<Found, CommandError> {
    let folder = Session::working_directory()?;
    let given = args.body_file.as_ref().map(body_of).transpose()?;
    let given = given.or_else(|| args.body.clone());
    let template_wanted = session.config()?.flag("pr.template").unwrap_or(false) || args.template;
    runtime::run(async |cancel| {
        let git = checkout::open_git(&folder, &session.environment, &cancel)
            .await
            .map_err(|error| not_here(&error))?;
        let facts = git.facts().await.map_err(|error| not_here(&error))?;
        let root = facts.top_level.unwrap_or_else(|| folder.clone());
        let branch = match &args.branch {
            Some(branch) => branch.clone(),
            None => current_branch(facts.head)?,
        };
        let base = match &args.base {
            Some(base) => base.clone(),
            None => default_base(&git).await,
        };
        let commits = draft::commits(&git, &base, &branch).await;
        let commits = commits.unwrap_or_default();
        let messages: Vec<&str> = commits
            .iter()
            .map(|commit| commit.message.as_str())
            .collect();
        let mut draft = Draft::from_commits(&branch, &messages);
        if let (None, true) = (&given, template_wanted)
            && let Some(template) = draft::template(&root)
        {
            draft = draft.with_template(&template);
        }
        if let Some(title) = &args.title {
            draft.title.clone_from(title);
        }
        if let Some(body) = given {
            draft.body = body;
        }
        let mut texts = std::iter::once(branch.as_str()).chain(messages.iter().copied());
        let jira_key = texts.find_map(draft::jira_key);
        Ok(Found {
            folder: root,
            branch,
            base,
            draft,
            jira_key,
        })
    })
}

fn body_of(file: &Place) -> Result<String, CommandError> {
    /// GitHub takes no longer text.
    const MAX_BODY_BYTES: usize = 256 * 1024;
    let bytes = file.read(MAX_BODY_BYTES)?;
    String::from_utf8(bytes)
        .map_err(|error| CommandError::wrong_use("the text is not UTF-8").because(error))
}

fn current_branch(head: Head) -> Result<String, CommandError> {
    match head {
        Head::Branch { name, .. } | Head::Unborn { name } => Ok(name),
        Head::Detached { .. } => Err(CommandError::wrong_use("no branch is checked out")
            .hint("Make one with `git switch -c NAME`, or name one with --branch.")),
    }
}

/// What `origin/HEAD` stands for; most forges call it `main`.
async fn default_base(git: &Git) -> String {
    let branches = git.remote_branches().await.unwrap_or_default();
    let head = branches
        .into_iter()
        .find(|branch| branch.name == "origin/HEAD")
        .and_then(|branch| branch.symref_target);
    let name = head
        .as_deref()
        .and_then(|full| full.strip_prefix("refs/remotes/origin/"));
    name.unwrap_or("main").to_owned()
}

fn not_here(error: &GitError) -> CommandError {
    let hint = match error {
        GitError::NotARepository { .. } => "Call it inside a git repository.",
        GitError::Start { .. } => "Install git, and see that it is on the PATH.",
        _ => "`baton doctor` looks at git and this checkout.",
    };
    CommandError::missing(error_chain(error)).hint(hint)
}

/// The key that was given, or the one that was found and is wanted.
fn jira_key(args: &Args, found: &Found, asks: bool) -> Option<String> {
    if args.jira.is_some() {
        return args.jira.clone();
    }
    let key = found.jira_key.as_ref().filter(|_| !args.no_jira)?;
    if !asks {
        terminal::error_line(&format!(
            "{key} is named here; add --jira {key} to link and move it"
        ));
        return None;
    }
    let question = yes_or_no(format!("Link {key} and move it to code review? [y/n]"));
    (Person::ask_now(&question) == Some('Y')).then(|| key.clone())
}

fn yes_or_no(text: String) -> Question {
    let option = |key, label: &str| Choice {
        key,
        label: label.to_owned(),
    };
    Question {
        text,
        options: vec![option('Y', "yes"), option('N', "no")],
    }
}

fn decision() -> Option<char> {
    let mut question = yes_or_no("Open it? [y]es, [e]dit, [n]o".to_owned());
    question.options.push(Choice {
        key: 'E',
        label: "edit".to_owned(),
    });
    Person::ask_now(&question)
}

fn request(
    args: &Args,
    found: &Found,
    draft: &Draft,
    jira_key: Option<&str>,
) -> Result<PrInput, CommandError> {
    let value = json!({
        "branch": found.branch,
        "base_branch": found.base,
        "title": draft.title,
        "description": draft.body,
        "jira_key": jira_key,
        "draft": !args.ready,
        "mark_ready": args.ready,
        "working_directory": found.folder.to_string_lossy(),
    });
    PrInput::read(&value).map_err(|problems| {
        let messages: Vec<&str> = problems
            .iter()
            .map(|problem| problem.message.as_str())
            .collect();
        CommandError::wrong_use(sanitize(&messages.join("; ")))
            .hint("Give --title, --body, --base or --jira.")
    })
}

fn dry_run(args: &Args, input: &PrInput, session: &Session) -> Result<Exit, CommandError> {
    if args.json {
        let text = serde_json::to_string_pretty(input).expect("a request is plain data");
        terminal::result(&format!("{text}\n"))?;
        return Ok(Exit::Done);
    }
    let cx = session.context()?;
    let options = super::options(&cx, input, session)?;
    let plan = runtime::run_to_end(async |cancel| {
        Box::pin(pr::plan(&cx.with_cancel(cancel), input, &options)).await
    })?;
    let plan = plan.map_err(|error| CommandError::wrong_use(sanitize(&error.message)))?;
    let text = format!("{}\n{}", show::request(input), show::plan(input, &plan));
    terminal::result(&text)?;
    Ok(match plan.pull {
        PlannedPull::Refuse { .. } => Exit::Failed,
        _ => Exit::Done,
    })
}

fn open(args: &Args, input: &PrInput, session: &Session) -> Result<Exit, CommandError> {
    let mut cx = session.context()?.with_events(|event| {
        if let Some(message) = event.message() {
            terminal::error_line(&sanitize(&message));
        }
    });
    if Person::is_there() && !args.yes {
        cx = cx.with_questions(Person);
    }
    let options = super::options(&cx, input, session)?;
    let answer =
        runtime::run_to_end(async |cancel| pr::run(&cx.with_cancel(cancel), input, options).await)?;
    let output = &answer.output;
    if args.json {
        let text = serde_json::to_string_pretty(output).expect("an output is plain data");
        terminal::result(&format!("{text}\n"))?;
    } else {
        let told = show::outcome(input, output);
        if !told.is_empty() {
            terminal::error_line(told.trim_end());
        }
        if let Some(url) = &output.pr_url {
            terminal::result(&format!("{}\n", sanitize(url)))?;
        }
    }
    if let Some(file) = &args.details {
        let text = serde_json::to_string_pretty(&answer.details).expect("details are plain data");
        document::write(file, &format!("{text}\n"))?;
    }
    let exit = phase::exit(output.status, answer.interrupted);
    answer.delivered();
    Ok(exit)
}
