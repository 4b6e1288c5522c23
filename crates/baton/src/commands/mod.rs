//! One verb per file, all of the same shape: an `Args` struct that clap fills,
//! and `run(args, session)`.

mod accept;
mod answer;
mod cancel;
mod completions;
mod config;
mod demo;
pub(crate) mod detect;
mod doctor;
mod forge;
mod handoff;
mod init;
mod logs;
mod mcp;
pub(crate) mod phase;
pub(crate) mod pr;
pub(crate) mod report;
mod resume;
pub(crate) mod review;
mod run;
mod runs;
pub(crate) mod sarif_logs;
mod schema;
mod serve;
mod show;
mod source_excerpt;
mod tend;
pub(crate) mod test;
pub(crate) mod validate;

use clap::Subcommand;

use crate::error::CommandError;
use crate::exit::Exit;
use crate::session::Session;

#[derive(Subcommand)]
pub(crate) enum Command {
    Demo(demo::Args),
    #[command(hide = true, name = "scripted-agent")]
    DemoAgent(demo::agent::Args),
    Run(run::Args),
    Tend(tend::Args),
    Runs(runs::Args),
    Show(show::Args),
    Logs(logs::Args),
    Answer(answer::Args),
    Accept(accept::Args),
    Resume(resume::Args),
    Cancel(cancel::Args),
    Doctor(doctor::Args),
    Detect(detect::Args),
    Test(test::Args),
    Validate(validate::Args),
    Review(review::Args),
    Report(report::Args),
    Phase(phase::Args),
    Handoff(handoff::Args),
    Schema(schema::Args),
    Pr(pr::Args),
    Forge(forge::Args),
    Mcp(mcp::Args),
    Serve(serve::Args),
    Init(init::Args),
    Config(config::Args),
    Completions(completions::Args),
}

impl Command {
    /// Whether the verb holds tokens while coding agents, builds or clients are
    /// at work beside it.
    pub(crate) fn lives_beside_others(&self) -> bool {
        match self {
            Self::Demo(_)
            | Self::Run(_)
            | Self::Tend(_)
            | Self::Answer(_)
            | Self::Accept(_)
            | Self::Resume(_)
            | Self::Cancel(_)
            | Self::Mcp(_)
            | Self::Serve(_) => true,
            Self::Forge(args) => args.is_server(),
            _ => false,
        }
    }
}

pub(crate) fn run(command: Command, session: &Session) -> Result<Exit, CommandError> {
    match command {
        Command::Demo(args) => demo::run(&args, session),
        Command::DemoAgent(args) => demo::agent::run(&args, session),
        Command::Run(args) => run::run(&args, session),
        Command::Tend(args) => tend::run(&args, session),
        Command::Runs(args) => runs::run(&args, session),
        Command::Show(args) => show::run(&args, session),
        Command::Logs(args) => logs::run(&args, session),
        Command::Answer(args) => answer::run(&args, session),
        Command::Accept(args) => accept::run(&args, session),
        Command::Resume(args) => resume::run(&args, session),
        Command::Cancel(args) => cancel::run(&args, session),
        Command::Doctor(args) => doctor::run(&args, session),
        Command::Detect(args) => detect::run(&args, session),
        Command::Test(args) => test::run(&args, session),
        Command::Validate(args) => validate::run(&args, session),
        Command::Review(args) => review::run(&args, session),
        Command::Report(args) => report::run(&args),
        Command::Phase(args) => phase::run(&args, session),
        Command::Handoff(args) => handoff::run(&args),
        Command::Schema(args) => schema::run(&args),
        Command::Pr(args) => pr::run(&args, session),
        Command::Forge(args) => forge::run(&args, session),
        Command::Mcp(args) => mcp::run(&args, session),
        Command::Serve(args) => serve::run(&args, session),
        Command::Init(args) => init::run(&args, session),
        Command::Config(args) => config::run(&args, session),
        Command::Completions(args) => completions::run(&args),
    }
}
