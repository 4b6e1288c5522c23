//! What people do to the lower pull request of a stack, on a real forge: after each, the printed
//! commands and `restack` leave every branch with its own commits and no one else's.

mod merged;
mod pile;
mod rewritten;
mod undecided;
