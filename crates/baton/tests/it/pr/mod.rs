//! The pull-request tools as people call them, on a forge of their own.

mod asking;
mod crash;
mod create;
mod jira_routes;
mod scene;
mod views;
