//! The pull-request tools as people call them, on a forge of their own.

mod asking;
mod scene;
mod views;
