mod cmd;
mod detect;
mod git;
