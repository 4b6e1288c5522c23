mod cmd;
mod git;
